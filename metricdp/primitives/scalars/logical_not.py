"""logical_not: `not` on private Booleans.

Stability.  Booleans are at distance 1 or 0, so any function of them is 1-stable per argument.
Tight: negation turns every Boolean around.
Source: a function between spaces of diameter 1 and least distance 1.
"""

from __future__ import annotations

from typing import Any

from metricdp.primitives.scalars._logic import logical, logical_cases
from metricdp.record import Arg, Conclusion, Spelling

example = "x: dp.Bool = True; dp.logical_not(x)"

columnar = "negated"
spelling = Spelling(("not",), ("numpy.logical_not",))


def rule(x: Arg) -> Conclusion:
    """Private Booleans."""
    return logical("not", {"x": x})


def run(x: Any) -> bool:
    """Python's own meaning."""
    return not x


instances, tight = logical_cases("not")
