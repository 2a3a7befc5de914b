"""len: the number of entries or rows.

Stability.  Vectors, gradients, matrices and tables under change-one or Hamming distance of
different lengths are infinitely far apart, so the length is public: 0.  Under symmetric and
insert-delete distance one row more or less is at distance 1, and moves the number of rows by 1: a
private count, as `count` gives it.  The length of a private text is an integer that it decides:
1 under the discrete metric.
Tight: a constant does not move; rows are added; a text of another length.
Source: lengths are part of the domain; folklore for the count.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.columns.words import length_of
from metricdp.expr import INF, ONE, ZERO, D, num
from metricdp.primitives._witnesses import step_all
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness, refuse, scalar_moves
from metricdp.spaces import Matrix, Records, Scalar, Vector
from metricdp.spaces.metrics import PRIVATE_SIZE
from metricdp.spaces.texts import Cells
from metricdp.spaces.vectors import Entries

example = "visits: dp.Records[float] = [3.0, 4.0]; dp.len(visits)"

columnar = length_of
spelling = Spelling(("len",))


def rule(x: Arg) -> Conclusion:
    """A container of public size gives a public number, rows that come and go a private count."""
    if not x.private:
        sized = isinstance(x.literal, (tuple, list, str))
        return Conclusion(value=num(len(x.literal)) if sized else None)
    space = x.space
    if isinstance(space, Entries):
        return Conclusion(value=space.size)
    if isinstance(space, Matrix):
        return Conclusion(value=space.rows)
    if isinstance(space, Records) and space.sized:
        return Conclusion(value=space.size)
    if isinstance(space, Records):
        return Conclusion(Scalar("Int", ZERO), {"x": scalar_moves(D)})
    if isinstance(space, Cells) or (isinstance(space, Scalar) and space.kind == "str"):
        return Conclusion(Scalar("Data", ZERO, INF, "int"), {"x": scalar_moves(ONE)})
    raise refuse(
        "unsupported-call",
        f"{x.text} lies in {space} and has no length",
        need="a vector, a matrix or a table",
        help=f"len of the container that {x.text} comes from",
    )


def run(x: Any) -> int:
    """The length."""
    return len(x)


def tabular(x: Any) -> int:
    """The number of rows of a table."""
    rows: int = x.size()
    return rows


def instances() -> Iterable[Instance]:
    for metric in PRIVATE_SIZE:
        yield Instance({"x": Records(Scalar("Data", kind="int"), metric)})
    yield Instance({"x": Vector("Real", "L2", num(3))})
    yield Instance({"x": Scalar("Data", kind="str")})
    yield Instance({"x": Cells(1)})
    yield Instance({"x": Matrix("Data", "LInf", num(3), num(2))})
    yield Instance(
        {"x": Records(Scalar("Data", kind="float"), "ChangeOne", num(3))}, tight="unknown"
    )


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Rows that are added; where the number of rows is public, any pair: the bound is 0."""
    space = instance.private["x"]
    if isinstance(space, Records) and not space.sized:
        return {"x": []}, {"x": [1] * d}
    if isinstance(space, Cells | Scalar):
        few, many = (("a",), ("a", "b")) if isinstance(space, Cells) else ("", "a")
        return None if d > 1 else ({"x": few}, {"x": many})
    return step_all(instance.private, d) if d == 1 else None
