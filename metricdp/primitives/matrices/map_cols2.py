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
from metricdp.primitives._witnesses import move_one_row
from metricdp.primitives.matrices._columns import (
    body_of,
    captured_factor,
    column_space,
    matrix_of,
    moves_of_columns,
    results,
)
from metricdp.record import (
    ONE_METRIC,
    Arg,
    Body,
    Conclusion,
    Instance,
    Requirement,
    Spelling,
    Witness,
)
from metricdp.spaces import Matrix, Scalar, Space, Vector

spelling = Spelling(seed=("map_cols",))


def _formals(args: dict[str, Arg]) -> tuple[Space, ...]:
    """What the function receives: one column of each matrix."""
    return tuple(column_space(matrix_of(args[name], "map_cols")) for name in ("m", "n"))


formals = {"f": _formals}


def rule(f: Arg, m: Arg, n: Arg) -> Conclusion:
    """Two private matrices with as many columns, and a function to vectors or numbers."""
    left, right = matrix_of(m, "map_cols"), matrix_of(n, "map_cols")
    body = body_of(f, "map_cols")
    assert left.cols is not None and right.cols is not None
    result = results(body, left.cols, "map_cols")
    maps = {
        "m": moves_of_columns(body.maps[0], left, result),
        "n": moves_of_columns(body.maps[1], right, result),
    }
    same = Requirement(
        left.cols, "==", right.cols, "size-mismatch", f"give {m.text} and {n.text} as many columns"
    )
    requires = () if left.cols == right.cols else (same,)
    return Conclusion(result, maps, captured=captured_factor(result, left.cols), requires=requires)


def run(f: Any, m: Any, n: Any) -> Any:
    """f of every pair of columns, as the columns of the result."""
    from metricdp.values import wrap

    left, right = zip(*m, strict=True), zip(*n, strict=True)
    found = [f(wrap(list(a)), wrap(list(b))) for a, b in zip(left, right, strict=False)]
    if found and isinstance(found[0], list):
        return [list(row) for row in zip(*found, strict=True)]
    return found


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
