"""Arithmetic on enclosures of nonnegative reals, and the functions and constants that laws need.

The arctangent is Euler's series, all of whose terms are positive (Introductio in analysin
infinitorum II; see Chien Chih Hwang, Math. Gazette 89, 2005):
  atan(x) = x / (1 + x**2) * sum over n of t**n prod_{k=1..n} 2k / (2k + 1),  t = x**2 / (1 + x**2).
For 0 < x <= 1 every term is at most half the one before, so twice the first term that is left out
bounds the rest.
"""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from math import isqrt

from metricdp.expr.elementary import root as root_of
from metricdp.expr.normal import erfc
from metricdp.expr.reduced import dyadic
from metricdp.noise.enclose import Bounds
from metricdp.noise.kept import ln_above, ln_below, ln_bounds

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
        dyadic((x[0].numerator << bits) // x[0].denominator, bits),
        dyadic(-((-x[1].numerator << bits) // x[1].denominator), bits),
    )


def significant(x: Bounds, bits: int = GRID) -> Bounds:
    """As `outward` for nonnegative ends, each moved by at most 2**-bits of itself."""
    return _shortened(x[0], bits, up=False), _shortened(x[1], bits, up=True)


def _shortened(x: Fraction, bits: int, *, up: bool) -> Fraction:
    # 2**(size - 1) < x < 2**(size + 1).
    size = x.numerator.bit_length() - x.denominator.bit_length()
    places = max(bits, bits + 1 - size)
    top = x.numerator << places
    return dyadic(-(-top // x.denominator) if up else top // x.denominator, places)


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
    if x[0] == x[1]:
        return ln_bounds(x[0])
    return ln_below(x[0]), ln_above(x[1])


def root(x: Bounds, bits: int = GRID) -> Bounds:
    """Square root of a nonnegative enclosure."""
    low, high = outward(x, 2 * bits)
    scaled = 1 << (2 * bits)
    return (
        dyadic(isqrt(int(low * scaled)), bits),
        dyadic(isqrt(int(high * scaled)) + 1, bits),
    )


_ARCTANGENT_BITS = 192


@lru_cache(maxsize=1024)
def arctangent(x: Fraction) -> Bounds:
    """atan(x) for x >= 0, of relative width about 2**-180."""
    if not x:
        return Fraction(0), Fraction(0)
    if x > 1:
        low, high = subtract((PI[0] / 2, PI[1] / 2), arctangent(1 / x))
        return low, high
    square = x * x
    t = outward((square / (1 + square),) * 2, _ARCTANGENT_BITS)
    first = x / (1 + square)
    return first * _series(t[0], up=False), first * _series(t[1], up=True)


def _series(t: Fraction, *, up: bool) -> Fraction:
    """The sum at t <= 1/2, rounded to one side in integers."""
    step, unit = int(t * (1 << _ARCTANGENT_BITS)), 1 << _ARCTANGENT_BITS
    term, total, n = unit, 0, 0
    while term:
        total += term
        n += 1
        top, bottom = term * step * 2 * n, (2 * n + 1) << _ARCTANGENT_BITS
        term = -(-top // bottom) if up else top // bottom
        if up and term <= 4:
            break
    return Fraction(total + 2 * term, unit) if up else Fraction(total, unit)


_TAIL_BITS = 136


@lru_cache(maxsize=4096)
def normal_tail(t: Fraction) -> Bounds:
    """P(N(0, 1) >= t) = erfc(t / sqrt 2) / 2; relative width about 2**-128."""
    half = t * t / 2
    # An error of t counts t times as much in the tail.
    low, high = root_of((half, half), 2, _TAIL_BITS + 2 * int(abs(t)).bit_length())
    found = erfc((low, high) if t >= 0 else (-high, -low), _TAIL_BITS)
    assert isinstance(found[0], Fraction) and isinstance(found[1], Fraction)
    return found[0] / 2, found[1] / 2
