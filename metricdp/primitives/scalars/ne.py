"""ne: x != y, a Bool, or Bools entry by entry.

Stability.  Different integers, Booleans or data have distance at least 1 and the result moves by at
most 1: the constant 1 per argument, entry by entry.  On reals infinite: an arbitrarily small step
turns the comparison around.  A value that is missing is one more value, which equals no other.
Tight: step across the threshold.
Source: a function from a space with least distance m to diameter w is w/m-stable.
"""

from __future__ import annotations

from metricdp.primitives import _exact
from metricdp.primitives.scalars._compare import comparison, in_columns
from metricdp.record import Spelling

example = "x: dp.Int = 3; dp.ne(x, 3)"

columnar = in_columns("ne")
spelling = Spelling(("!=",), ("numpy.not_equal",))
rule, run, instances, tight = comparison("!=", lambda x, y: not _exact.same(x, y))
