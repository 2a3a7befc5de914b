"""ceil: the smallest integer at or above x.

Stability.  Between x and x + d lie at most ceil(d) jumps: map ceil(d).  Tight: x an integer.
In an n-vector: LInf the same; L1 ceil(d) + n - 1, because every further entry may cross a jump for
almost nothing; L2 at most d + sqrt(n) (each entry moves by less than d_i + 1; not known tight).
Integers stay where they are: 1.  Discrete entries: 1.  No linear constant exists on the reals.
Source: counting jumps between two reals.
"""

from __future__ import annotations

import math
from typing import Any

from metricdp.expr import D, ceil
from metricdp.primitives._common import range_of
from metricdp.primitives.scalars._rounding import rounded, rounding_record
from metricdp.record import Arg, Conclusion, Spelling


def rule(x: Arg) -> Conclusion:
    """A number or a vector; the result is Int."""
    return rounded("ceil", x, ceil(D), (ceil(range_of(x)[0]), ceil(range_of(x)[1])))


def step(x: Any) -> int:
    """The reference function on one rational."""
    result: int = math.ceil(x)
    return result


record = rounding_record(
    "ceil", rule, step, __doc__ or "", Spelling(numpy=("numpy.ceil", "math.ceil"))
)
