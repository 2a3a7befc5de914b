"""The upper tail of the normal law, enclosed with relative precision also far out.

P(N >= t) = 1/2 - phi(t) S(t) for t >= 0, S(t) = sum over k of t**(2k+1) / (1 * 3 * ... * (2k+1)),
all terms positive (Marsaglia 2004); the sum is rounded down and up in integers of so many bits
that the difference keeps 128 of them.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt

from metricdp.noise.circle import pi_fixed
from metricdp.noise.enclose import Bounds, exp_bounds

_BITS = 160
#: Beyond this many standard deviations only the bound exp(-t**2 / 2) / 2 is given.
_FAR = 40


def normal_tail(t: Fraction) -> Bounds:
    """P(N(0, 1) >= t); relative width about 2**-128 up to t = 40."""
    if t < 0:
        low, high = normal_tail(-t)
        return 1 - high, 1 - low
    if t > _FAR:
        return Fraction(0), exp_bounds(-t * t / 2)[1] / 2
    # Below t, P is at most e**(t**2 / 2) times smaller than 1: so many bits cancel.
    bits = _BITS + int(t * t) + 8
    below = t.numerator * (1 << bits) // t.denominator
    exact = below * t.denominator == t.numerator << bits
    return _tail(below if exact else below + 1, bits)[0], _tail(below, bits)[1]


@lru_cache(maxsize=4096)
def _tail(t: int, bits: int) -> Bounds:
    """P(N >= t / 2**bits)."""
    unit = 1 << bits
    low, high, sum_low, sum_high, k = t, t, 0, 0, 1
    square = t * t
    while high > 1 or 2 * square > k << (2 * bits):
        sum_low, sum_high = sum_low + low, sum_high + high
        k += 2
        low = (low * square >> 2 * bits) // k
        high = -((-high * square >> 2 * bits) // k)
    # The terms fall at least by half from here on.
    sum_high += 2 * high + 2
    x = Fraction(t, unit)
    density = exp_bounds(-x * x / 2, bits)
    root_low = isqrt(2 * (pi_fixed(2 * bits) - 1))
    root_high = isqrt(2 * (pi_fixed(2 * bits) + 1)) + 1
    low_part = density[0] * sum_low / root_high
    high_part = density[1] * sum_high / root_low
    half = Fraction(1, 2)
    return max(Fraction(0), half - high_part), half - low_part
