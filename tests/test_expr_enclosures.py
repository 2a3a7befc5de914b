"""Enclosures contain the value, at the asked precision, also at infinity."""

from __future__ import annotations

from fractions import Fraction
from math import inf

import mpmath
import pytest
import sympy
from depth import depth
from hypothesis import given, settings
from hypothesis import strategies as st

from metricdp.errors import ExpressionError
from metricdp.expr import (
    INF,
    ZERO,
    D,
    ceil,
    exp,
    log,
    maximum,
    minimum,
    num,
    power,
    root,
    sum_over,
    sym,
    tanh,
)
from metricdp.expr.enclosures import enclose

X = sym("x")
P = sym("p", positive=True)
POSITIVE = st.fractions(Fraction(1, 1000), 1000, max_denominator=1000)
FUNCTIONS = [
    (root(P), sympy.sqrt),
    (root(P, 3), sympy.cbrt),
    (P ** num("-3/2"), lambda v: v ** sympy.Rational(-3, 2)),
    (exp(-P), lambda v: sympy.exp(-v)),
    (exp(P / 7), lambda v: sympy.exp(v / 7)),
    (log(P), sympy.log),
    (tanh(P), sympy.tanh),
    (log(1 + exp(P)) - P, lambda v: sympy.log(1 + sympy.exp(v)) - v),
    (power(P, X), None),
]


@pytest.mark.parametrize(("expr", "oracle"), FUNCTIONS[:-1], ids=lambda v: str(v)[:20])
@settings(max_examples=depth(12, 25), deadline=None)
@given(value=POSITIVE, bits=st.sampled_from([32, 64, 150]))
def test_enclosures_contain_the_value(expr, oracle, value, bits):
    low, high = expr.enclose({"p": value}, bits)
    # The oracle carries 120 digits more than the enclosure can.
    exact = oracle(sympy.Rational(value.numerator, value.denominator))
    close = Fraction(str(sympy.N(exact, 620)))
    tiny = abs(close) * Fraction(1, 10**600)
    assert low <= close + tiny and close - tiny <= high
    # log(1 + exp(p)) - p cancels up to p/log(2) bits.
    lost = 0 if "log" not in str(expr) else 1500
    assert high - low <= abs(close) * Fraction(2) ** (lost + 3 - bits)


@pytest.mark.parametrize("value", [2, Fraction(1, 3), 10**30, Fraction(1, 10**30)])
def test_powers_with_irrational_exponent(value):
    low, high = power(P, root(2) * X).enclose({"p": value, "x": 1}, 100)
    exact = sympy.Rational(Fraction(value).numerator, Fraction(value).denominator) ** sympy.sqrt(2)
    close = Fraction(str(sympy.N(exact, 200)))
    assert low <= close <= high and high - low < close * Fraction(1, 2**80)


@pytest.mark.parametrize("value", [Fraction(1, 10**40), Fraction(7, 10**12)])
def test_relative_precision_where_terms_cancel_inside_a_function(value):
    for expr in (log(1 + P), tanh(P)):
        low, high = expr.enclose({"p": value})
        assert 0 < low <= high <= low * (1 + Fraction(1, 2**55))


def test_exact_where_the_value_is_rational():
    assert root(P).exact({"p": Fraction(9, 4)}) == Fraction(3, 2)
    assert (root(P) * root(2)).exact({"p": 2}) == 2
    assert root(P).exact({"p": 2}) is None
    assert num(0.1).exact({}) == Fraction(0.1)
    assert exp(X).exact({"x": 0}) == 1


def test_infinite_values():
    assert (2 * D).enclose({"d_in": inf}) == (inf, inf)
    assert minimum(1, D).enclose({"d_in": inf}) == (1, 1)
    assert (X * D).enclose({"d_in": inf, "x": 0}) == (0, 0)
    assert exp(-D).enclose({"d_in": inf}) == (0, 0)
    assert INF.upper({}) == inf and (-INF).lower({}) == -inf
    low, high = (D / (D + 1)).enclose({"d_in": inf})
    assert low <= 1 <= high
    low, high = (D - root(D)).enclose({"d_in": inf})
    assert high == inf


def test_overflow_is_a_bound_and_not_an_error():
    low, high = exp(X).enclose({"x": 10**9})
    assert low > 10**1000 and high == inf
    low, high = exp(-X).enclose({"x": 10**9})
    assert low == 0 and 0 < high < Fraction(1, 10**1000)
    low, high = power(P, X).enclose({"p": Fraction(11, 10), "x": 10**6})
    assert 0 < high - low < low * Fraction(1, 2**50)


@pytest.mark.parametrize(
    ("expr", "env", "name"),
    [
        (X + P, {"x": 1}, "p"),
        (1 / (X + 1), {"x": -1}, "zero"),
        (root(X), {"x": -1}, "root"),
        (log(X), {"x": -1}, "log"),
        (X, {"x": float("nan")}, "NaN"),
    ],
)
def test_no_value_is_a_typed_error(expr, env, name):
    with pytest.raises(ExpressionError, match=name):
        expr.enclose(env)


def test_max_and_sums_of_enclosures():
    assert maximum(X, root(P)).enclose({"x": 1, "p": 4}) == (2, 2)
    assert (ZERO * P).enclose({}) == (0, 0)


@settings(max_examples=depth(75, 150), deadline=None)
@given(
    st.fractions(-3000, 3000, max_denominator=10**12),
    st.integers(0, 100),
    st.sampled_from([8, 64, 136, 192]),
)
def test_short_exponentials_hold_and_are_narrow(x, shrunk, bits):
    """Fixed point with a table: against mpmath at 800 bits, near 0 too."""
    from metricdp.expr.elementary import exponential

    x = x / 2**shrunk
    low, high = exponential(x, bits)
    with mpmath.workprec(800):
        truth = mpmath.exp(mpmath.mpf(x.numerator) / x.denominator)
        below, above = (mpmath.mpf(e.numerator) / e.denominator for e in (low, high))
        assert below <= truth <= above
        assert (above - below) / truth < mpmath.mpf(2) ** -bits


@settings(max_examples=depth(50, 100), deadline=None)
@given(st.fractions(0, 50, max_denominator=10**6), st.floats(2**-52, 1))
def test_upper_bounds_rise_with_the_distance(x, share):
    """To one part in 2**52, the spacing of doubles, and much finer."""
    farther = x + (x + 1) * Fraction(share)
    for expr in (exp(P), tanh(P), P * tanh(P / 2), P - 1 + exp(-P)):
        assert expr.upper({"p": x}) <= expr.upper({"p": farther})


def test_a_sum_to_a_root_that_is_nearly_whole_encloses_both_counts() -> None:
    n = sym("n", nonneg=True, integer=True)
    step = sym("step", nonneg=True, integer=True)
    top = ceil(root(n * n + n * n, 2) / root(num(2), 2))  # n, behind two roots
    total = sum_over(step + 1, "step", ZERO, top - 1)
    low, high = enclose(total, {"n": Fraction(3)}, 64)
    assert low <= 6 <= high <= 10
