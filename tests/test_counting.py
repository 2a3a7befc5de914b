"""What is counted is what plain Python counts, in arrays and by the reference alike."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from checked_modules import load
from column_graphs import evaluated_by

import metricdp as dp
from metricdp.audit.values import plain
from metricdp.errors import MetricdpError
from metricdp.run.emit import Record

PROGRAMS = """
import statistics
from typing import Annotated
import numpy as np

@dp.measurement
def by_edges(x: dp.Records[float], edges: tuple[float, ...], b: float):
    return dp.laplace(np.histogram(x, bins=edges)[0], scale=b)

@dp.measurement
def whole_by_edges(x: dp.Records[int], edges: tuple[float, ...], b: float):
    return dp.laplace(np.histogram(x, edges)[0], scale=b)

@dp.measurement
def by_number(x: dp.Records[float], k: int, lo: float, hi: float, b: float):
    counts, edges = np.histogram(x, k, (lo, hi))
    return edges, dp.laplace(counts, scale=b)

@dp.measurement
def largest(x: dp.Records[float], b: float):
    return dp.laplace(max((dp.clamp(v, 0, 64) for v in x), default=-3), scale=b)

@dp.measurement
def smallest(x: dp.Records[float], b: float):
    return dp.laplace(min([dp.clamp(v, 0, 64) for v in x], default=70), scale=b)

@dp.measurement
def mean(x: Annotated[dp.Records[float, dp.ChangeOne], dp.Size("n")], n: int, b: float):
    return dp.laplace(statistics.mean(dp.clamp(x, 0, 64)), scale=b)

@dp.measurement
def variance(x: Annotated[dp.Records[float, dp.ChangeOne], dp.Size("n")], n: int, b: float):
    return dp.laplace(statistics.variance(dp.clamp(x, 0, 64)), scale=b)

@dp.measurement
def first(x: dp.Records[int], b: float):
    counts = [sum(1 for v in x if v == k) for k in range(4)]
    return dp.above_threshold(counts, threshold=2, scale=b, query_scale=b)
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(tmp_path_factory.mktemp("counting"), PROGRAMS)


def entered(run: Callable[[], Any]) -> list[Any]:
    """What enters the noise, by both evaluators alike."""
    found = []
    for evaluator in ("arrays", "reference"):
        record = Record(dp.Seeded(7))
        with evaluated_by(evaluator, rows=3), dp.handling(record):
            run()
        found.append([plain(entry.value) for entry in record.log])
    assert found[0] == found[1]
    return found[0]


ENDS = (-1.5, 0.0, 0.1, 0.30000000000000004, 2.5, 7.0)
VALUES = [*ENDS, 0.3, -0.0, 5e-324, -5e-324, 7.000000000000001, -2.0, 1e308, 6.9, 2.4999]


def test_bins_hold_what_numpy_puts_into_them(made: ModuleType) -> None:
    rng = random.Random(3)
    for _ in range(8):
        rows = rng.choices(VALUES, k=rng.randrange(9))
        edges = tuple(sorted(rng.sample(ENDS, rng.randrange(2, 6))))
        counts = np.histogram(rows, edges)[0].tolist()
        assert entered(lambda r=rows, e=edges: made.by_edges(r, e, b=1.0)) == [counts]
        whole = [rng.randrange(-3, 9) for _ in range(9)]
        counts = np.histogram(whole, edges)[0].tolist()
        assert entered(lambda r=whole, e=edges: made.whole_by_edges(r, e, b=1.0)) == [counts]
        k, lo = rng.randrange(1, 9), rng.choice((-1.0, 0.0, 0.1))
        counts = np.histogram(rows, k, (lo, 7.0))[0]
        assert entered(lambda r=rows, n=k, a=lo: made.by_number(r, n, a, 7.0, 1.0)) == [
            counts.tolist()
        ]
    edges, _ = made.by_number([1.0], 3, 0.1, 7.0, b=1.0).value
    assert edges.tolist() == np.histogram([], 3, (0.1, 7.0))[1].tolist()
    far = (0.0, float(2**53 + 2))  # between whole numbers that are no doubles
    assert entered(lambda: made.whole_by_edges([2**53 + 3, 2**53 + 2, 2**53 + 1], far, b=1.0)) == [
        [2]
    ]


@pytest.mark.parametrize("edges", [(1.0,), (), (0.0, 0.0), (1.0, 0.0), (0.0, math.inf)])
def test_edges_that_do_not_rise_are_refused_before_data(
    made: ModuleType, edges: tuple[float, ...]
) -> None:
    for rows in ([], [0.5]):
        with pytest.raises(MetricdpError):
            made.by_edges(rows, edges, b=1.0)


def test_ends_means_and_crossings(made: ModuleType) -> None:
    assert entered(lambda: made.largest([], b=1.0)) == [-3]
    assert entered(lambda: made.largest([3.5, 80.0, -2.0], b=1.0)) == [64]
    assert entered(lambda: made.smallest([], b=1.0)) == [70]
    assert entered(lambda: made.smallest([3.5, 80.0], b=1.0)) == [3.5]
    rows = [3.5, 64.0, 0.25]
    assert entered(lambda: made.mean(rows, n=3, b=1.0)) == [
        pytest.approx(statistics.mean(rows), rel=1e-15)
    ]
    assert entered(lambda: made.variance(rows, n=3, b=1.0)) == [
        pytest.approx(statistics.variance(rows), rel=1e-15)
    ]
    assert entered(lambda: made.first([1, 1, 0, 3, 3, 3], b=1.0)) == [[1, 2, 0, 3]]
