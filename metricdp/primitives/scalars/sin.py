"""sin: the sine, of a number or of every entry.

Stability.  The derivative is at most 1 in size: 1-stable in every norm; results lie in [-1, 1].
Approached near 0 by small steps.  On discrete entries 1.
Exact numbers beyond 2**2048 pi, a zero, count as that zero.
Source: mean value theorem.
"""

from __future__ import annotations

from metricdp.expr import ONE
from metricdp.primitives.scalars._smooth import sine, smooth
from metricdp.record import Spelling

example = "x: dp.Real = 0; dp.sin(x)"

columnar = "sin"
spelling = Spelling(numpy=("numpy.sin", "math.sin"))

rule, run, instances, tight = smooth("sin", ONE, sine, lambda a: (-ONE, ONE), start=0)
