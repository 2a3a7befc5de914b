"""Exponentials and logarithms of rationals, rounded to the side that keeps a bound sound."""

from __future__ import annotations

import math
from fractions import Fraction

from metricdp.noise.enclose import Bounds
from metricdp.noise.kept import exp_bounds, ln_above, ln_below

_BITS = 128


def short_up(x: Fraction, bits: int = _BITS) -> Fraction:
    """A rational of `bits` significant bits at or above x; x itself if it is short already."""
    if max(x.numerator.bit_length(), x.denominator.bit_length()) <= bits:
        return x
    shift = x.numerator.bit_length() - x.denominator.bit_length() - bits
    ticks = x / Fraction(2) ** shift
    return -(-ticks.numerator // ticks.denominator) * Fraction(2) ** shift


def short_down(x: Fraction, bits: int = _BITS) -> Fraction:
    """Like `short_up`, not above x."""
    return -short_up(-x, bits)


def short(x: Bounds, bits: int = _BITS) -> Bounds:
    """The same enclosure with short ends."""
    return short_down(x[0], bits), short_up(x[1], bits)


def exp_up(x: Fraction) -> Fraction:
    """At or above e^x."""
    return exp_bounds(x, _BITS)[1]


def exp_down(x: Fraction) -> Fraction:
    """At or below e^x."""
    return exp_bounds(x, _BITS)[0]


def ln_up(x: Fraction) -> Fraction:
    """At or above ln x, x > 0."""
    return ln_above(x, _BITS)


def ln_down(x: Fraction) -> Fraction:
    """At or below ln x, x > 0."""
    return ln_below(x, _BITS)


def root_up(x: Fraction) -> Fraction:
    """At or above the square root of x >= 0; exact for squares of short rationals."""
    from metricdp.expr.elementary import root

    high = root((x, x), 2, _BITS)[1]
    assert isinstance(high, Fraction)
    return high


def double_up(x: Fraction) -> float:
    """The least double that is not below x."""
    try:
        found = float(x)
    except OverflowError:
        return math.inf if x > 0 else -1.7976931348623157e308
    return math.nextafter(found, math.inf) if Fraction(found) < x else found
