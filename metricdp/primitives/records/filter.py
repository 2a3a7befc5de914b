"""filter: the rows that a predicate accepts, in their order.

Stability.  The predicate looks at one row, so an added or removed row adds or removes at most that
row: 1 under the symmetric and insert-delete distances.  A replaced row can leave while its
successor enters: 2 from change-one distance to the symmetric, from Hamming to the insert-delete
distance, and the number of rows becomes private.  Tight: accepted rows that become other ones.
Tables with ids: a person whose rows are the same in both tables keeps the same ones, a person in
one table only is in one or none afterwards, and one whose rows differ counts at most as before: 1.
A private variable that the predicate captures can turn every row: no bound.
Source: rules of tables; OpenDP make_filter; a filter commutes with multiset union.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, cast

import msgspec

from metricdp.expr import INF, D, num
from metricdp.primitives.records._rows import element_of
from metricdp.record import Arg, Body, Conclusion, Instance, Spelling, Witness, refuse, scalar_moves
from metricdp.spaces import ChangeOne, Ids, Moment, Owned, Records, Row, Scalar, Space, Symmetric
from metricdp.spaces.metrics import PUBLIC_SIZE, ROW_METRICS

takes_ids = True

example = "visits: dp.Records[float] = [3.0, 9.0]; dp.filter(lambda v: v > 5, visits)"

spelling = Spelling(operator=("filter",), opendp=("make_filter",))


def _formals(args: dict[str, Arg]) -> tuple[Space, ...]:
    """What the predicate receives: one row."""
    return (element_of(args["x"].space, args["x"].text, "filter"),)


formals = {"predicate": _formals}


def rule(predicate: Arg, x: Arg) -> Conclusion:
    """A table of any metric; the predicate is deterministic."""
    space = x.space
    if not isinstance(space, Records | Owned):
        raise refuse(
            "unsupported-call",
            f"`filter` would make the number of entries of {x.text} private",
            need="a Records argument",
            help=f"dp.count(predicate, {x.text})",
        )
    body = predicate.body  # of a function that a library is given there is none
    if body is not None and isinstance(body.space, Moment):
        raise refuse(
            "unsupported-call",
            f"`filter` keeps the rows for which {predicate.text} holds, and it is a date or time",
            need="a truth value",
            help="a comparison: row.day >= date(2024, 1, 1)",
        )
    row = (cast(Any, body.kept) if body is not None else None) or space.row
    if isinstance(space, Owned):
        same = msgspec.structs.replace(space, row=row)
        return Conclusion(same, {"x": scalar_moves(D)}, captured=INF)
    metric = space.row_metric
    result = Records(row, metric.adding, None, space.drop_nan)
    return Conclusion(result, {"x": scalar_moves(metric.moved() * D)}, captured=INF)


def run(predicate: Callable[[Any], Any], x: Any) -> list[Any]:
    """The accepted rows, in their order."""
    return [row for row in x if predicate(row)]


def tabular(predicate: Callable[[Any], Any], x: Any) -> Any:
    """The rows whose condition holds."""
    return x.accepted(predicate)


def instances() -> Iterable[Instance]:
    body = {"predicate": Body(Scalar("Bool"), ({("", ""): D},))}
    row = Scalar("Data", kind="int")
    for metric in ROW_METRICS:
        size = num(4) if metric in PUBLIC_SIZE else None
        yield Instance({"x": Records(row, metric, size)}, {"predicate": _positive}, body)
    pair = Row(("0", "1"), (row, row), "tuple[int, int]")
    for change in (Symmetric, ChangeOne):
        yield Instance({"x": Owned.of(pair, Ids("0", change))}, {"predicate": _second}, body)


def _positive(value: int) -> bool:
    return value > 0


def _second(row: tuple[int, int]) -> bool:
    return row[1] > 0


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """Accepted rows are added, or replaced by other accepted rows."""
    space = instance.private["x"]
    if isinstance(space, Owned):
        return {"x": [(0, 1)]}, {"x": [(0, 1)] + [(i + 1, 1) for i in range(d)]}
    assert isinstance(space, Records)
    if not space.row_metric.replaces:
        return {"x": [1]}, {"x": [1] + [2] * d}
    return {"x": [1] * 4}, {"x": [2] * d + [1] * (4 - d)}
