"""Tallies of columns are those of their numbers as rationals."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from metricdp.values import Column, clamp_to_grid
from metricdp.values.tallies import below_and_above, distinct, occurrences


def columns() -> list[Column]:
    rng = Random(11)
    integers = [rng.choice((1, -1)) * rng.getrandbits(rng.randint(0, 62)) for _ in range(500)]
    floats = [rng.uniform(-1, 1) * 2.0 ** rng.randint(-60, 60) for _ in range(500)]
    edges = [0.0, 5e-324, -5e-324, 1.7e308, -1.7e308, 1.0, 1.0, 2.0**-1022]
    return [
        Column(ticks=np.array([*integers, -(2**63), 2**63 - 1], np.int64)),
        Column(floats=np.array(floats + edges)),
        Column(floats=np.array([], np.float64)),
        Column(ticks=np.array([], np.int64)),
        clamp_to_grid(Column(floats=np.array(floats)), -3, 5),
        Column(ticks=np.array([3, 3, -1], np.int64), exponent=4),
        Column(floats=np.full(3000, 0.1)),
    ]


@pytest.mark.parametrize("column", columns(), ids=range(7))
def test_tallies_are_those_of_the_numbers(column: Column) -> None:
    values, counts = occurrences(column)
    assert dict(zip(values, counts.tolist(), strict=True)) == Counter(column)
    assert values == sorted(values) and distinct(column) == len(values)
    points = [Fraction(1, 3), 0, 1, -3, 5, Fraction(1, 10)]
    expected = [(sum(x < t for x in column), sum(x > t for x in column)) for t in points]
    assert below_and_above(column, points) == expected
