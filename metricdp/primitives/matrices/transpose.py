"""transpose: rows and columns exchanged.

Stability.  A moved row moves one entry of every row of the result, so from row-summed L_p with c
columns to any row-summed L_q: the row's L1 distance, c^(1 - 1/p).  Over discrete entries the same,
in the own norm; under LInf all c rows of the result may differ, and no more: the constant c.
Tight: one row moved in all entries alike (L2, LInf) or in one (L1).
Source: Hoelder; extreme points of row-sum norms are single rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import D, num
from metricdp.primitives._witnesses import move_one_row
from metricdp.primitives.matrices._norms import total
from metricdp.record import Arg, Conclusion, Instance, Moves, Spelling, Witness, refuse
from metricdp.spaces import Matrix
from metricdp.spaces.norms import NORM_NAMES

example = "m: dp.Matrix[dp.Real, dp.L1] = [[1, 2], [3, 4]]; dp.transpose(m)"

spelling = Spelling((".T",), ("numpy.transpose",))


def rule(m: Arg) -> Conclusion:
    """A private matrix; bounds of rows do not become bounds of columns."""
    space = m.space
    if not m.private or not isinstance(space, Matrix):
        raise refuse(
            "unsupported-call",
            f"`transpose` exchanges rows and columns, and {m.text} is no private matrix",
            need="a Matrix argument",
            help=f"use {m.text} as it is",
        )
    assert space.rows is not None and space.cols is not None
    result = Matrix(space.element, space.norm, space.cols, space.rows, space.lo, space.hi)
    bound = total(space.cols, space.norm) * D
    if space.element == "Data":
        everything = space.norm == "LInf"
        moves: Moves = {(space.norm, space.norm): space.cols if everything else bound}
    else:
        moves = {(p, q): total(space.cols, p) * D for p in NORM_NAMES for q in NORM_NAMES}
    return Conclusion(result, {"m": moves})


def run(m: Any) -> Any:
    """The columns as rows; a matrix without rows has no columns that could be seen."""
    return [list(column) for column in zip(*m, strict=True)]


def instances() -> Iterable[Instance]:
    for norm in NORM_NAMES:
        yield Instance({"m": Matrix("Real", norm, num(3), num(4))})
        yield Instance({"m": Matrix("Int", norm, num(2), num(2), num(0), num(5))}, tight="unknown")
        yield Instance({"m": Matrix("Data", norm, num(3), num(4))})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """One row moves; over discrete entries, in every entry."""
    if instance.tight == "unknown":
        return None
    space = instance.private["m"]
    assert isinstance(space, Matrix)
    if space.element == "Data":
        changed = {"L1": 1, "L2": 4, "LInf": 4}[space.norm]
        zero = [[0] * 4 for _ in range(3)]
        moved = [[1] * changed + [0] * (4 - changed), *zero[1:]]
        fits = d == (2 if space.norm == "L2" else 1)
        return ({"m": zero}, {"m": moved}) if fits else None
    return move_one_row(space, d)
