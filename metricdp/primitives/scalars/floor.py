"""floor: the largest integer at or below x.

Stability.  Between x and x + d lie at most ceil(d) jumps: map ceil(d).  Tight: x an integer.
In an n-vector: LInf the same; L1 ceil(d) + n - 1, because every further entry may cross a jump for
almost nothing; L2 at most d + sqrt(n) (each entry moves by less than d_i + 1; not known tight).
Integers stay where they are: 1.  Discrete entries: 1.  No linear constant exists on the reals.
Source: counting jumps between two reals.
"""

from __future__ import annotations

import math

from metricdp.expr import D, ceil, floor
from metricdp.primitives._common import range_of
from metricdp.primitives.scalars._rounding import rounded, rounding
from metricdp.record import Arg, Conclusion, Spelling

spelling = Spelling(numpy=("numpy.floor", "math.floor"))


def rule(x: Arg) -> Conclusion:
    """A number or a vector; the result is Int."""
    return rounded("floor", x, ceil(D), (floor(range_of(x)[0]), floor(range_of(x)[1])))


run, instances, tight = rounding("floor", math.floor)
