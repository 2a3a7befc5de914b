"""column: one column of a matrix, at a public index.

Stability.  Row i holds one entry of the column, which moves by at most the distance of the row, so
the L1 distance of the columns is at most the row-summed distance, from every L_p; and L1 bounds L2
and LInf.  Over discrete entries a changed row counts at least 1 and changes at most one entry of
the column: 1 into discrete L1.  An index outside the matrix is clamped into it.
Tight: one row moves in that column.
Source: projection of a sum of norms.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import D, num
from metricdp.primitives._common import discrete
from metricdp.primitives._witnesses import step_all
from metricdp.record import Arg, Conclusion, Instance, Moves, Requirement, Witness, refuse
from metricdp.spaces import Matrix, Vector
from metricdp.spaces.norms import NORM_NAMES

example = "m: dp.Matrix[dp.Real, dp.L1] = [[1, 2], [3, 4]]; dp.column(m, 0)"


def rule(m: Arg, j: Arg) -> Conclusion:
    """The column `m[:, j]` under L1; a public negative index counts from the end."""
    space = m.space
    if not m.private or not isinstance(space, Matrix):
        raise refuse(
            "unsupported-call",
            f"`column` reads a private matrix, and {m.text} is none",
            need="a Matrix argument",
            help="dp.column(rows, 0)",
        )
    if j.private or j.value is None:
        raise refuse(
            "private-index",
            f"the column {j.text} is not known as a public number",
            need="a public index",
            help=f"dp.column({m.text}, 0)",
        )
    assert space.rows is not None and space.cols is not None
    result = Vector(space.element, "L1", space.rows, space.lo, space.hi)
    if discrete(space):
        moves: Moves = {(space.norm, "L1"): D}
    else:
        moves = {(p, q): D for p in NORM_NAMES for q in NORM_NAMES}
    inside = f"choose {j.chosen} < {space.cols}"
    requires = [Requirement(j.value + 1, "<=", space.cols, "size-mismatch", inside)]
    if j.value.sign() not in ("0", "+", ">=0"):
        requires.append(Requirement(-j.value, "<=", space.cols, "size-mismatch", inside))
    return Conclusion(result, {"m": moves}, requires=tuple(requires))


def run(m: Any, j: Any) -> Any:
    """The entries of the column, from the first row to the last."""
    cols = len(m[0]) if len(m) else 0
    return [row[max(-cols, min(int(j), cols - 1))] for row in m]


def instances() -> Iterable[Instance]:
    for norm in NORM_NAMES:
        yield Instance({"m": Matrix("Real", norm, num(3), num(4))}, {"j": 0})
        yield Instance({"m": Matrix("Int", norm, num(2), num(2), num(0), num(9))}, {"j": -2})
        yield Instance({"m": Matrix("Data", norm, num(3), num(4))}, {"j": 0})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """The first row moves in the first column; discrete entries, in d rows."""
    space = instance.private["m"]
    assert isinstance(space, Matrix)
    if discrete(space):
        moved = [[1 if i < d else 0, 0, 0, 0] for i in range(3)]
        return {"m": [[0] * 4 for _ in range(3)]}, {"m": moved}
    return step_all(instance.private, d)
