"""Stability maps: composition, affine form, and totals over rows."""

from __future__ import annotations

from fractions import Fraction

import pytest
from depth import depth
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from metricdp.expr import (
    INF,
    ONE,
    ZERO,
    D,
    affine,
    ceil,
    compose,
    floor,
    linear_coefficient,
    maximum,
    minimum,
    num,
    root,
    scaled_range,
    sym,
    total_over_rows,
)

A = sym("a")
N = sym("n", positive=True, integer=True)
S = sym("s", nonneg=True)


@pytest.mark.parametrize(
    ("outer", "inner", "result"),
    [
        (2 * D, 3 * D, 6 * D),
        (2 * D + 1, 3 * D, 6 * D + 1),
        (ONE, 3 * D, ONE),
        (ONE, ZERO, ZERO),
        (2 * D + 1, ZERO, ZERO),
        (ZERO, INF, ZERO),
        (S * D, INF, INF),
        (minimum(1, D), INF, ONE),
        (minimum(1, D), 2 * D, minimum(1, 2 * D)),
        (D / (D + 1), INF, INF),
        (ONE, INF, ONE),
        (INF, D, INF),
        (INF, ZERO, ZERO),
        (root(D), 4 * D, 2 * root(D)),
    ],
)
def test_composition(outer, inner, result):
    assert compose(outer, inner) == result


def test_affine_form():
    assert affine(2 * D + S) == (num(2), S)
    assert affine(S * N * D) == (S * N, ZERO)
    assert affine(D * D) is None and affine(minimum(1, D)) is None and affine(INF) is None
    assert linear_coefficient(maximum(A, 1) * D) == maximum(A, 1)
    assert linear_coefficient(ZERO) == ZERO and linear_coefficient(INF) == INF
    assert linear_coefficient(2 * D + 1) is None and linear_coefficient(D / (D + 1)) is None


@pytest.mark.parametrize(
    ("g", "discrete", "rows", "result"),
    [
        (S * D, False, None, S * D),
        (2 * D + 3, True, None, 5 * D),
        (2 * D + 3, False, None, INF),
        (2 * D + 3, False, N, 2 * D + 3 * N),
        (minimum(1, D), True, None, D),
        (minimum(1, D), False, None, D),
        (ONE, True, None, D),
        (ONE, False, N, N),
        (root(D), True, None, D),
        (root(D), False, N, root(N) * root(D)),
        (D**2, False, None, D**2),
        (ceil(D), False, None, INF),
        (ceil(D), False, N, D + N),
        (maximum(1, D), True, None, D),
        (INF, True, N, INF),
        (ZERO, False, None, ZERO),
    ],
)
def test_totals(g, discrete, rows, result):
    assert total_over_rows(g, discrete, rows) == result


MAPS = [
    2 * D + 3,
    minimum(1, D),
    minimum(2, root(D) + 1),
    maximum(1, D / 2),
    ceil(D),
    floor(D) + 1,
    D**2,
    root(D) * 3,
    2 * maximum(1, D) + minimum(D, 3) / 2,
    D / (D + 1),
    ONE,
]


@settings(max_examples=depth(66, 200), deadline=None)
@given(
    st.sampled_from(MAPS),
    st.booleans(),
    st.booleans(),
    st.lists(st.fractions(0, 6, max_denominator=4), min_size=1, max_size=5),
    st.fractions(0, 2, max_denominator=3),
)
def test_totals_bound_every_distribution_of_the_distance(g, discrete, sized, parts, spare):
    if discrete:
        parts = [part for part in parts if part == 0 or part >= 1]
    moving = [part for part in parts if part]
    assume(moving)
    total = total_over_rows(g, discrete, num(len(parts)) if sized else None)
    bound = total.upper({"d_in": sum(parts) + spare})
    reached = sum((g.lower({"d_in": part}) for part in moving), start=Fraction(0))
    assert reached <= bound


@pytest.mark.parametrize(
    ("factor", "lo", "hi", "result"),
    [
        (S, ZERO, N, (ZERO, S * N)),
        (num(-2), ZERO, INF, (-INF, ZERO)),
        (A, ZERO, INF, (-INF, INF)),
        (A, ZERO, N, (minimum(0, A * N), maximum(0, A * N))),
        (ZERO, -INF, INF, (ZERO, ZERO)),
    ],
)
def test_scaled_ranges(factor, lo, hi, result):
    assert scaled_range(factor, lo, hi) == result
