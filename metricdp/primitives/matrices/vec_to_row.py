"""vec_to_row: a vector as a matrix of one row.

Stability.  The row-summed distance of one row is the distance of that row: 1 in every norm.
Tight: move one entry.
Source: definition of the row-sum metric.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, D, num
from metricdp.primitives._common import discrete
from metricdp.primitives._witnesses import step_all
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness, refuse
from metricdp.spaces import Matrix, Vector
from metricdp.spaces.norms import NORM_NAMES
from metricdp.spaces.vectors import Entries

example = "v: dp.Vector[dp.Real, dp.L1] = [1, 2]; dp.vec_to_row(v)"

spelling = Spelling(seed=("vec_to_row",))


def rule(v: Arg) -> Conclusion:
    """A private vector of n entries to a 1 x n matrix."""
    space = v.space
    if not v.private or not isinstance(space, Entries):
        raise refuse(
            "unsupported-call",
            f"`vec_to_row` makes a row of a private vector, and {v.text} is none",
            need="a Vector argument",
            help=f"use {v.text} as it is",
        )
    result = Matrix(space.element, space.norm, ONE, space.size, space.lo, space.hi, space.radius)
    norms = (space.norm,) if discrete(space) else NORM_NAMES
    return Conclusion(result, {"v": {(p, p): D for p in norms}})


def run(v: Any) -> Any:
    """One row."""
    return [list(v)]


def instances() -> Iterable[Instance]:
    for norm in NORM_NAMES:
        yield Instance({"v": Vector("Real", norm, num(3), radius=((norm, num(9)),))})
        yield Instance({"v": Vector("Data", norm, num(4))})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """One entry moves."""
    if d > 1 and discrete(instance.private["v"]):
        return None
    return step_all(instance.private, d)
