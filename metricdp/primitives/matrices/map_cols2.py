"""map_cols2: applies a function of two columns to the columns of two matrices.

Stability.  Moving one matrix while the other stays is `map_cols`; both together add up (triangle
inequality), each with the norm of its own matrix.  A captured variable reaches every column.
Tight: one row moves in both matrices.
Source: as map_cols; triangle inequality over arguments.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import D, num
from metricdp.primitives._maps import over_columns, through_columns
from metricdp.primitives._witnesses import move_one_row
from metricdp.record import ONE_METRIC, Arg, Body, Conclusion, Instance, Spelling, Witness
from metricdp.spaces import Matrix, Scalar, Vector

example = (
    "m: Annotated[dp.Matrix[dp.Real, dp.L1], dp.Size(2, 2)] = [[1, 2], [3, 4]]; "
    "n: Annotated[dp.Matrix[dp.Real, dp.L1], dp.Size(2, 2)] = [[5, 6], [7, 8]]; "
    "dp.map_cols2(lambda c, d: dp.sum(c) + dp.sum(d), m, n)"
)

spelling = Spelling(seed=("map_cols",))


_COLUMNS = through_columns("map_cols")
formals = _COLUMNS.formals("m", "n")


def rule(f: Arg, m: Arg, n: Arg) -> Conclusion:
    """Two private matrices with as many columns, and a function to vectors or numbers."""
    return _COLUMNS.applied(f, m=m, n=n)


def run(f: Any, m: Any, n: Any) -> Any:
    """f of every pair of columns, as the columns of the result."""
    return over_columns(f, m, n)


def instances() -> Iterable[Instance]:
    def _sums(a: Any, b: Any) -> Any:
        return sum(a, Fraction(0)) + 3 * sum(b, Fraction(0))

    def _double(a: Any, b: Any) -> Any:
        return [2 * v for v in a] + list(b)

    one, three = {("L1", ONE_METRIC): D}, {("L1", ONE_METRIC): 3 * D}
    rows = Matrix("Real", "L1", num(4), num(4))
    sums = Body(Scalar("Real"), (one, three))
    yield Instance({"m": rows, "n": rows}, {"f": _sums}, {"f": sums})
    joined = Body(Vector("Real", "L1", num(8)), ({("L1", "L1"): 2 * D}, {("L1", "L1"): D}))
    yield Instance({"m": rows, "n": rows}, {"f": _double}, {"f": joined})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """The first row of both matrices moves."""
    a, b = move_one_row(instance.private["m"], d)
    return {"m": a["m"], "n": a["m"]}, {"m": b["m"], "n": b["m"]}
