"""count: how many rows there are, or how many rows a predicate accepts.

Stability.  Records: one row added or removed moves the count by at most 1: 1 under the symmetric
and insert-delete distances.  Under change-one and Hamming distance the number of rows is public
(0); with a predicate one replaced row moves the count by at most 1.
Vectors of discrete entries: k changed entries move the count by at most k.  L1 is at least k: 1;
L2 is at least sqrt(k), and k <= sqrt(n) sqrt(k): sqrt(n); LInf is at least 1, and k <= n: n.
Matrices of discrete rows: every changed row has distance at least 1, so 1 in every norm.
Tight: change entries (rows) from rejected to accepted, all of them under L2 and LInf.
A predicate on real entries, or one that captures a private real, has no bound.
Source: folklore; Duet's `count`; n^(1-1/p) from Hoelder over the changed entries.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import INF, ZERO, D, Expr, num
from metricdp.primitives.records._rows import captured_factor, element_of, real_test
from metricdp.record import (
    ONE_METRIC,
    Arg,
    Body,
    Conclusion,
    Instance,
    Moves,
    Spelling,
    Witness,
    infinite,
    scalar_moves,
)
from metricdp.spaces import Matrix, Records, Scalar, Space, Vector
from metricdp.spaces.metrics import PRIVATE_SIZE, PUBLIC_SIZE
from metricdp.spaces.norms import L1, NORM_NAMES, conversion

example = "visits: dp.Records[float] = [3.0, 9.0, 12.0]; dp.count(visits, lambda v: v > 5)"

spelling = Spelling(seed=("count",), opendp=("make_count",))

NONE = Arg(literal=None)


def _formals(args: dict[str, Arg]) -> tuple[Space, ...]:
    """What the predicate receives: one row or entry."""
    return (element_of(args["x"].space, args["x"].text, "count"),)


formals = {"predicate": _formals}


def reorder(args: tuple[Arg, ...]) -> tuple[int, ...] | None:
    """`count(predicate, xs)`: the container is canonical first."""
    if len(args) == 2 and args[0].space is None and args[1].space is not None:
        return (1, 0)
    return None


def rule(x: Arg, predicate: Arg = NONE) -> Conclusion:
    """A table, a vector, or the rows of a matrix; the predicate is optional."""
    space = x.space
    element_of(space, x.text, "count")
    size = _size(space)
    if predicate.body is None:
        if size is not None:
            return Conclusion(Scalar("Int", size, size), {"x": _zero(space)}, value=size)
        sized = isinstance(space, Records) and space.sized
        return Conclusion(Scalar("Int", ZERO), {"x": _zero(space) if sized else scalar_moves(D)})
    result = Scalar("Int", ZERO, size if size is not None else INF)
    if isinstance(space, (Vector, Matrix)) and space.element == "Real":
        return infinite(real_test(x.text, "count"), result, "x")
    return Conclusion(result, {"x": _moves(space)}, captured=captured_factor(predicate, size))


def _size(space: Space | None) -> Expr | None:
    if isinstance(space, Records):
        return space.size if space.sized else None
    return space.rows if isinstance(space, Matrix) else getattr(space, "size", None)


def _zero(space: Space | None) -> Moves:
    norms = NORM_NAMES if isinstance(space, (Vector, Matrix)) else (ONE_METRIC,)
    return {(norm, ONE_METRIC): ZERO for norm in norms}


def _moves(space: Space | None) -> Moves:
    if isinstance(space, Records):
        return scalar_moves(D)
    if isinstance(space, Matrix):
        return {(norm, ONE_METRIC): D for norm in NORM_NAMES}
    assert isinstance(space, Vector) and space.size is not None
    n = space.size
    return {(p, ONE_METRIC): conversion(p, L1.name, n) * D for p in NORM_NAMES}


def run(x: Any, predicate: Callable[[Any], Any] | None = None) -> int:
    """Number of rows (that the predicate accepts)."""
    if predicate is None:
        return len(x)
    return sum(1 for row in x if predicate(row))


def tabular(x: Any, predicate: Callable[[Any], Any] | None = None) -> int:
    """The count of the rows whose condition holds."""
    counted: int = (x if predicate is None else x.accepted(predicate)).size()
    return counted


def instances() -> Iterable[Instance]:
    row = Scalar("Data", kind="int")
    for metric in PRIVATE_SIZE:
        yield Instance({"x": Records(row, metric)})
    for metric in PUBLIC_SIZE:
        yield Instance({"x": Records(row, metric, num(4))}, {"predicate": _positive}, _BODY)
    yield Instance({"x": Records(row)}, {"predicate": _positive}, _BODY)
    for norm in NORM_NAMES:
        # All four entries must change to attain sqrt(4) under L2: distance 2, not 1.
        yield Instance({"x": Vector("Data", norm, num(4))}, {"predicate": _positive}, _BODY)
    yield Instance({"x": Matrix("Data", "LInf", num(3), num(2))}, {"predicate": any}, _BODY)


def _positive(value: Any) -> bool:
    return isinstance(value, (int, float, Fraction)) and value > 0


_BODY = {"predicate": Body(Scalar("Bool"), ({("", ""): D},))}


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Rows that become accepted: added, replaced, or all entries at once under L2 and LInf."""
    space = instance.private["x"]
    if isinstance(space, Records):
        if not space.sized:
            return {"x": []}, {"x": [1] * d}
        return {"x": [0] * 4}, {"x": [1] * d + [0] * (4 - d)}
    if isinstance(space, Matrix):
        rows = [[0, 0] for _ in range(3)]
        return {"x": rows}, {"x": [[1, 0]] * d + rows[d:]}
    assert isinstance(space, Vector)
    if (space.norm, d) in (("L2", 1), ("L2", 3), ("LInf", 2), ("LInf", 3)):
        return None  # the distances that these metrics attain on four entries: sqrt(k), and 1
    changed = d if space.norm == "L1" else 4
    return {"x": [0] * 4}, {"x": [1] * changed + [0] * (4 - changed)}
