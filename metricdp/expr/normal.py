"""The complementary error function of rational enclosures: tails of the normal law.

erfc(x) = 2 P(N(0, 1) >= x sqrt 2), rounded outward with relative precision also far out.  Two
formulas, both for x > 0 in fixed point:

  1 - 2 exp(-x**2) / sqrt(pi) * sum over k of 2**k x**(2k+1) / (1 * 3 * ... * (2k+1)),
with positive terms; the difference loses x**2 log2(e) bits, which are computed beside those asked;

  exp(-x**2) / (x sqrt(pi)) * sum over k of (-1)**k (1 * 3 * ... * (2k-1)) / (2 x**2)**k,
whose partial sums lie on alternating sides of the value, so two of them enclose it.  Its terms fall
down to exp(-x**2), which is precise enough once x**2 log2(e) exceeds the bits asked for.

Source: Abramowitz and Stegun (1964), 7.1.6 and 7.1.23; DLMF 7.12.1 for the remainder.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt

from metricdp.expr.core import Interval, Value
from metricdp.expr.elementary import exp, outward

_GUARD = 32


def erfc(value: Interval, bits: int) -> Interval:
    """Complementary error function of an enclosure; relative width about 2**-bits."""
    return _erfc(value[1], bits, up=False), _erfc(value[0], bits, up=True)


def _erfc(x: Value, bits: int, up: bool) -> Fraction:
    if isinstance(x, float):
        return Fraction(0) if x > 0 else Fraction(2)
    if x == 0:
        return Fraction(1)
    if x < 0:
        return 2 - _erfc(-x, bits, not up)
    square = x * x
    far = 4 * square > 3 * (bits + _GUARD)  # log2(e) > 4/3
    # x is rounded to a fixed point; an error of it counts 2 x times as much in erfc.
    places = bits + _GUARD + 2 * int(x).bit_length()
    if not far:
        places += int(3 * square / 2)  # log2(e) < 3/2
    places += -places % 64  # roots of pi are kept for these
    top = x.numerator << places
    t = top // x.denominator if up else -(-top // x.denominator)
    if t == 0:
        return Fraction(1)
    return outward((_far if far else _near)(t, places)[up], bits, up)


@lru_cache(maxsize=4096)
def _near(t: int, places: int) -> tuple[Fraction, Fraction]:
    """erfc(t / 2**places) by the series of erf."""
    low, high, sum_low, sum_high, k = t, t, 0, 0, 1
    square = 2 * t * t
    while high > 1 or 2 * square > (k + 2) << (2 * places):
        sum_low, sum_high = sum_low + low, sum_high + high
        k += 2
        low = (low * square >> 2 * places) // k
        high = -((-high * square >> 2 * places) // k)
    # The terms fall at least by half from here on.
    sum_high += 2 * high + 2
    density = _density(t, places)
    root_low, root_high = _root_of_pi(places)
    below = 2 * density[0] * sum_low / root_high
    above = 2 * density[1] * sum_high / root_low
    return max(Fraction(0), 1 - above), min(Fraction(1), 1 - below)


@lru_cache(maxsize=4096)
def _far(t: int, places: int) -> tuple[Fraction, Fraction]:
    """erfc(t / 2**places) by the alternating series."""
    unit = 1 << places
    square = 2 * t * t
    low = high = unit
    sum_low = sum_high = unit
    sign, k = -1, 1
    while True:
        # (2k - 1) / (2 x**2) times the term before.
        top = (2 * k - 1) << (2 * places)
        low, high = low * top // square, -(-high * top // square)
        before = sum_low, sum_high
        if sign < 0:
            sum_low, sum_high = sum_low - high, sum_high - low
        else:
            sum_low, sum_high = sum_low + low, sum_high + high
        if high <= 2 or top > square:
            break
        sign, k = -sign, k + 1
    # The value lies between two partial sums in a row.
    bottom, ceiling = min(before[0], sum_low), max(before[1], sum_high)
    density = _density(t, places)
    root_low, root_high = _root_of_pi(places)
    return (
        density[0] * Fraction(max(0, bottom) << places, t) / root_high,
        density[1] * Fraction(ceiling << places, t) / root_low,
    )


def _density(t: int, places: int) -> tuple[Fraction, Fraction]:
    """exp(-(t / 2**places)**2)."""
    point = -Fraction(t * t, 1 << (2 * places))
    low, high = exp((point, point), places)
    assert isinstance(low, Fraction) and isinstance(high, Fraction)
    return low, high


@lru_cache(maxsize=64)
def _root_of_pi(places: int) -> tuple[int, int]:
    """sqrt(pi) * 2**places, below and above."""
    return isqrt(pi_fixed(2 * places) - 1), isqrt(pi_fixed(2 * places) + 1) + 1


@lru_cache(maxsize=64)
def pi_fixed(bits: int) -> int:
    """An integer within 1 of pi * 2**bits: pi = 16 atan(1/5) - 4 atan(1/239) (Machin 1706)."""
    wide = bits + _GUARD
    return (16 * _arctangent(5, wide) - 4 * _arctangent(239, wide)) >> _GUARD


def _arctangent(n: int, bits: int) -> int:
    """atan(1/n) * 2**bits, off by fewer units than there are terms, below bits."""
    power, total, k = (1 << bits) // n, 0, 0
    while power:
        term = power // (2 * k + 1)
        total += -term if k % 2 else term
        power //= n * n
        k += 1
    return total
