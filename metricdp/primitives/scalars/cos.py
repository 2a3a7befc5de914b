"""cos: the cosine, of a number or of every entry.

Stability.  The derivative is at most 1 in size: 1-stable in every norm; results lie in [-1, 1].
Approached near 11, close to 7 pi / 2 by small steps.  On discrete entries 1.
Exact numbers beyond (2**2048 + 1/2) pi, a zero, count as that zero.
Source: mean value theorem.
"""

from __future__ import annotations

from metricdp.expr import ONE
from metricdp.primitives.scalars._smooth import cosine, smooth
from metricdp.record import Spelling

example = "x: dp.Real = 0; dp.cos(x)"

columnar = "cos"
spelling = Spelling(numpy=("numpy.cos", "math.cos"))

rule, run, instances, tight = smooth("cos", ONE, cosine, lambda a: (-ONE, ONE), start=11)
