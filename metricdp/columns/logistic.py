"""The sigmoid from a table and its derivatives: no exponential, no division, no choice by sign.

Near a point p of the table, s = sigmoid(p), r = x - p: the sigmoid is s + s (1 - s) times
r + r**2 (1/2 - s) + r**3 (1/6 - v) + r**4 (1/2 - s) (1/12 - v) + ..., where v = s (1 - s), since
s' = v and v' = v (1 - 2 s).  With points 1/512 apart the next term is below 2**-56 of the first,
r is exact, and the correction is small beside s, so that the table's rounding and the last one are
nearly all of the error.

The error is below 2**-50, which proofs may use: the table's is 2**-54; that of the series, and of
rounding a correction below 2**-11 some twenty times, below 2**-58; the last addition's is 2**-54.
Beyond 16 in size the answer is that of a number below 2**-23 whose relative error is far below
2**-30, and of two subtractions.
"""

from __future__ import annotations

from typing import Any

from metricdp.columns.constants import Lookup, nearest, pattern
from metricdp.columns.exponential import exp_closely

#: Points of the table to a unit, and how far they reach.
_STEPS, _REACH = 512, 16
_BITS = 160
#: Adding it rounds to a point, whose number then stands in the last bits.
_ROUND = 1.5 * 2.0**52 / _STEPS
_FIRST = pattern(_ROUND) - _STEPS * _REACH


def _values() -> list[float]:
    """The sigmoid at -16, ..., 16, each to the nearest double."""
    one = 1 << _BITS
    step, term, k = 0, one, 0
    while term:  # e**(1 / 512)
        step += term
        k += 1
        term //= _STEPS * k
    share = one * one // step
    upper, power = [], one
    for _ in range(_STEPS * _REACH + 1):
        upper.append((one << _BITS) // (one + power))
        power = power * share >> _BITS
    return [nearest(n, _BITS) for n in (*(one - n for n in upper[:0:-1]), *upper)]


_VALUES = Lookup(_values)


def sigmoid(ops: Any, x: Any) -> Any:
    """1 / (1 + e**-x)."""

    def main(x: Any) -> Any:
        t = x + _ROUND
        r = t - _ROUND
        r -= x  # -r of the series, whose sign is turned where it is odd in r
        place = ops.bits(t)
        place -= _FIRST  # in the memory of t
        s = ops.look(_VALUES, place)
        del t, place  # what is given back early lies in the cache when it is taken again
        v = 1.0 - s
        b = v - 0.5
        v *= s
        z = r * r
        y = 1 / 12 - v
        y *= z
        y += 1.0
        y *= b
        del b
        third = 1 / 6 - v
        third *= r
        y -= third
        del third
        y *= z
        y -= r
        y *= v
        y += s
        return y

    def far(x: Any) -> Any:
        # e**-|x| is below 2**-23, and the fourth power of it nothing beside it.
        e = exp_closely(ops, -abs(x))
        e -= e * e * (1.0 - e)
        return ops.where(x < 0.0, e, 1.0 - e)

    return ops.apart(ops.up_to(x, _REACH), main, far, x)
