"""map: applies one function to every entry of a vector, or to every row of a table.

Stability.  Vectors: entry i of the result depends on entry i only.  A function that is s-stable is
s-stable in every norm; one that moves by at most w per changed discrete or whole entry is w-stable,
because such entries move by at least 1.  Any other map g of one real entry: LInf g(d), L1 the sum
over the entries, L2 at most sqrt(n) g(d).  A captured private variable reaches all n entries.
Tables: any function of one row keeps equal rows equal, 1-stable in every metric on records; a
captured private variable may change every row, infinite.
Tight when the function's own bound is tight: change one entry.
Source: triangle inequality over entries; OpenDP make_row_by_row.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.expr import INF, ONE, D, Expr, ceil, num
from metricdp.primitives._maps import through_entries
from metricdp.primitives._witnesses import step_all
from metricdp.record import Arg, Body, Conclusion, Instance, Spelling, Witness, refuse, scalar_moves
from metricdp.spaces import Matrix, Maybe, Moment, Records, Row, Scalar, Vector
from metricdp.spaces.fields import field_space
from metricdp.spaces.metrics import PRIVATE_SIZE
from metricdp.spaces.norms import NORM_NAMES, norm_of
from metricdp.spaces.vectors import Entries

example = "visits: dp.Records[float] = [3.0, 4.0]; dp.map(lambda v: 2 * v, visits)"

spelling = Spelling(("map",), seed=("map",), opendp=("make_row_by_row",))


def _container(xs: Arg) -> Entries | Records:
    if isinstance(xs.space, Records | Entries):
        return xs.space
    raise refuse(
        "unsupported-call",
        f"`map` goes through a private vector or table, and {xs.text} lies in {xs.space}",
        need="a Vector or Records argument",
        help=f"dp.map_rows(f, {xs.text})"
        if isinstance(xs.space, Matrix)
        else "map the rows themselves",
    )


def _summary(f: Arg, xs: Arg) -> Body:
    body = f.body
    if body is None or not body.deterministic or body.space is None:
        raise refuse(
            "unsupported-call",
            f"`map` applies a function that is read from its source, and {f.text} is none",
            need="a function of one row without noise",
            help=f"dp.map(lambda row: row, {xs.text})",
        )
    return body


_ENTRIES = msgspec.structs.replace(
    through_entries(_container, _summary),
    piece=lambda space: space.row if isinstance(space, Records) else space.entry,
)
formals = _ENTRIES.formals("xs")


def rule(f: Arg, xs: Arg) -> Conclusion:
    """A deterministic function, and a vector or table."""
    if isinstance(xs.space, Records):
        return _records(_summary(f, xs), xs.space)
    return _ENTRIES.applied(f, xs=xs)


def _records(body: Body, space: Records) -> Conclusion:
    row: Any = body.space if isinstance(body.space, Row | Moment) else None
    if isinstance(body.space, Scalar):
        row = field_space(body.space)
    if isinstance(body.space, Maybe) and (inner := field_space(body.space.inner)) is not None:
        row = Maybe(inner)
    if row is None:
        raise refuse(
            "unsupported-call",
            f"the function given to `map` returns {body.space}, which is no row of a table",
            need="a number, a text or a tuple of these",
            help="a loop adds vectors up: total = 0.0, then for row in rows: total = total + f(row)"
            if isinstance(body.space, Vector)
            else "return one value per row",
        )
    result = msgspec.structs.replace(space, row=row)
    return Conclusion(result, {"xs": scalar_moves(D)}, captured=INF)


def run(f: Any, xs: Any) -> Any:
    """f of every entry, in order."""
    return [f(x) for x in xs]


def columnar(f: Any, xs: Any) -> Any:
    """f of every entry of the vector of a row."""
    from metricdp.columns.tracing import each_entry

    return each_entry(f, xs)


def instances() -> Iterable[Instance]:
    double = Body(Scalar("Real"), (scalar_moves(2 * D),))
    flag = Body(Scalar("Bool"), (scalar_moves(ONE),))
    for norm in NORM_NAMES:
        yield Instance({"xs": Vector("Real", norm, num(4))}, {"f": _double}, {"f": double})
        yield Instance({"xs": Vector("Data", norm, num(4))}, {"f": _flag}, {"f": flag})
        yield Instance({"xs": Vector("Int", norm, num(4))}, {"f": _flag}, {"f": flag}, "unknown")
    whole = Body(Scalar("Int"), (scalar_moves(_floor_map()),))
    for norm in NORM_NAMES:
        yield Instance({"xs": Vector("Real", norm, num(2))}, {"f": _floor}, {"f": whole}, "unknown")
    row = Scalar("Data", kind="int")
    for metric in PRIVATE_SIZE:
        yield Instance({"xs": Records(row, metric)}, {"f": _flag}, {"f": flag}, "unknown")
    yield Instance({"xs": Records(row, "Hamming", num(3))}, {"f": _flag}, {"f": flag}, "unknown")


def _double(x: Any) -> Any:
    return 2 * x


def _flag(x: Any) -> bool:
    return bool(x > 0)


def _floor(x: Any) -> int:
    return int(x.__floor__())


def _floor_map() -> Expr:
    """The map of floor, for an instance."""
    return ceil(D)


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """One entry moves, or as many discrete ones as the norm allows."""
    if instance.tight == "unknown":
        return None
    space = instance.private["xs"]
    assert isinstance(space, Vector)
    if space.element == "Real":
        return step_all({"xs": space}, d)
    changed = norm_of(space.norm).changes(d, 4)
    if changed > 4 or (space.norm == "LInf" and d > 1):
        return None
    return {"xs": [0] * 4}, {"xs": [1] * changed + [0] * (4 - changed)}
