"""maximum: the larger of two values, for numbers or entry by entry.

Stability.  Two numbers: at most the larger of the two movements (a direct proof), so 1 in each and
1 together.  Containers: 1 per argument in every norm, and a number that is compared with every
entry moves all of them.  Tight: both numbers move alike.
Source: |max(x, y) - max(x', y')| <= max(|x - x'|, |y - y'|).
"""

from __future__ import annotations

from metricdp.primitives.scalars._pointwise import pointwise
from metricdp.record import Spelling

example = "x: dp.Real = 3; y: dp.Real = 4; dp.maximum(x, y)"

columnar = "maximum"
spelling = Spelling(numpy=("numpy.maximum",))
rule, run, instances, tight = pointwise("maximum")
