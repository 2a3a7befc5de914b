"""Run-time values: exact and total arithmetic; array forms equal the reference forms."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from metricdp.columns.grids import range_of
from metricdp.errors import SpaceError
from metricdp.values import (
    LARGEST,
    Exact,
    ExactMatrix,
    ExactVector,
    divide,
    exact_sum,
    sum_of_array,
    wrap,
)

finite = st.floats(allow_nan=False, allow_infinity=False)
fractions = st.fractions(max_denominator=50)
OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv]
OPERATORS += [operator.mod]


@given(fractions, fractions, st.sampled_from(OPERATORS))
def test_arithmetic_is_that_of_fractions(x: Fraction, y: Fraction, op: Callable[..., Any]) -> None:
    expected = Fraction(0) if y == 0 and op not in OPERATORS[:3] else op(x, y)
    for left, right in ((Exact(x), y), (x, Exact(y)), (Exact(x), Exact(y))):
        result = op(left, right)
        assert type(result) is Exact
        assert result == expected


@pytest.mark.parametrize(
    "other",
    [3, True, 0.1, np.float64(0.1), np.float32(0.1), np.int64(7), np.uint8(7), np.bool_(True)],
)
@pytest.mark.parametrize("op", OPERATORS)
def test_numbers_are_the_rational_they_denote(other: Any, op: Callable[..., Any]) -> None:
    value = Fraction(other.item() if isinstance(other, np.generic) else other)
    assert op(Exact(5, 3), other) == op(Fraction(5, 3), value)
    assert op(other, Exact(5, 3)) == op(value, Fraction(5, 3))
    assert type(op(Exact(5, 3), other)) is type(op(other, Exact(5, 3))) is Exact
    assert (Exact(value) == other) and (other == Exact(value)) and Exact(value) <= other


def test_nothing_raises_because_of_a_value() -> None:
    zero = Exact(0)
    assert zero**-1 == Exact(1) / zero == 1 // zero == Exact(1) % 0 == 0
    assert Exact(-8) ** Fraction(1, 3) == 0
    assert Exact(4) ** 0.5 == 2
    assert Exact(10) ** 10**9 == LARGEST
    assert Exact(-10) ** (10**9 + 1) == -LARGEST
    assert Exact(2) ** -2 == Fraction(1, 4)
    assert Exact(math.nan) == 0
    assert Exact(math.inf) == LARGEST == Exact(1) * math.inf
    assert float(Exact(10**400)) == float(LARGEST)
    assert float(Exact(-(10**400))) == -float(LARGEST)
    assert divide(True, False) == 0
    for rounded in (round(Exact(5, 2)), math.floor(Exact(5, 2)), abs(Exact(-2)), -Exact(-2)):
        assert type(rounded) is Exact
        assert rounded == 2
    assert math.ceil(Exact(5, 2)) / Exact(0) == 0


def test_vectors_work_entrywise() -> None:
    v = ExactVector([1, 2.5, -3])
    assert v + v == [2, 5, -6]
    assert [1, 1, 1] - v == [0, Fraction(-3, 2), 4]
    assert np.array([2.0, 2.0, 2.0]) * v == 2 * v == v * np.int64(2) == [2, 5, -6]
    assert 1 / ExactVector([0, 2, 4]) == [0, Fraction(1, 2), Fraction(1, 4)]
    assert ExactVector([True, False]) / ExactVector([False, True]) == [0, 0]
    assert -v == [-1, Fraction(-5, 2), 3]
    assert abs(v)[2] == 3
    assert sum(v) == Fraction(1, 2)
    assert type(sum(v)) is Exact
    alias = v
    alias += v
    assert v == [1, 2.5, -3]
    with pytest.raises(SpaceError, match="unequal length, 3 and 2"):
        v.__add__([1, 2])


def test_indices_are_clamped_into_range() -> None:
    v = ExactVector([10, 20, 30])
    assert [v[i] for i in (0, 2, 3, 99, -1, -3, -4, -99)] == [10, 30, 30, 30, 30, 10, 10, 10]
    assert v[Exact(7, 2)] == 30
    assert v[True] == 20
    assert v[Exact(1) :] == [20, 30]
    assert type(v[1:]) is ExactVector
    assert ExactVector()[5] == 0
    assert ExactMatrix([], cols=2)[3] == [0, 0]


def test_matrices_know_their_shape() -> None:
    m = ExactMatrix([[1, 2, 3], [4, 5, 6]])
    assert (m.rows, m.cols) == (2, 3)
    assert m + m == 2 * m == m * 2 == [[2, 4, 6], [8, 10, 12]]
    assert m[1, 2] == 6
    assert m[:, 0] == [1, 4]
    assert (ExactMatrix([], cols=3) * 2).cols == 3
    with pytest.raises(SpaceError, match="unequal length"):
        ExactMatrix([[1], [1, 2]])
    with pytest.raises(SpaceError):
        m.__add__([[1, 2], [3, 4]])


def test_wrap_gives_total_classes() -> None:
    assert type(wrap(3)) is type(wrap(0.5)) is Exact
    assert type(wrap([1, Fraction(1, 2)])) is ExactVector
    assert type(wrap([[1], [2]])) is ExactMatrix
    assert wrap((1, [2], "a", True)) == (1, [2], "a", True)
    assert type(wrap((1,))[0]) is Exact
    assert wrap(True) is True
    assert wrap([(1, "a")]) == [(1, "a")]


@given(st.floats(-50, 50), st.floats(-50, 50))
def test_a_number_moves_to_the_grid_by_at_most_half_a_step(x: float, y: float) -> None:
    step, bound = Fraction(1, 2**35), range_of(Fraction(0), Fraction(20))
    assert bound is not None and bound.exponent == -35
    inside = min(max(Fraction(x), Fraction(0)), Fraction(20))
    assert abs(bound.ticks(x) * step - inside) <= step / 2
    if x <= y:
        assert bound.ticks(x) <= bound.ticks(y)


@settings(deadline=None)
@given(st.lists(finite, max_size=40), st.randoms(use_true_random=False))
def test_sums_are_exact_in_any_order(xs: list[float], rng: Any) -> None:
    exact = sum(map(Fraction, xs), Fraction(0))
    rng.shuffle(xs)
    assert sum_of_array(np.array(xs, np.float64)) == exact
    assert exact_sum(xs) == exact


def test_long_sums_do_not_overflow() -> None:
    assert sum_of_array(np.full(100_000, 1e308)) == 100_000 * Fraction(1e308)
    integers = np.full(100_000, 2**63 - 1)
    assert sum_of_array(integers) == 100_000 * (2**63 - 1)
    assert sum_of_array(-integers - 1) == -100_000 * 2**63
    assert sum_of_array(np.array([10**40, -1], object)) == 10**40 - 1
    tiny = np.array([5e-324, 1e308, -1e308, 2.0**-1000])
    assert sum_of_array(tiny) == Fraction(5e-324) + Fraction(2) ** -1000
