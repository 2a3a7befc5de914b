"""row_to_vec: a matrix of one row as a vector.

Stability.  The distance of the row is the row-summed distance: 1 in every norm.
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
from metricdp.record import Arg, Conclusion, Instance, Requirement, Spelling, Witness, refuse
from metricdp.spaces import Matrix
from metricdp.spaces.norms import NORM_NAMES

example = "m: Annotated[dp.Matrix[dp.Real, dp.L1], dp.Size(1, 2)] = [[1, 2]]; dp.row_to_vec(m)"

spelling = Spelling(seed=("row_to_vec",))


def rule(m: Arg) -> Conclusion:
    """A private matrix; that it has one row is required."""
    space = m.space
    if not m.private or not isinstance(space, Matrix):
        raise refuse(
            "unsupported-call",
            f"`row_to_vec` reads the only row of a private matrix, and {m.text} is none",
            need="a Matrix argument of one row",
            help=f"use {m.text} as it is",
        )
    assert space.rows is not None
    if discrete(space):  # two discrete rows are at LInf distance 0 or 1
        moves = {(space.norm, space.norm): ONE if space.norm == "LInf" else D}
    else:
        moves = {(p, p): D for p in NORM_NAMES}
    one = Requirement(space.rows, "==", ONE, "size-mismatch", f"dp.row({m.text}, 0)")
    return Conclusion(space.row, {"m": moves}, requires=(one,))


def run(m: Any) -> Any:
    """The first row."""
    return m[0] if len(m) else []


def instances() -> Iterable[Instance]:
    for norm in NORM_NAMES:
        yield Instance({"m": Matrix("Real", norm, ONE, num(3), radius=((norm, num(9)),))})
        yield Instance({"m": Matrix("Data", norm, ONE, num(4))})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """One entry moves."""
    if d > 1 and discrete(instance.private["m"]):
        return None
    return step_all(instance.private, d)
