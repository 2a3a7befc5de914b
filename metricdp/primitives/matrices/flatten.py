"""flatten: the entries of a matrix, row by row, as one vector.

Stability.  The L_p norm of the whole is at most the sum of the rows' L_p norms, so 1 in the own
norm, and c^max(0, 1/q - 1/p) from row-summed L_p to L_q with c columns.  Over discrete entries 1 in
the own norm, and under LInf the constant 1.  Tight: one row moves.
Source: triangle inequality; Hoelder; extreme points of row-sum norms are single rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, D, Expr, num
from metricdp.primitives._witnesses import move_one_row
from metricdp.primitives.matrices._norms import converting
from metricdp.record import Arg, Conclusion, Instance, Moves, Spelling, Witness, refuse
from metricdp.spaces import Matrix, Vector
from metricdp.spaces.norms import NORM_NAMES, norm_of

example = "m: dp.Matrix[dp.Real, dp.L1] = [[1, 2], [3, 4]]; dp.flatten(m)"

spelling = Spelling(numpy=("numpy.ravel", "numpy.flatten"))


def rule(m: Arg) -> Conclusion:
    """A private matrix to the vector of its rows * cols entries."""
    space = m.space
    if not m.private or not isinstance(space, Matrix):
        raise refuse(
            "unsupported-call",
            f"`flatten` lists the entries of a private matrix, and {m.text} is none",
            need="a Matrix argument",
            help=f"use {m.text} as it is",
        )
    assert space.rows is not None and space.cols is not None
    radius = tuple((p, _side(space.rows, p) * bound) for p, bound in space.radius)
    size = space.rows * space.cols
    result = Vector(space.element, space.norm, size, space.lo, space.hi, radius)
    if space.element != "Data":
        return Conclusion(result, {"m": converting(space.cols)})
    own: Moves = {(space.norm, space.norm): ONE if space.norm == "LInf" else D}
    return Conclusion(result, {"m": own})


def _side(rows: Expr, p: str) -> Expr:
    return norm_of(p).of_ones(rows)


def run(m: Any) -> Any:
    """Row by row."""
    return [v for row in m for v in row]


def instances() -> Iterable[Instance]:
    for norm in NORM_NAMES:
        yield Instance({"m": Matrix("Real", norm, num(3), num(4))})
        ball = ((norm, num(2)),)
        yield Instance({"m": Matrix("Real", norm, num(2), num(2), radius=ball)}, tight="unknown")
        yield Instance({"m": Matrix("Data", norm, num(3), num(4))})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """One row moves, in d entries where they are discrete."""
    if instance.tight == "unknown":
        return None
    space = instance.private["m"]
    assert isinstance(space, Matrix)
    if space.element == "Data":
        changed = norm_of(space.norm).changes(d, 4)
        if changed > 4:
            return None
        zero = [[0] * 4 for _ in range(3)]
        return {"m": zero}, {"m": [[1] * changed + [0] * (4 - changed), *zero[1:]]}
    return move_one_row(space, d)
