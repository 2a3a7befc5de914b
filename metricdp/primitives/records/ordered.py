"""ordered: the rows in a public order that depends on their values only and looks random.

The j-th copy of a value stands where the hash of (value, j) puts it; nothing is drawn, so the map
can be attacked.
Stability.  One row added or removed is one key more or less in a sorted list, since copies are
numbered: symmetric to insert-delete distance, 1.  A replaced row moves from one place to another,
and all rows between shift: change-one to Hamming distance has no better bound than the number of
rows.  (A secret uniform permutation would give 1, by using the same permutation on both sides.)
Tight: add a row; replace the first row by one that is last.
Source: conversions between metrics on tables, "sort"; OpenDP make_ordered_random.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.expr import D
from metricdp.primitives.records._columns import column, replaced, tables
from metricdp.primitives.records._keys import public_order, table_order
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness, refuse, scalar_moves
from metricdp.spaces import Maybe, Scalar
from metricdp.spaces.metrics import ROW_METRICS

example = "visits: dp.Records[int] = [3, 4, 3]; dp.ordered(visits)"

spelling = Spelling(opendp=("make_ordered_random",))

_AFTER = {metric.unordered: name for name, metric in ROW_METRICS.items() if metric.ordered}


def rule(x: Arg) -> Conclusion:
    """A table with one column under the symmetric or the change-one distance."""
    space, _, _ = column(x, "ordered")
    if space.metric not in _AFTER:
        raise refuse(
            "wrong-metric",
            f"the order of {x.text} is observed already",
            need="Records under Symmetric or ChangeOne distance",
            help=f"leave `ordered` out: {x.text}",
        )
    result = msgspec.structs.replace(space, metric=_AFTER[space.metric])
    if not space.sized:
        return Conclusion(result, {"x": scalar_moves(D)})
    if space.size is None:
        raise refuse(
            "size-mismatch",
            f"one replaced row may shift all rows of {x.text}, and their number is not known",
            need="a public number of rows",
            help=f"dp.ordered(dp.resize({x.text}, size, constant))",
        )
    # One replaced row may shift all; no two tables of n rows differ at more than n positions.
    return Conclusion(result, {"x": scalar_moves(space.size)})


def run(x: Any) -> list[Any]:
    """The rows in their public order."""
    rows = list(x)
    return [rows[position] for position in public_order(rows)]


def tabular(x: Any) -> Any:
    """A table in that order."""
    return x.taken(table_order(x))


def instances() -> Iterable[Instance]:
    for row in (Scalar("Data", kind="int"), Maybe(Scalar("Data", kind="str"))):
        for name, space in tables(row):
            if name in _AFTER:
                yield Instance({"x": space}, tight="unknown" if space.sized else "attained")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Rows added."""
    space = instance.private["x"]
    row = getattr(space, "row", None)
    if isinstance(row, Maybe):
        return replaced(space, "1", "2", d)
    return replaced(space, 1, 2, d)
