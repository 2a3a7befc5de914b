"""round: the nearest integer, halves to the even one, as Python and NumPy do.

Stability.  Each rounding error is at most 1/2: map floor(d) + 1, at d = 1 two (0.5 -> 0, 1.5 ->
2).  Tight for odd d. In an n-vector: LInf the same; L1 ceil(d) + n - 1, because every further
entry may cross a jump for almost nothing; L2 at most d + sqrt(n) (each entry moves by less than
d_i + 1; not known tight). Integers stay where they are: 1.  Discrete entries: 1.  No linear
constant exists on the reals.
Source: counting jumps between two reals.
"""

from __future__ import annotations

from metricdp.expr import D, floor
from metricdp.primitives.scalars._rounding import outward, rounding
from metricdp.record import Spelling

example = "x: dp.Real = 2.5; dp.round(x)"

columnar = "nearest_integer"
spelling = Spelling(("round",), ("numpy.round", "numpy.rint"))


rule, run, instances, tight = rounding("round", round, floor(D) + 1, outward)
