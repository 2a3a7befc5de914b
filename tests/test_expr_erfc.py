"""The complementary error function in expressions: enclosures, facts, text, substitution."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import mpmath
import pytest
import sympy
from depth import depth
from hypothesis import given, settings
from hypothesis import strategies as st

from metricdp.expr import (
    INF,
    ONE,
    ZERO,
    D,
    compare,
    erfc,
    maximum,
    minimum,
    normal_tail,
    num,
    parse,
    sym,
)
from metricdp.laws.interval import normal_tail as enclosed_tail

SIGMA = sym("sigma", positive=True)
LEVEL = sym("T", positive=True)
TAIL = normal_tail((LEVEL - 1) / SIGMA)


def truth(x: Fraction) -> Fraction:
    """erfc by another library, to 600 bits beside those that cancel."""
    with mpmath.workprec(700 + 3 * int(x * x)):
        man, exponent = mpmath.erfc(mpmath.mpf(x.numerator) / x.denominator).man_exp
    return Fraction(man) * Fraction(2) ** exponent


@pytest.mark.parametrize("bits", [64, 128, 512])
@pytest.mark.parametrize(
    "x", ["0", "1/10**30", "1/3", "1", "7/2", "6", "8", "9", "10", "15", "54", "-1/7", "-9"]
)
def test_enclosures_hold_and_are_narrow(x: str, bits: int) -> None:
    value = Fraction(1, 10**30) if "**" in x else Fraction(x)
    low, high = erfc(sym("p")).enclose({"p": value}, bits)
    exact, slack = truth(value), Fraction(1, 2**590)
    assert low <= exact * (1 + slack) and exact * (1 - slack) <= high
    assert high - low <= exact / 2 ** (bits - 4) or (value < 0 and high - low <= 1 / 2**bits)


@given(st.fractions(-40, 40, max_denominator=10**6), st.fractions(0, 1, max_denominator=10**6))
@settings(max_examples=depth(30, 60), deadline=None)
def test_it_falls_and_its_halves_are_the_normal_tail(x: Fraction, step: Fraction) -> None:
    here, there = enclosed_tail(x), enclosed_tail(x + step)
    assert there[0] <= here[1] and 0 <= there[0] <= there[1] <= 1
    low, high = normal_tail(num(x)).enclose({}, 128)
    assert low <= here[1] and here[0] <= high
    mirrored = enclosed_tail(-x)
    assert here[0] + mirrored[0] <= 1 <= here[1] + mirrored[1]


def test_far_tails_fall_without_a_jump() -> None:
    """Beyond forty standard deviations too: a delta may not rise with its threshold."""
    found = [enclosed_tail(Fraction(k, 4)) for k in range(100, 600)]
    assert all(a[1] > b[1] for a, b in pairwise(found[:200]))
    assert all(a[1] >= b[1] for a, b in pairwise(found))


def test_known_values_and_limits() -> None:
    assert erfc(0) == ONE and normal_tail(0) == num("1/2")
    assert erfc(INF) == ZERO and erfc(-INF) == num(2)
    assert TAIL.subs({"T": INF}) == ZERO
    at_two = normal_tail(num(2)).upper({})
    assert float(at_two) == pytest.approx(0.022750131948179207, rel=1e-14)


def test_signs_follow_from_its_range_and_its_fall() -> None:
    assert compare(TAIL, ">", ZERO) is True and compare(TAIL, "<", ONE) is True
    assert compare(normal_tail(LEVEL), "<=", num("1/2")) is True
    assert compare(3 * TAIL, "<", num(3)) is True
    assert compare(3 * TAIL, "<", ONE) is None, "it depends on T and sigma"
    farther = normal_tail((LEVEL + 1) / SIGMA)
    assert compare(farther, "<=", TAIL) is True and compare(TAIL, "<", farther) is False
    assert maximum(TAIL, farther) == TAIL and minimum(TAIL, farther) == farther
    other = normal_tail(LEVEL / sym("b", positive=True))
    assert compare(other, "<=", TAIL) is None
    assert compare(normal_tail(num(3)), "<", normal_tail(num(2))) is True


def test_text_is_read_back_here_and_by_sympy() -> None:
    some = 1 - (1 - TAIL) ** D
    for expr in (TAIL, 3 * TAIL, some, TAIL**2 * D):
        assert parse(str(expr), {"T": LEVEL, "sigma": SIGMA}) == expr
        theirs = sympy.sympify(str(expr)).subs({"T": 4, "sigma": 2, "d_in": 3}).evalf(20)
        ours = expr.upper({"T": 4, "sigma": 2, "d_in": 3})
        assert abs(Fraction(str(theirs)) - Fraction(ours)) < Fraction(1, 10**15)
    assert some.subs({"d_in": ONE}) == TAIL


def test_repeated_sums_and_extremes_stay_small() -> None:
    """Rounds of a release with symbolic noise: one atom, however often it is added or compared."""
    cost = TAIL
    for _ in range(30):
        cost = maximum(cost + TAIL, cost, minimum(ONE + cost, cost + TAIL))
    assert cost == 31 * TAIL
