"""sum_cols: adds up the columns of a matrix; the result has one entry per row.

Stability.  Entry i is the total of row i, which moves by at most c^(1 - 1/p) times the L_p movement
of row i (Hoelder, c columns).  Summed over rows this bounds the L1 distance of the results, and so
every L_q.  Tight: move one row in one entry (L1), or in all entries alike (L2, LInf).
Source: Hoelder; the L1 norm dominates every L_q.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import D, num
from metricdp.primitives._witnesses import move_one_row
from metricdp.primitives.matrices._norms import number_kind, real_matrix, times, total
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness
from metricdp.spaces import Matrix, Vector
from metricdp.spaces.norms import NORM_NAMES

example = "m: dp.Matrix[dp.Real, dp.L1] = [[1, 2], [3, 4]]; dp.sum_cols(m)"

spelling = Spelling(seed=("sum_cols",))


def rule(m: Arg) -> Conclusion:
    """Real or integer matrix to the vector of its row totals."""
    space, rows, cols = real_matrix(m, "sum_cols")
    result = Vector(
        number_kind(space), space.norm, rows, times(cols, space.lo), times(cols, space.hi)
    )
    return Conclusion(
        result, {"m": {(p, q): total(cols, p) * D for p in NORM_NAMES for q in NORM_NAMES}}
    )


def run(m: Any) -> list[Any]:
    """Exact row totals."""
    from metricdp.values import exact_sum

    return [exact_sum(row) for row in m]


def instances() -> Iterable[Instance]:
    for norm in NORM_NAMES:
        yield Instance({"m": Matrix("Real", norm, num(3), num(4))})
    yield Instance({"m": Matrix("Int", "L1", num(2), num(2), num(0), num(5))})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """One row moved by d in one entry (L1), or in all entries alike (L2, LInf)."""
    return move_one_row(instance.private["m"], d)
