"""sum_rows: adds up the rows of a matrix; the result has one entry per column.

Stability.  The sum moves by at most the sum of the rows' movements (triangle inequality), so the
row-summed L_p distance bounds the L_p distance of the results: 1; in L_q the rows' conversion
c^max(0, 1/q - 1/p) with c columns.  Tight: one row moved along the worst direction.
Source: triangle inequality; Hoelder; extreme points of row-sum norms are single rows.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import num
from metricdp.primitives._witnesses import move_one_row
from metricdp.primitives.matrices._norms import converting, number_kind, real_matrix, times
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness
from metricdp.spaces import Matrix, Vector
from metricdp.spaces.norms import NORM_NAMES

example = "m: dp.Matrix[dp.Real, dp.L1] = [[1, 2], [3, 4]]; dp.sum_rows(m)"

spelling = Spelling(seed=("sum_rows",))


def rule(m: Arg) -> Conclusion:
    """Real or integer matrix to the vector of its column totals."""
    space, rows, cols = real_matrix(m, "sum_rows")
    radius = tuple((norm, times(rows, bound)) for norm, bound in space.radius)
    result = Vector(
        number_kind(space),
        space.norm,
        cols,
        times(rows, space.lo),
        times(rows, space.hi),
        radius,
    )
    return Conclusion(result, {"m": converting(cols)})


def run(m: Any) -> list[Any]:
    """Exact column totals; a list without rows has none."""
    from metricdp.values import ExactMatrix, exact_sum

    if isinstance(m, ExactMatrix) and not m:
        return [0] * m.cols
    return [exact_sum(column) for column in zip(*m, strict=True)]


def instances() -> Iterable[Instance]:
    for norm in NORM_NAMES:
        yield Instance({"m": Matrix("Real", norm, num(3), num(4))})
    yield Instance({"m": Matrix("Int", "L1", num(2), num(2), num(0), num(5))})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """One row moved by d in one entry (L1), or in all entries alike (L2, LInf)."""
    return move_one_row(instance.private["m"], d)
