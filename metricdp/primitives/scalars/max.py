"""max: the largest of several numbers, or of the entries of a vector.

Stability.  |max x - max x'| <= max_i |x_i - x_i'|: 1-stable from LInf, hence from L1 and L2;
several private arguments cost their largest movement, not the sum (a direct proof).  Tight: all
move alike. Discrete entries: 1, any function.  Tables of public size with rows in [lo, hi]: the
constant hi - lo, whatever the size (all rows at one end, one replaced).  Tables of any size, with
a public `default` for the empty one: what they give lies between the least and the largest of lo,
hi and the default, and moves by at most the distance of these (rows at one end, and one at the
other; or no row, and one far from the default).
Source: max is monotone and commutes with adding a constant.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.primitives import _exact
from metricdp.primitives.scalars._extreme import (
    NOTHING,
    end_of_table,
    extreme,
    extreme_instances,
    extreme_tight,
)
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness

example = "x: dp.Real = 3; y: dp.Real = 4; dp.max(x, y)"

instances = extreme_instances
columnar = "largest"
spelling = Spelling(("max",), ("numpy.max", "numpy.amax"), ("max",))


def rule(*xs: Arg, default: Arg = NOTHING) -> Conclusion:
    """Several numbers, or one vector or table; `default` is public, and that of an empty table."""
    return extreme("max", xs, default)


def run(*xs: Any, default: Any = None) -> Any:
    """Largest value; `default`, or 0, for nothing."""
    values = xs[0] if len(xs) == 1 else xs
    if default is not None and not len(values):
        return default
    return _exact.largest(values)


def tabular(*xs: Any, default: Any = None) -> Any:
    """The same of a table of numbers; the bound rests on the range of its rows."""
    return end_of_table(xs, max, default)


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Everything moves by d in one direction."""
    return extreme_tight(instance, d, 1)
