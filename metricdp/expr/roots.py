"""Rational roots of rationals, from below and from above."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

#: Irrational results are rational to this many bits after the point.
BITS = 120


def root_below(x: Fraction, bits: int = BITS) -> Fraction:
    """A rational at or below sqrt(x), by less than 2**-bits; exact for squares; 0 for x <= 0."""
    if x <= 0:
        return Fraction(0)
    n, m = isqrt(x.numerator), isqrt(x.denominator)
    if n * n == x.numerator and m * m == x.denominator:
        return Fraction(n, m)
    return Fraction(isqrt((x.numerator << 2 * bits) // x.denominator), 1 << bits)


def root_above(x: Fraction, bits: int = BITS) -> Fraction:
    """A rational at or above sqrt(x), by less than 2**-bits."""
    low = root_below(x, bits)
    return low if low * low == max(x, 0) else low + Fraction(1, 1 << bits)
