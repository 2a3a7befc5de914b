"""map_rows2: applies a function of two rows to the rows of two matrices.

Stability.  Row i of the result depends on rows i only, so moving one matrix while the other stays
adds up over the rows, and both together add up (triangle inequality): s_1 in the first, s_2 in the
second, each with the norm of its own matrix.  Over discrete rows a constant w per changed row gives
w * d.  A captured variable reaches every row.
Tight when the function's own bounds are tight: change one row of both.
Source: as map_rows; triangle inequality over arguments.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import D, num
from metricdp.primitives._maps import Traversal, body_of, through_rows
from metricdp.primitives._witnesses import step_all
from metricdp.record import ONE_METRIC, Arg, Body, Conclusion, Instance, Spelling, Witness, refuse
from metricdp.spaces import Matrix, Scalar, Vector

example = (
    "m: Annotated[dp.Matrix[dp.Real, dp.L1], dp.Size(2, 2)] = [[1, 2], [3, 4]]; "
    "n: Annotated[dp.Matrix[dp.Real, dp.L1], dp.Size(2, 2)] = [[5, 6], [7, 8]]; "
    "dp.map_rows2(lambda r, s: dp.sum(r) + dp.sum(s), m, n)"
)

spelling = Spelling(seed=("map_rows",))


def _matrix(x: Arg) -> Matrix:
    if not x.private or not isinstance(x.space, Matrix):
        raise refuse(
            "unsupported-call",
            f"`map_rows` goes through the rows of private matrices, and {x.text} is none",
            need="a Matrix argument",
            help="dp.map_rows(f, rows, labels)",
        )
    return x.space


def _rows(help: str) -> Traversal:
    return through_rows(_matrix, lambda f, _: body_of(f, "map_rows"), help)


formals = _rows("").formals("m", "n")


def rule(f: Arg, m: Arg, n: Arg) -> Conclusion:
    """Two private matrices with as many rows, and a function to vectors or numbers."""
    example = f"dp.map_rows(lambda r, s: dp.clip(r, dp.L2), {m.text}, {n.text})"
    return _rows(example).applied(f, m=m, n=n)


def run(f: Any, m: Any, n: Any) -> Any:
    """The rows f(row of m, row of n), in order."""
    return [f(a, b) for a, b in zip(m, n, strict=False)]


def instances() -> Iterable[Instance]:
    def _mixed(a: Any, b: Any) -> Any:
        return [2 * v + 3 * w for v, w in zip(a, b, strict=True)]

    def _differ(a: Any, b: Any) -> Any:
        return int(a != b)

    two, three = {("L1", "L1"): 2 * D}, {("L1", "L1"): 3 * D}
    rows = Matrix("Real", "L1", num(3), num(2))
    mixed = Body(Vector("Real", "L1", num(2)), (two, three))
    yield Instance({"m": rows, "n": rows}, {"f": _mixed}, {"f": mixed})
    flag = {("LInf", ONE_METRIC): num(1)}
    differ = Body(Scalar("Int", num(0), num(1)), (flag, flag))
    data = Matrix("Data", "LInf", num(3), num(2))
    yield Instance({"m": data, "n": data}, {"f": _differ}, {"f": differ}, "unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """The first row of both matrices moves in one entry."""
    return None if instance.tight == "unknown" else step_all(instance.private, d)
