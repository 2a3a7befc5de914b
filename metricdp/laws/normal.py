"""The upper tail of the normal law, enclosed with relative precision also far out."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from metricdp.expr.elementary import root
from metricdp.expr.normal import erfc
from metricdp.noise.enclose import Bounds

_BITS = 136


@lru_cache(maxsize=4096)
def normal_tail(t: Fraction) -> Bounds:
    """P(N(0, 1) >= t) = erfc(t / sqrt 2) / 2; relative width about 2**-128."""
    half = t * t / 2
    # An error of t counts t times as much in the tail.
    low, high = root((half, half), 2, _BITS + 2 * int(abs(t)).bit_length())
    found = erfc((low, high) if t >= 0 else (-high, -low), _BITS)
    assert isinstance(found[0], Fraction) and isinstance(found[1], Fraction)
    return found[0] / 2, found[1] / 2
