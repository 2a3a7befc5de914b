"""Arithmetic on enclosures of nonnegative reals, and the few constants that laws need."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import isqrt

from metricdp.noise.enclose import Bounds, ln_bounds

#: pi to 80 decimals, truncated (OEIS A000796).
_PI = Fraction(
    Decimal("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899")
)
PI: Bounds = (_PI, _PI + Fraction(1, 10**80))
ZERO: Bounds = (Fraction(0), Fraction(0))
ONE: Bounds = (Fraction(1), Fraction(1))
#: Denominators of results: 2**-GRID is far below what any caller compares.
GRID = 320


def outward(x: Bounds, bits: int = GRID) -> Bounds:
    """The same enclosure with short denominators, a little wider."""
    return (
        Fraction((x[0].numerator << bits) // x[0].denominator, 1 << bits),
        Fraction(-((-x[1].numerator << bits) // x[1].denominator), 1 << bits),
    )


def significant(x: Bounds, bits: int = GRID) -> Bounds:
    """As `outward` for nonnegative ends, each moved by at most 2**-bits of itself."""
    return _shortened(x[0], bits, up=False), _shortened(x[1], bits, up=True)


def _shortened(x: Fraction, bits: int, *, up: bool) -> Fraction:
    # 2**(size - 1) < x < 2**(size + 1).
    size = x.numerator.bit_length() - x.denominator.bit_length()
    places = max(bits, bits + 1 - size)
    top = x.numerator << places
    return Fraction(-(-top // x.denominator) if up else top // x.denominator, 1 << places)


def point(x: Fraction | int) -> Bounds:
    """The enclosure of a rational."""
    return Fraction(x), Fraction(x)


def add(*terms: Bounds) -> Bounds:
    """Sum."""
    return sum((t[0] for t in terms), Fraction(0)), sum((t[1] for t in terms), Fraction(0))


def subtract(x: Bounds, y: Bounds) -> Bounds:
    """Difference."""
    return x[0] - y[1], x[1] - y[0]


def times(x: Bounds, y: Bounds) -> Bounds:
    """Product of nonnegative enclosures."""
    return x[0] * y[0], x[1] * y[1]


def over(x: Bounds, y: Bounds) -> Bounds:
    """Quotient of nonnegative enclosures; the divisor is positive."""
    return x[0] / y[1], x[1] / y[0]


def positive_part(x: Bounds) -> Bounds:
    """max(0, x)."""
    return max(Fraction(0), x[0]), max(Fraction(0), x[1])


def hull(x: Bounds, y: Bounds) -> Bounds:
    """Enclosure of max(x, y)."""
    return max(x[0], y[0]), max(x[1], y[1])


def log(x: Bounds) -> Bounds:
    """Logarithm of a positive enclosure."""
    return ln_bounds(x[0])[0], ln_bounds(x[1])[1]


def root(x: Bounds, bits: int = GRID) -> Bounds:
    """Square root of a nonnegative enclosure."""
    low, high = outward(x, 2 * bits)
    scaled = 1 << (2 * bits)
    return (
        Fraction(isqrt(int(low * scaled)), 1 << bits),
        Fraction(isqrt(int(high * scaled)) + 1, 1 << bits),
    )
