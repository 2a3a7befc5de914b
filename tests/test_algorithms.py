"""The algorithms are proved with their claims, run, and their pages say what is proved."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import metricdp as dp
from metricdp import algorithms

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "algorithms"
NAMES = algorithms.__all__
#: Their epsilon is the accountant's, of numbers; no formula in one budget is as good.
SAMPLED = ("minibatch_descent", "minibatch_descent_replaced")


def printed(name: str) -> str:
    """The guarantee as the page shows it: without the place of the file."""
    head, _, rest = repr(getattr(algorithms, name).guarantee).partition("\n")
    body, _, _ = rest.rpartition("\n")  # without the summary
    return f"{' '.join(head.split()[:2])}\n{body}"


@pytest.mark.parametrize("name", NAMES)
def test_claim_is_proved(name: str) -> None:
    guarantee = getattr(algorithms, name).guarantee.data
    assert guarantee.kind == "measurement"
    if name in SAMPLED:
        assert guarantee.claims == () and name in algorithms.__all__
        return
    (claim,) = guarantee.claims
    assert claim.verdict == "proved"
    # The claim is the whole budget, in one public parameter.
    (text,) = claim.measures.values() if hasattr(claim, "measures") else [None]
    assert text in (None, "eps", "rho")


def test_check_finds_every_algorithm() -> None:
    from metricdp.check import check_paths
    from metricdp.diagnostics.result import CheckOptions

    files = sorted((ROOT / "metricdp" / "algorithms").glob("*.py"))
    report = check_paths([str(file) for file in files], CheckOptions())
    assert {f.name for f in report.functions if f.verdict == "proved"} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_page_says_what_is_proved(name: str) -> None:
    text = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    block = text.split("```text\n", 1)[1].split("\n```", 1)[0]
    assert block == printed(name)
    assert f"algorithms_errors.py {name}" in text
    assert len(re.findall(r"^\| (?:0\.1|1|10) \| \S+ \|$", text, re.MULTILINE)) == 3


def test_every_page_has_an_algorithm() -> None:
    assert {page.stem for page in PAGES.glob("*.md")} == set(NAMES)


def test_numbers_of_a_page_repeat() -> None:
    script = ROOT / "examples" / "algorithms_errors.py"
    done = subprocess.run(
        [sys.executable, str(script), "count"], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    table = (PAGES / "count.md").read_text(encoding="utf-8")
    assert done.stdout.split()[1:] == re.findall(r"^\| (?:0\.1|1|10) \| (\S+) \|$", table, re.M)


VALUES = [1.0, 2.0, 2.0, 7.0, 3.0] * 20
POINTS = ([[0.5, 0.5], [-0.5, 0.5], [0.5, -0.5], [-0.5, -0.5]] * 25, [1, 0, 1, 0] * 25)
SIGNS = (POINTS[0], [1, -1, 1, -1] * 25)
WORDS = ["a"] * 60 + ["b"] * 39 + ["?"]
MUCH = 1e6

#: name -> a run with next to no noise, and the answer without noise.
ANSWERS: dict[str, tuple[Callable[[], Any], Any]] = {
    "count": (lambda: algorithms.count(VALUES, eps=MUCH), 100),
    "total": (lambda: algorithms.total(VALUES, 0, 5, eps=MUCH), 260),
    "mean": (lambda: algorithms.mean(VALUES, 0, 5, eps=MUCH), 2.6),
    "mean_of_known_size": (lambda: algorithms.mean_of_known_size(VALUES, 0, 5, eps=MUCH), 2.6),
    "variance": (lambda: algorithms.variance(VALUES, 0, 10, eps=MUCH), 4.4),
    "histogram": (lambda: algorithms.histogram(WORDS, ("b", "a", "c"), eps=MUCH), [39, 60, 0]),
    "cumulative_counts": (
        lambda: algorithms.cumulative_counts(VALUES, (1.0, 2.5, 5.0), eps=MUCH), [20, 60, 80],
    ),
    "quantile": (lambda: algorithms.quantile(VALUES, 0.5, (0.5, 2.5, 6.0), eps=MUCH), 2.5),
    "quantiles": (
        lambda: algorithms.quantiles(VALUES, (0.5, 0.9), 0, 8, eps=MUCH),
        [[2.0, 2.0, 2.0], [7.0, 7.0, 7.0]],
    ),
    "find_bounds": (lambda: algorithms.find_bounds(VALUES, eps=MUCH), (1, 8)),
    "find_limit": (lambda: algorithms.find_limit(VALUES, noise=0.1, eps=MUCH), 7),
    "clipped_mean": (
        lambda: algorithms.clipped_mean(VALUES, largest=16, share=0.7, eps=MUCH), 2.4,
    ),
    "decide": (lambda: algorithms.decide(WORDS, ("b", "a"), eps=MUCH), "a"),
    "mwem": (
        lambda: algorithms.mwem([0] * 80 + [1] * 20, 2, (0, 1), (1, 2), rounds=150, eps=MUCH),
        [80, 20],
    ),
    "standardise": (
        lambda: algorithms.standardise(POINTS[0], 1.0, rho=MUCH), ([0, 0], [0.5, 0.5]),
    ),
    "covariance": (lambda: algorithms.covariance(POINTS[0], 2.0, rho=MUCH), [0.25, 0, 0, 0.25]),
    "clusters": (
        lambda: algorithms.clusters(POINTS[0], ((0.1, 0.0), (-0.1, 0.0)), rounds=3, rho=MUCH),
        [[0.5, 0.0], [-0.5, 0.0]],
    ),
    "linear_regression": (
        lambda: algorithms.linear_regression(SIGNS, (0.0, 0.0), rounds=60, rate=2.0, rho=MUCH),
        [2.0, 0.0],
    ),
    "frank_wolfe": (
        lambda: algorithms.frank_wolfe(SIGNS, (0.0, 0.0), 1.0, rounds=5, eps=MUCH), [1.0, 0.0],
    ),
    "choose_model": (
        lambda: algorithms.choose_model(SIGNS, ((0.0, 1.0), (1.0, 0.0)), eps=MUCH), 1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ANSWERS)
def test_next_to_no_noise_gives_the_answer(name: str) -> None:
    import numpy as np

    run, answer = ANSWERS[name]
    with dp.handling(dp.Seeded(3)):
        release = run()
    assert release.test_only
    if isinstance(answer, str):
        assert release.value == answer
    else:
        np.testing.assert_allclose(
            np.array(release.value, dtype=float), np.array(answer, dtype=float), atol=0.05
        )


def test_logistic_regression_separates() -> None:
    with dp.handling(dp.Seeded(3)):
        release = algorithms.logistic_regression(POINTS, (0.0, 0.0), rounds=20, rate=4.0, rho=MUCH)
    right, other = release.value
    assert right > 1 and abs(other) < 0.05


def test_noisy_steps_equal_the_steps_without_noise() -> None:
    np = pytest.importorskip("numpy")
    signed = np.array(POINTS[0]) * np.array(SIGNS[1])[:, None]
    public = {"rounds": 20, "rate": 4.0, "sigma": 1e-3}
    with dp.handling(dp.Seeded(3)):
        all_rows = algorithms.minibatch_descent(signed, (0.0, 0.0), q=1.0, expected=100, **public)
        known = algorithms.minibatch_descent_replaced(signed, (0.0, 0.0), b=100, **public)
    weights = np.zeros(2)
    for _ in range(20):
        weights = weights + 4 * (signed / (1 + np.exp(signed @ weights))[:, None]).mean(axis=0)
    for release in (all_rows, known):
        np.testing.assert_allclose(np.array(release.value, dtype=float), weights, atol=1e-2)


def test_sampling_lowers_what_is_spent() -> None:
    public = {"rounds": 100, "sigma": 4.0}
    less = algorithms.minibatch_descent.spent(1e-6, q=0.01, **public).epsilon
    more = algorithms.minibatch_descent.spent(1e-6, q=0.5, **public).epsilon
    assert 0 < less < more / 10


def test_regressions_without_noise_find_the_minimum() -> None:
    np = pytest.importorskip("numpy")
    rows = np.column_stack([POINTS[0], SIGNS[1]])
    with dp.handling(dp.Seeded(3)):
        found = algorithms.ridge_regression(
            rows, rounds=60, rate=1.2, decay=0.2, radius=5.0, rho=MUCH
        ).value
        logistic = algorithms.output_perturbation(
            np.column_stack([POINTS[0], POINTS[1]]), rounds=60, rate=4.0, decay=0.2, rho=MUCH
        ).value
    x, y = rows[:, :2], rows[:, 2]
    exact = np.linalg.solve(x.T @ x / 100 + 0.2 * np.eye(2), x.T @ y / 100)
    np.testing.assert_allclose(np.array(found, dtype=float), exact, atol=0.01)
    weights = np.array(logistic, dtype=float)
    chances = 1 / (1 + np.exp(-x @ weights))
    slope = x.T @ (chances - np.array(POINTS[1])) / 100 + 0.2 * weights
    assert np.abs(slope).max() < 0.01


def test_first_component_is_the_direction_of_the_rows() -> None:
    np = pytest.importorskip("numpy")
    rows = [[0.6, 0.8], [-0.3, -0.4], [0.08, -0.06]] * 30
    with dp.handling(dp.Seeded(3)):
        vectors = np.array(algorithms.principal_components(rows, radius=1.0, rho=MUCH).value)
    assert abs(abs(vectors[:, 0] @ [0.6, 0.8]) - 1) < 1e-3
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(2), atol=1e-9)


@pytest.mark.parametrize("eps", [0.25, 2.0])
def test_a_run_spends_what_is_claimed(eps: float) -> None:
    with dp.handling(dp.Seeded(3)):
        release = algorithms.variance(VALUES, 0, 10, eps=eps)
    assert release.privacy == {"epsilon": str(eps).removesuffix(".0"), "delta": "0"}
    # Three releases share the budget: two sums of range 1 and one of range 1/2.
    scales = sorted(float(draw.scale) for draw in release.draws)
    assert scales == pytest.approx([1.5 / eps, 3 / eps, 3 / eps], rel=1e-6)
