"""Both evaluators put the same values into the noise, exactly: algorithms, examples, benchmarks."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from column_graphs import evaluated_by
from test_algorithms import POINTS, SAMPLED, SIGNS, WORDS

import metricdp as dp
from metricdp import algorithms
from metricdp.audit.values import plain
from metricdp.columns import reference
from metricdp.columns.table import Table
from metricdp.run.emit import Recording

ROOT = Path(__file__).resolve().parent.parent
#: Extremes, ties and what a file may hold.
VALUES = [1.0, 2.5, -0.0, 7.0, 3.0, float("nan"), float("inf"), -1e308, 5e-324, 0.1, 4.999999999]
RANDOM = np.random.default_rng(5)
ROWS = RANDOM.uniform(-1.5, 1.5, (12, 2))
LABELLED = np.column_stack([ROWS, np.sign(ROWS[:, 0])])
PAIR = (ROWS.tolist(), np.sign(ROWS[:, 0]).tolist())
ZERO = (0.0, 0.0)
#: What enters the noise, one draw after the other.
Entered = list[tuple[Any, Any]]

RUNS: dict[str, Callable[[], Any]] = {
    "count": lambda: algorithms.count(VALUES, eps=1),
    "total": lambda: algorithms.total(VALUES, 0, 5, eps=1),
    "mean": lambda: algorithms.mean(VALUES, 0, 5, eps=1),
    "mean_of_known_size": lambda: algorithms.mean_of_known_size(VALUES, 0, 5, eps=1),
    "variance": lambda: algorithms.variance(VALUES, 0, 10, eps=1),
    "histogram": lambda: algorithms.histogram(WORDS, ("b", "a", "c"), eps=1),
    "cumulative_counts": lambda: algorithms.cumulative_counts(VALUES, (1.0, 2.5, 5.0), eps=1),
    "quantile": lambda: algorithms.quantile(VALUES, 0.5, (0.5, 2.5, 6.0), eps=1),
    "quantiles": lambda: algorithms.quantiles(VALUES, (0.5, 0.9), 0, 8, eps=1),
    "find_bounds": lambda: algorithms.find_bounds(VALUES, eps=1),
    "find_limit": lambda: algorithms.find_limit(VALUES, noise=0.1, eps=1),
    "clipped_mean": lambda: algorithms.clipped_mean(VALUES, largest=16, share=0.7, eps=1),
    "decide": lambda: algorithms.decide(WORDS, ("b", "a"), eps=1),
    "mwem": lambda: algorithms.mwem([0, 1, 1, 2], 2, (0, 1), (1, 2), rounds=3, eps=1),
    "standardise": lambda: algorithms.standardise(ROWS, 1.0, rho=1),
    "covariance": lambda: algorithms.covariance(ROWS, 2.0, rho=1),
    "clusters": lambda: algorithms.clusters(ROWS, ((0.1, 0.0), (-0.1, 0.0)), rounds=3, rho=1),
    "linear_regression": lambda: algorithms.linear_regression(PAIR, ZERO, rounds=3, rate=2, rho=1),
    "logistic_regression": lambda: algorithms.logistic_regression(
        POINTS, ZERO, rounds=2, rate=4.0, rho=1
    ),
    "frank_wolfe": lambda: algorithms.frank_wolfe(PAIR, ZERO, 1.0, rounds=3, eps=1),
    "choose_model": lambda: algorithms.choose_model(SIGNS, ((0.0, 1.0), (1.0, 0.0)), eps=1),
    "ridge_regression": lambda: algorithms.ridge_regression(
        LABELLED, rounds=3, rate=1.2, decay=0.2, radius=5.0, rho=1
    ),
    "output_perturbation": lambda: algorithms.output_perturbation(
        LABELLED, rounds=3, rate=4.0, decay=0.2, rho=1
    ),
    "principal_components": lambda: algorithms.principal_components(ROWS, radius=1.0, rho=1),
    "minibatch_descent": lambda: algorithms.minibatch_descent(
        ROWS, ZERO, q=0.5, rounds=1, rate=1.0, sigma=1.0, expected=6
    ),
    "minibatch_descent_replaced": lambda: algorithms.minibatch_descent_replaced(
        ROWS, ZERO, b=6, rounds=1, rate=1.0, sigma=1.0
    ),
}


def entered(run: Callable[[], Any], evaluator: str, seed: int = 7) -> Entered:
    record = Recording(dp.Seeded(seed))
    with evaluated_by(evaluator, rows=3), dp.handling(record):
        run()
    return [(entry.draw, plain(entry.value)) for entry in record.log]


def same(run: Callable[[], Any]) -> Entered:
    """What enters the noise, which is the same by both evaluators."""
    by_arrays, by_reference = entered(run, "arrays"), entered(run, "reference")
    assert by_arrays == by_reference and by_arrays
    return by_arrays


def loaded(folder: str, name: str) -> Any:
    sys.path.insert(0, str(ROOT / folder))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(ROOT / folder))


@pytest.mark.parametrize("name", algorithms.__all__)
def test_algorithms(name: str) -> None:
    same(RUNS[name])
    assert set(SAMPLED) <= set(RUNS)


BENCHMARKS: Any = pytest.importorskip("pandas") and loaded("benchmarks", "calls_table")
CALLS = {call.name: call for call in BENCHMARKS.TABLE if "digits" not in call.name}


@pytest.mark.parametrize("name", CALLS)
def test_programs_of_the_benchmark(name: str) -> None:
    data = CALLS[name].data(10)
    same(lambda: CALLS[name].ours(data, 1.0))


def test_examples() -> None:
    visits, pictures = loaded("examples", "visits"), loaded("examples", "pictures")
    raw = np.array(VALUES)
    total, years = same(lambda: visits.mean_visits(raw, eps=1.0))
    assert years[1] == len(VALUES) and float(total[1]) == pytest.approx(1 + 2.5 + 7 + 3 + 20 + 5.1)
    assert same(lambda: visits.years_without_visit(raw, eps=1.0))[0][1] == 5
    assert same(lambda: visits.years_in_poor_health(raw > 2, eps=1.0))[0][1] == 5
    same(lambda: pictures.visits(raw, eps=1.0))
    same(lambda: pictures.people(raw, eps=1.0))


def test_training_of_the_examples() -> None:
    digits = loaded("examples", "train_digits")
    records = RANDOM.integers(0, 9, (4, 65)).astype(float)
    for run in (
        lambda: digits.train(
            records, digits.start(), q=0.5, rounds=1, sigma=1.0, rate=1.0, expected=4.0
        ),
        lambda: digits.train_replaced(
            records, digits.start(), b=2, rounds=1, sigma=1.0, rate=1.0
        ),
    ):  # fmt: skip
        same(run)


@pytest.mark.parametrize("evaluator", ["arrays", "reference"])
def test_which_evaluator_runs(evaluator: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = []
    plan = reference.ReferencePlan.run
    monkeypatch.setattr(
        reference.ReferencePlan, "run", lambda *args: (rows.append(1), plan(*args))[1]
    )
    entered(lambda: algorithms.total(VALUES, 0, 5, eps=1), evaluator)
    assert len(rows) == (len(VALUES) if evaluator == "reference" else 0)


def test_a_row_that_an_evaluator_leaves_out_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Table._by_reference

    def short(self: Table, nodes: Any) -> Any:
        count, columns = kept(self, nodes)
        return count - 1, [x[..., 1:] for x in columns]

    monkeypatch.setattr(Table, "_by_reference", short)
    with pytest.raises(AssertionError):
        same(RUNS["total"])
