"""Quantiles at once, and bounds that are found: what their intervals and thresholds rest on.

That they cost what they claim is proved (`tests/test_algorithms.py`); what is after the noise is
arithmetic, which is tried here: least squares are least squares, the constants of the intervals are
those of the linear map, intervals hold what they say, and bins without rows pass no threshold more
often than one run in a hundred.
"""

from __future__ import annotations

import itertools
from typing import Annotated, Any, TypedDict

import numpy as np
import pytest
from depth import depth

import metricdp as dp
from metricdp import algorithms
from metricdp.algorithms.bound_finders import find_limit
from metricdp.algorithms.hierarchies import consistent, quantiles, ranks_apart

Records: Any = dp.Records
#: Counts of one tree: its root, 16 nodes and 256 bins.
NOISES = 1 + 16 + 256


def one_tree() -> np.ndarray[Any, Any]:
    """What each noise of the first of 16 trees adds to each of its bins."""
    columns = []
    for at in range(NOISES):
        counts = [np.zeros(16), np.zeros(256), np.zeros(4096)]
        level, place = (0, 0) if at == 0 else (1, at - 1) if at < 17 else (2, at - 17)
        counts[level][place] = 1.0
        made = consistent(*counts)
        assert not made[256:].any()  # trees share nothing
        columns.append(made[:256])
    return np.array(columns).T


def test_counts_that_fit_together_are_least_squares_and_intervals_know_their_noise() -> None:
    tree = one_tree()
    asked = np.zeros((NOISES, 256))
    asked[0] = 1
    for node in range(16):
        asked[1 + node, 16 * node : 16 * node + 16] = 1
    asked[17:] = np.eye(256)
    np.testing.assert_allclose(tree, np.linalg.pinv(asked), atol=1e-10)
    before = np.vstack([np.zeros(NOISES), np.cumsum(tree, axis=0)])
    whole = before[-1]
    assert (whole**2).sum() == pytest.approx(256 / 273)
    for share in np.linspace(0, 1, 21):
        inside = before - share * whole
        assert (inside**2).sum(axis=1).max() <= 7.78
        assert np.abs(inside).max() < 1
        assert max(share, 1 - share) * np.abs(whole).max() < 1
    # One more tree before the bin: its noise is there by 1 - share, and by share behind it.
    near = ranks_apart(0.25, 1.0)
    assert near[0] < near[4095] and near.shape == (4096,)


def test_intervals_hold_and_quantiles_rise() -> None:
    draw = np.random.default_rng(5)
    values = draw.lognormal(1, 1, 3000)
    shares = (0.02, 0.25, 0.5, 0.75, 0.98)
    held = asked = 0
    for seed in range(depth(12, 200)):
        with dp.handling(dp.Seeded(seed)):
            found = algorithms.quantiles(values, shares, 0, 50, eps=0.5).value
        points = [point for point, _, _ in found]
        assert points == sorted(points)
        for (point, low, high), share in zip(found, shares, strict=True):
            assert low <= point <= high
            held += low <= np.quantile(values, share) <= high
            asked += 1
    assert held >= 0.95 * asked - 2 * asked**0.5


def test_one_answer_is_worse_and_many_are_better_than_one_by_one() -> None:
    values = np.random.default_rng(6).uniform(0, 100, 5000)
    shares = tuple(i / 20 for i in range(1, 20))
    worst: dict[str, list[float]] = {"at once": [], "one by one": []}
    for seed in range(6):
        with dp.handling(dp.Seeded(seed)):
            found = [e[0] for e in algorithms.quantiles(values, shares, 0, 100, eps=1.0).value]
            alone = [_alone(values, share, eps=1 / 19).value for share in shares]
        for name, each in (("at once", found), ("one by one", alone)):
            ranks = np.searchsorted(np.sort(values), each)
            worst[name].append(float(np.abs(ranks - 5000 * np.array(shares)).max()))
    assert np.median(worst["at once"]) < np.median(worst["one by one"]) / 1.5


@dp.measurement
def _alone(values: dp.Records[float], share: float, eps: float) -> Any:
    return dp.interval_quantile(values, 0, 100, share, epsilon=eps)


def test_bounds_are_ends_of_bins_with_rows() -> None:
    empty = 0
    for seed in range(depth(100, 1000)):
        with dp.handling(dp.Seeded(seed)):
            empty += algorithms.find_bounds([], eps=1.0).value != (0.0, 0.0)
    assert empty <= depth(5, 25)  # 1 and 10 are expected at most
    with dp.handling(dp.Seeded(1)):
        for low, high in itertools.product((-3e9, -5.0, 0.0, 0.3), (0.4, 7.0, 1e12)):
            found = algorithms.find_bounds([low, high] * 40, eps=1.0).value
            assert found[0] <= low and high <= found[1]
            assert found[0] >= 2 * min(low, -(2.0**-20)) and found[1] <= 2 * high


class Visit(TypedDict):
    person: int
    cost: float


@dp.measurement
def rows_of_a_person(
    visits: Annotated[dp.Records[Visit], dp.Ids("person")], noise: float, eps: float
) -> Any:
    each = dp.sum_per_id(visits, "person", lambda v: 1)
    return find_limit(each, noise, eps)


@dp.measurement
def costs(visits: Annotated[dp.Records[Visit], dp.Ids("person")], eps: float) -> Any:
    kept = dp.limit_rows(visits, "person", 4)
    return quantiles([v["cost"] for v in kept], (0.5, 1.0), 0, 64, eps)


@pytest.mark.parametrize("engine", ["rows", "duckdb"])
def test_limits_and_quantiles_of_persons(engine: str) -> None:
    rows = [Visit(person=p, cost=float(p % 32)) for p in range(300) for _ in range(1 + p % 4)]
    rows += [Visit(person=900, cost=1e9)] * 500
    data: Any = rows
    if engine == "duckdb":
        duckdb, pandas = pytest.importorskip("duckdb"), pytest.importorskip("pandas")
        frame = pandas.DataFrame(rows)
        assert len(frame) == len(rows)
        data = duckdb.sql("SELECT * FROM frame")
    with dp.handling(dp.Seeded(2)):
        limit = rows_of_a_person(data, noise=0.5, eps=2.0)
        found = costs(data, eps=1e6)
    assert limit.value in (4, 5) and limit.cost == "ε = 2"
    assert found.cost == "ε = 4000000"  # four rows of a person
    assert found.value[0][0] == pytest.approx(16, abs=1) and found.value[1][0] >= 63


def test_bounds_are_bounds_of_the_next_question() -> None:
    session = dp.Session({"x": (Records[float], [3.0] * 500)}, budget=dp.Budget(epsilon=3))
    low, high = session.run(algorithms.find_bounds, values=session["x"], eps=1.0).value
    assert (low, high) == (2.0, 4.0)
    dp.laplace(dp.sum(dp.clamp(session["x"], low, high)), epsilon=1)
    session.run(algorithms.total, values=session["x"], lower=low, upper=high, eps=1.0)
    assert session.left() == {"epsilon": 0}
