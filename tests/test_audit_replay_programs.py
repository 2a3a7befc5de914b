"""Replay of checked functions, measurements and sessions: true claims hold, mutated ones do not."""

from __future__ import annotations

from fractions import Fraction
from importlib import import_module
from random import Random
from typing import Any

import numpy as np
import pytest
from depth import depth

import metricdp as dp
from metricdp import algorithms
from metricdp.audit import replay
from metricdp.errors import ParameterError, ReplayError
from metricdp.families.family import Draw
from metricdp.families.laplace import LAPLACE
from metricdp.maps import Measurement, Transformation, compose, make
from metricdp.run.emit import emit
from metricdp.spaces import Records, Scalar, Vector, space_of

#: Public arguments of the algorithms that are replayed; the others have theirs made up.
PUBLIC: dict[str, dict[str, Any]] = {
    "choose_model": {"models": ((1.0, 0.0), (0.0, 1.0)), "eps": 1.0},
    "clusters": {"start": ((0.0, 0.0), (0.5, 0.5)), "rounds": 2, "rho": 1.0, "n": 3, "d": 2},
    "cumulative_counts": {"thresholds": (0.0, 1.0), "eps": 1.0},
    "decide": {"options": ("a", "b"), "eps": 1.0},
    "find_bounds": {"eps": 1.0, "miss": 0.01},
    "find_limit": {"noise": 1.0, "eps": 1.0, "miss": 0.01},
    "frank_wolfe": {"start": (0.0, 0.0), "eps": 1.0, "radius": 1.0, "rounds": 2},
    "histogram": {"categories": ("a", "b"), "eps": 1.0},
    "linear_regression": {"start": (0.0, 0.0), "rate": 0.5, "rho": 1.0, "rounds": 2},
    "logistic_regression": {"start": (0.0, 0.0), "rate": 0.5, "rho": 1.0, "rounds": 2},
    "mean": {"lower": 0.0, "upper": 10.0, "eps": 1.0},
    "mean_of_known_size": {"lower": 0.0, "upper": 10.0, "eps": 1.0, "n": 3},
    "minibatch_descent": {
        "start": (0.0, 0.0), "q": 0.5, "rounds": 2, "rate": 0.5, "sigma": 2.0, "expected": 2.0,
        "cols_rows": 2,
    },
    "minibatch_descent_replaced": {
        "start": (0.0, 0.0), "b": 2, "rounds": 2, "rate": 0.5, "sigma": 2.0, "cols_rows": 2,
        "len_rows": 3,
    },
    "mwem": {"bins": 4, "lows": (0, 1), "highs": (1, 3), "rounds": 2, "eps": 1.0},
    "quantile": {"q": 0.5, "candidates": (0.0, 1.0, 2.0), "eps": 1.0},
    "quantiles": {"shares": (0.5, 0.9), "lower": 0.0, "upper": 8.0, "eps": 1.0},
    "variance": {"lower": 0.0, "upper": 10.0, "eps": 1.0},
}  # fmt: skip


@pytest.mark.parametrize("name", algorithms.__all__)
def test_no_false_alarm_on_the_algorithms(name: str) -> None:
    most = depth(1, 6) if name == "quantiles" else 6  # a run draws 4,368 times
    verdict = replay(getattr(algorithms, name), public=PUBLIC.get(name), most=most, seconds=60)
    assert not verdict.refuted, str(verdict)
    assert verdict.closest <= 1
    assert "no noise" not in str(verdict)


@pytest.mark.parametrize(
    "name", ["count", "total", "histogram", "mean", "quantile", "clipped_mean"]
)
def test_true_bounds_are_attained(name: str) -> None:
    # Some of the pairs attain it already: with a charge of too much, none of them does.
    most = 100 if name == "quantile" else depth(25, 100)
    verdict = replay(getattr(algorithms, name), public=PUBLIC.get(name), most=most, seconds=60)
    assert verdict.closest == 1


@dp.measurement
def two_inputs(x: dp.Records[float], y: dp.Records[float], eps: float) -> Any:
    total = dp.laplace(dp.sum(dp.clamp(x, 0, 2)) + dp.sum(dp.clamp(y, 0, 5)), epsilon=eps)
    return total, dp.discrete_laplace(dp.count(y), scale=3)


@dp.measurement
def squares(x: dp.Vector[dp.Real, dp.L2], sigma: float) -> Any:
    return dp.gaussian(x, scale=sigma)


