"""logical_or: `or` on private Booleans.

Stability.  Booleans are at distance 1 or 0, so any function of them is 1-stable per argument.
Tight: with a public False the result is the other operand.
Source: a function between spaces of diameter 1 and least distance 1.
"""

from __future__ import annotations

from typing import Any

from metricdp.primitives.scalars._logic import logical, logical_cases
from metricdp.record import Arg, Conclusion, Spelling

example = "x: dp.Bool = True; y: dp.Bool = False; dp.logical_or(x, y)"

columnar = "either"
spelling = Spelling(("or",), ("numpy.logical_or",))


def rule(x: Arg, y: Arg) -> Conclusion:
    """Private Booleans, or one and a public value."""
    return logical("or", {"x": x, "y": y})


def run(x: Any, y: Any) -> bool:
    """Python's own meaning."""
    return bool(x) or bool(y)


instances, tight = logical_cases("or")
