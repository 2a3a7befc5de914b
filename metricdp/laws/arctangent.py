"""The arctangent of a rational, enclosed with relative precision.

Euler's series, all of whose terms are positive (Introductio in analysin infinitorum II; see Chien
Chih Hwang, Math. Gazette 89, 2005):
  atan(x) = x / (1 + x**2) * sum over n of t**n prod_{k=1..n} 2k / (2k + 1),  t = x**2 / (1 + x**2).
For 0 < x <= 1 every term is at most half the one before, so twice the first term that is left out
bounds the rest.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from metricdp.laws.interval import PI, outward, subtract
from metricdp.noise.enclose import Bounds

_BITS = 192


@lru_cache(maxsize=1024)
def arctangent(x: Fraction) -> Bounds:
    """atan(x) for x >= 0, of relative width about 2**-180."""
    if not x:
        return Fraction(0), Fraction(0)
    if x > 1:
        low, high = subtract((PI[0] / 2, PI[1] / 2), arctangent(1 / x))
        return low, high
    square = x * x
    t = outward((square / (1 + square),) * 2, _BITS)
    first = x / (1 + square)
    return first * _series(t[0], up=False), first * _series(t[1], up=True)


def _series(t: Fraction, *, up: bool) -> Fraction:
    """The sum at t <= 1/2, rounded to one side in integers."""
    step, unit = int(t * (1 << _BITS)), 1 << _BITS
    term, total, n = unit, 0, 0
    while term:
        total += term
        n += 1
        top, bottom = term * step * 2 * n, (2 * n + 1) << _BITS
        term = -(-top // bottom) if up else top // bottom
        if up and term <= 4:
            break
    return Fraction(total + 2 * term, unit) if up else Fraction(total, unit)