@dp.measurement
def per_row(x: dp.Vector[dp.Data, dp.L1], eps: float) -> Any:
    answers = []
    for v in x:
        answers.append(dp.randomized_response(v > 0, epsilon=eps))
    return answers


@dp.transformation
def double(x: dp.Vector[dp.Real, dp.L1]) -> dp.Vector[dp.Real, dp.L1]:
    return [2 * v for v in x]


@dp.measurement
def best(x: dp.Records[float], eps: float) -> Any:
    def once() -> Any:
        noisy = dp.laplace(dp.count(x), epsilon=eps)
        return noisy, 1

    return dp.private_selection(once, stop=0.25)


@pytest.mark.parametrize("function", [two_inputs, squares, per_row, best])
def test_no_false_alarm_on_checked_functions(function: Any) -> None:
    verdict = replay(function, most=30)
    assert not verdict.refuted, str(verdict)


def test_pairs_of_two_private_inputs() -> None:
    x = {"x": [1.0], "y": []}
    verdict = replay(two_inputs, pairs=[(x, {"x": [1.0, 2.0], "y": [3.0]})], public={"eps": 1.0})
    assert not verdict.refuted and "0 of" not in str(verdict)


SCALAR = Scalar("Real")


def laplace(x: Any, scale: int = 1) -> Any:
    return emit(Draw("by hand", LAPLACE, "", Fraction(scale)), Fraction(x))


@pytest.mark.parametrize(
    ("function", "privacy", "loss"),
    [
        (lambda x: laplace(3 * Fraction(x)), {"pure": "d_in"}, 3),
        (lambda x: (laplace(x), laplace(x)), {"pure": "d_in"}, 2),
        (lambda x: laplace(Fraction(x) ** 2), {"pure": "d_in"}, None),
        (lambda x: laplace(x), {"pure": "d_in/2"}, 1),
        (lambda x: laplace(x), {"pure": "sqrt(d_in)"}, None),
        (lambda x: x + np.random.normal(scale=1), {"zcdp": "d_in**2/4"}, Fraction(1, 2)),
        (lambda x: x + np.random.normal(scale=1), {"approx": ("d_in", 1e-9)}, None),
    ],
)
def test_wrong_maps_are_refuted(function: Any, privacy: Any, loss: Any) -> None:
    if "approx" in privacy:
        epsilon, delta = privacy["approx"]
        privacy = {"approx": (epsilon, lambda d: delta)}
    wrong = Measurement(SCALAR, function, privacy, "by hand")
    verdict = replay(wrong, pairs=[(0.0, 1.0), (0.0, 2.0), (0.0, 3.0)])
    assert verdict.refuted and "is at least" in verdict.why
    if loss is not None:
        assert verdict.loss == loss, str(verdict)
    # Without pairs of ours, too.
    assert replay(wrong).refuted


@pytest.mark.parametrize(
    ("function", "privacy"),
    [
        (lambda x: laplace(3 * Fraction(x)), {"pure": "3*d_in"}),
        (lambda x: (laplace(x), laplace(x, 2)), {"pure": "3*d_in/2"}),
        (lambda x: x + np.random.normal(scale=1), {"zcdp": "d_in**2/2"}),
    ],
)
def test_right_maps_survive(function: Any, privacy: Any) -> None:
    right = Measurement(SCALAR, function, privacy, "by hand")
    verdict = replay(right, most=40)
    assert not verdict.refuted and verdict.closest > 0.999, str(verdict)


def test_a_wrong_stability_is_found_at_its_draw() -> None:
    rows = space_of(dp.Records[float])
    sums = Transformation(rows, SCALAR, lambda r: float(sum(r)), "d_in", "sum")
    verdict = replay(sums >> make("laplace", SCALAR, scale=1))
    assert verdict.refuted and "is charged for 1 and moved" in verdict.why

    def clamped(r: Any) -> float:
        return float(sum(min(max(v, -1.0), 1.0) for v in r))

    right = Transformation(rows, SCALAR, clamped, "d_in", "sum")
    assert not replay(right >> make("laplace", SCALAR, scale=1)).refuted


def test_compositions_of_the_library() -> None:
    parts = [make("laplace", SCALAR, scale=2), make("laplace", SCALAR, scale=4)]
    verdict = replay(compose(parts), most=30)
    assert not verdict.refuted and verdict.loss is not None
    assert verdict.closest == 1, str(verdict)
    vector = make("gaussian", space_of(dp.Vector[dp.Real, dp.L2]), scale=3)
    assert not replay(vector, most=30).refuted


