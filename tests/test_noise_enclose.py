"""Enclosures contain the number, to the precision that was asked for."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

from metricdp.noise import enclose, kept
from metricdp.noise.enclose import exp_bounds, exp_fixed, ln_bounds

POINTS = [
    Fraction(1, 10**30),
    Fraction(1, 3),
    Fraction(1),
    Fraction(22, 7),
    Fraction(1000, 3),
    Fraction(10**4) + Fraction(1, 7),
]


def reference(function, x: Fraction) -> Fraction:
    """The value to 400 digits."""
    with mpmath.workdps(400):
        value = function(mpmath.mpf(x.numerator) / x.denominator)
        sign, man, exponent, _ = value._mpf_
        return (-1) ** sign * Fraction(int(man)) * Fraction(2) ** exponent


@pytest.mark.parametrize("x", [*POINTS, *(-x for x in POINTS)], ids=float)
@pytest.mark.parametrize("bits", [10, 64, 200])
def test_exp(x, bits):
    low, high = exp_bounds(x, bits)
    value = reference(mpmath.exp, x)
    assert low < value < high
    assert (high - low) / value < Fraction(1, 2**bits)


@pytest.mark.parametrize("x", POINTS, ids=float)
@pytest.mark.parametrize("bits", [10, 64, 200])
def test_ln(x, bits):
    low, high = ln_bounds(x, bits)
    value = reference(mpmath.log, x)
    assert low <= value <= high
    assert high - low < Fraction(1, 2**bits) * (2 + abs(value))


@pytest.mark.parametrize("x", [Fraction(0), *POINTS, Fraction(10**40)], ids=float)
@pytest.mark.parametrize("bits", [1, 64, 300])
def test_exp_fixed(x, bits):
    low, high = exp_fixed(-x, bits)
    assert 0 <= low <= high <= low + 3
    value = reference(mpmath.exp, -x) if x < 10**9 else Fraction(0)
    assert low <= value * 2**bits <= high


def test_ln_next_to_one_is_short():
    """A number that rounds to 1 has logarithm bounds with short denominators."""
    for x in (1 + Fraction(1, 10**99), 1 - Fraction(1, 10**99)):
        low, high = ln_bounds(x, 64)
        assert low <= 0 <= high
        assert high - low < Fraction(1, 2**60)
        assert low.denominator.bit_length() < 200 and high.denominator.bit_length() < 200


def test_ends():
    assert exp_bounds(Fraction(0)) == (1, 1)
    assert ln_bounds(Fraction(1)) == (0, 0)
    low, high = exp_bounds(Fraction(-(10**9)))
    assert low == 0 < high < Fraction(1, 10**8000)
    with pytest.raises(OverflowError):
        exp_bounds(Fraction(10**16))


@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(1), Fraction(5, 4), Fraction(10**40, 7)])
def test_one_end_of_a_logarithm_is_that_of_both(x: Fraction) -> None:
    assert enclose.ln_bounds(x, 96) == (enclose.ln_below(x, 96), enclose.ln_above(x, 96))
    assert enclose.ln_bounds(x, 96) == kept.ln_bounds(x, 96)
