"""map_rows: applies one function to every row of a matrix.

Stability.  Row i of the result depends on row i only, so the row-summed distance is the sum of the
rows' movements: a function that is s-stable from the rows' norm to the result's norm is s-stable
on matrices.  Over discrete rows every nonzero row distance is at least 1, so a constant w per
changed row gives w * d.  A variable that the function captures reaches every row: its movement is
multiplied by the number of rows.  Tight when the function's own bound is tight: change one row.
Source: triangle inequality over rows (rules of row-summed metrics); Duet's `mmap-row`.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import D, num, root
from metricdp.primitives._maps import body_of, through_rows
from metricdp.record import ONE_METRIC, Arg, Body, Conclusion, Instance, Spelling, Witness, refuse
from metricdp.spaces import Matrix, Scalar, Vector

example = "m: dp.Matrix[dp.Real, dp.L1] = [[1, 2], [3, 4]]; dp.map_rows(lambda r: dp.sum(r), m)"

spelling = Spelling(seed=("map_rows",))


def _matrix(m: Arg) -> Matrix:
    if not isinstance(m.space, Matrix):
        raise refuse(
            "unsupported-call",
            f"`map_rows` needs a matrix, and {m.text} is none",
            need="a Matrix argument",
            help="dp.map_rows(f, rows)",
        )
    return m.space


def _summary(f: Arg, m: Arg) -> Body:
    return body_of(f, "map_rows")


_ROWS = through_rows(_matrix, _summary, "dp.map_rows(lambda row: dp.clip(row, dp.L2), rows)")
formals = _ROWS.formals("m")


def rule(f: Arg, m: Arg) -> Conclusion:
    """Function from rows to vectors of public size (or to scalars: a vector in L1 results)."""
    return _ROWS.applied(f, m=m)


def run(f: Any, m: Any) -> Any:
    """The rows f(row), in order."""
    return [f(row) for row in m]


def instances() -> Iterable[Instance]:
    double = Body(Vector("Real", "L1", num(2)), ({("L1", "L1"): 2 * D},))
    yield Instance(
        {"m": Matrix("Real", "L1", num(3), num(2))},
        {"f": lambda row: [2 * v for v in row]},
        {"f": double},
    )
    total = Body(Scalar("Real"), ({("L2", ONE_METRIC): root(2) * D},))
    rows = Matrix("Real", "L2", num(3), num(2))
    yield Instance({"m": rows}, {"f": sum}, {"f": total}, "approached")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """One row moved along the direction that is worst for the function."""
    zero = [[Fraction(0)] * 2 for _ in range(3)]
    if instance.bodies["f"].space == Scalar("Real"):
        side = Fraction(70, 99) * d  # just below sqrt(1/2)
        return {"m": zero}, {"m": [[side, side], *zero[1:]]}
    return {"m": zero}, {"m": [[Fraction(d), Fraction(0)], *zero[1:]]}