def test_post_processing_by_the_data_is_a_leak() -> None:
    noisy = make("laplace", SCALAR, scale=1)
    leaking = Measurement(SCALAR, lambda x: noisy(x) + x / 1000, noisy.privacy, "leaking")
    verdict = replay(leaking)
    assert verdict.refuted and "the result is" in verdict.why
    assert not replay(noisy >> (lambda v: round(v)), most=20).refuted


def test_opendp_programs() -> None:
    import metricdp.opendp as odp

    odp.enable_features("contrib")
    space = odp.atom_domain(T=float, nan=False), odp.absolute_distance(T=float)
    noisy = odp.m.make_laplace(*space, scale=2.0)
    verdict = replay(noisy, most=20)
    assert not verdict.refuted


def test_sessions_in_a_function() -> None:
    def program(rows: Any) -> Any:
        session = dp.Session({"x": (dp.Records[float], rows)}, budget=dp.Budget(epsilon=1))
        total = dp.laplace(dp.sum(dp.clamp(session["x"], 0, 1)), epsilon=0.5)
        count = dp.laplace(dp.count(session["x"]), epsilon=0.5)
        return total.value, count.value

    verdict = replay(program, space=dp.Records[float], epsilon=1, most=6, seconds=60)
    assert not verdict.refuted, str(verdict)
    # Of six pairs one attains the loss.
    few = depth(6, 100)
    assert replay(program, space=dp.Records[float], epsilon=0.9, most=few, seconds=60).loss == 1


def test_samples_need_their_alignment(monkeypatch: pytest.MonkeyPatch) -> None:
    # Coins by position, and not by row, are a false alarm: two rows of the sample differ.
    function = algorithms.minibatch_descent
    rows = [[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0], [0.0, -1.0]]
    pairs = [(rows, rows[1:])] * 8
    options: dict[str, Any] = {"public": PUBLIC["minibatch_descent"], "pairs": pairs}
    assert not replay(function, **options).refuted
    monkeypatch.setattr(
        import_module("metricdp.audit.replaying.answering"),
        "matched",
        lambda first, second: {i: i for i in range(min(len(first), len(second)))},
    )
    assert replay(function, **options).refuted


def test_samples_are_aligned() -> None:
    from metricdp.audit.replaying.answering import matched

    rng = Random(5)
    for _ in range(300):
        rows = [str(rng.randrange(4)) for _ in range(rng.randrange(6))]
        other = list(rows)
        if other and rng.random() < 0.5:
            other[rng.randrange(len(other))] = "new"
        elif other and rng.random() < 0.5:
            del other[rng.randrange(len(other))]
        else:
            other.insert(rng.randrange(len(other) + 1), "new")
        partner = matched(rows, other)
        assert len(set(partner.values())) == len(partner), "every row has one partner"
        same = [i for i, j in partner.items() if rows[i] == other[j]]
        assert len(same) >= min(len(rows), len(other)) - (len(rows) == len(other))


def test_rejected_functions_and_bad_calls() -> None:
    for bad in (
        lambda: replay(double),
        lambda: replay(algorithms.count, epsilon=1),
        lambda: replay(algorithms.count, space=dp.Records[float]),
        lambda: replay(algorithms.histogram),
        lambda: replay(make("laplace", SCALAR, scale=1), epsilon=1),
    ):
        with pytest.raises(ParameterError):
            bad()
    far = space_of(dp.Records[float, dp.Hamming])
    assert isinstance(far, Records)
    release = Measurement(far, lambda rows: laplace(len(rows)), {"pure": "d_in"}, "count")
    with pytest.raises(ReplayError, match="infinitely far"):
        replay(release, pairs=[([1.0], [1.0, 2.0])])
    assert isinstance(space_of(dp.Vector[dp.Real, dp.L1]), Vector)


@dp.measurement
def by_its_own_sampler(x: dp.Records[float], eps: float) -> Any:
    largest = dp.interval_quantile(x, 1, 20, 0.9, epsilon=eps)
    return largest, dp.private_quantile(x, (0, 5, 10), 0.5, epsilon=eps)


def test_releases_of_mechanisms_with_samplers_of_their_own_are_looked_into() -> None:
    """They hold the functions of their records, which tell nothing about data."""
    assert not replay(by_its_own_sampler, public={"eps": 1.0}, most=4, seconds=60).refuted
