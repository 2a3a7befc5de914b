"""max: the largest of several numbers, or of the entries of a vector.

Stability.  |max x - max x'| <= max_i |x_i - x_i'|: 1-stable from LInf, hence from L1 and L2;
several private arguments cost their largest movement, not the sum (a direct proof).  Tight: all
move alike. Discrete entries: 1, any function.  Tables of public size with rows in [lo, hi]: the
constant hi - lo, whatever the size (all rows at one end, one replaced).
Source: max is monotone and commutes with adding a constant.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.primitives import _exact
from metricdp.primitives.scalars._extreme import (
    end_of_table,
    extreme,
    extreme_instances,
    extreme_tight,
)
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness

instances = extreme_instances
columnar = "largest"
spelling = Spelling(("max",), ("numpy.max", "numpy.amax"), ("max",))


def rule(*xs: Arg) -> Conclusion:
    """Several numbers, or one vector or table."""
    return extreme("max", xs)


def run(*xs: Any) -> Any:
    """Largest value; 0 for nothing."""
    values = xs[0] if len(xs) == 1 else xs
    return _exact.largest(values)


def tabular(*xs: Any) -> Any:
    """The same of a table of numbers; the bound rests on the range of its rows."""
    return end_of_table(xs, max)


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Everything moves by d in one direction."""
    return extreme_tight(instance, d, 1)
