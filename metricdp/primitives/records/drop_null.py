"""drop_null: the rows that are there, in their order.

Stability.  A filter: an added or removed row adds or removes at most that row, 1 under the
symmetric and insert-delete distances.  A row that is replaced can become another that is there, so
one leaves and one enters: 2 from change-one distance to the symmetric, from Hamming to the
insert-delete distance, and the number of rows becomes private.
Tight: rows that are there are added, or replaced by others.
Source: rules of tables, filter; OpenDP make_drop_null.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import D
from metricdp.primitives.records._columns import column_of_any, replaced, tables, two
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness, scalar_moves
from metricdp.spaces import Maybe, Moment, Records, Scalar

example = "visits: dp.Records[float | None] = [3.0, None]; dp.drop_null(visits)"

spelling = Spelling(opendp=("make_drop_null",))


def rule(x: Arg) -> Conclusion:
    """A table with one column."""
    space, inner, _ = column_of_any(x, "drop_null")
    metric = space.row_metric
    return Conclusion(Records(inner, metric.adding), {"x": scalar_moves(metric.moved() * D)})


def run(x: Any) -> list[Any]:
    """The rows that are there."""
    return [value for value in x if value is not None]


def tabular(x: Any) -> Any:
    """The rows of a table that are there."""
    from metricdp.columns.nullable import dropped

    return dropped(x)


def instances() -> Iterable[Instance]:
    for kind in ("float", "str"):
        for _, space in tables(Maybe(Scalar("Data", kind=kind))):
            yield Instance({"x": space})
    for _, space in tables(Maybe(Moment("date"))):
        yield Instance({"x": space})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Rows that are there, of two values."""
    return replaced(instance.private["x"], *two(instance), d)
