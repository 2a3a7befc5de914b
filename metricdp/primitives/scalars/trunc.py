"""trunc: the integer part of x, towards 0, Python's int(x).

Stability.  Between x and x + d lie at most ceil(d) jumps: map ceil(d).  Tight: x an integer.
In an n-vector: LInf the same; L1 ceil(d) + n - 1, because every further entry may cross a jump for
almost nothing; L2 at most d + sqrt(n) (each entry moves by less than d_i + 1; not known tight).
Integers stay where they are: 1.  Discrete entries: 1.  No linear constant exists on the reals.
Source: counting jumps between two reals.
"""

from __future__ import annotations

import math

from metricdp.expr import D, ceil
from metricdp.primitives.scalars._rounding import outward, rounding
from metricdp.record import Spelling

example = "x: dp.Real = -2.5; dp.trunc(x)"

columnar = "trunc"
spelling = Spelling(("int",), ("numpy.trunc", "math.trunc"))


rule, run, instances, tight = rounding("trunc", math.trunc, ceil(D), outward)
