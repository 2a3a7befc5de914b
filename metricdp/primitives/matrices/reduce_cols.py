"""reduce_cols: applies one function to every column, given to it as a matrix of one column.

Stability.  A matrix of one column is at the L1 distance t_j of its entries, whatever the norm of
the rows: t_j <= d for each column, and sum t_j <= c^(1 - 1/p) d under row-summed L_p with c
columns, the constants of `map_cols`.  Over discrete rows under LInf each column is 1-stable.
Privacy.  Check reads a function that adds noise as a loop over the columns: all of them may move,
so c columns cost c times what one of them costs (sequential composition).
Tight: one row moves, in one entry (L1) or in all entries alike (LInf).
Source: rules of matrices with row-sum metrics; sequential composition.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from metricdp.expr import ONE, D, num
from metricdp.primitives._maps import columns_mapped, through_columns
from metricdp.primitives._witnesses import move_one_row
from metricdp.record import ONE_METRIC, Arg, Body, Conclusion, Instance, Spelling, Witness, refuse
from metricdp.spaces import Matrix, Scalar, Space
from metricdp.spaces.norms import NORM_NAMES

example = (
    "m: Annotated[dp.Matrix[dp.Real, dp.L1], dp.Size(2, 2)] = [[1, 2], [3, 4]]; "
    "dp.reduce_cols(lambda c: dp.sum(dp.flatten(c)), m)"
)

__all__ = ["one_column"]

spelling = Spelling(seed=("reduce_cols",))

NAME = "reduce_cols"


def one_column(m: Matrix) -> Matrix:
    """The space of one column, as a matrix."""
    return msgspec.structs.replace(m, cols=ONE)


def _numbers(body: Body, space: Matrix) -> Space:
    if not isinstance(body.space, Scalar):
        raise refuse(
            "unsupported-call",
            f"the function given to `{NAME}` returns no number",
            need="one number per column",
            help="dp.reduce_cols(lambda column: dp.sum_rows(column)[0], rows)",
        )
    return columns_mapped(body, space, NAME)


_COLUMNS = msgspec.structs.replace(through_columns(NAME), piece=one_column, results=_numbers)
formals = _COLUMNS.formals("m")


def rule(f: Arg, m: Arg) -> Conclusion:
    """A function from one-column matrices to numbers, which adds no noise."""
    return _COLUMNS.applied(f, m=m)


def run(f: Any, m: Any) -> Any:
    """f of every column, from the first to the last."""
    from metricdp.values import wrap

    count = m.cols if hasattr(m, "cols") else len(m[0]) if m else 0
    return [f(wrap([[row[j]] for row in m])) for j in range(count)]


def instances() -> Iterable[Instance]:
    def _sum(column: Any) -> Any:
        return sum(row[0] for row in column)

    def _count(column: Any) -> Any:
        return sum(1 for row in column if row[0] > 0)

    for norm in NORM_NAMES:
        total = Body(Scalar("Real"), ({(norm, ONE_METRIC): D},))
        rows = Matrix("Real", norm, num(3), num(4))
        yield Instance({"m": rows}, {"f": _sum}, {"f": total})
        count = Body(Scalar("Int"), ({(norm, ONE_METRIC): D},))
        table = Matrix("Data", norm, num(3), num(4))
        yield Instance({"m": table}, {"f": _count}, {"f": count}, "unknown")


def tight(instance: Instance, d: int, tol: Any) -> Witness | None:
    """One row moves."""
    if instance.tight == "unknown":
        return None
    return move_one_row(instance.private["m"], d)
