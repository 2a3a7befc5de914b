"""subset_by: the rows in which the cell of a public name is True, with some of their columns.

Stability.  A filter: an added or removed row adds or removes at most that row, 1 under the
symmetric and insert-delete distances.  A replaced row can leave while its successor enters: 2 from
change-one distance to the symmetric, from Hamming to the insert-delete distance.
Tight: rows that are kept are added, or replaced by others that are kept.
Source: rules of tables, filter; OpenDP make_subset_by.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import D
from metricdp.primitives.records._columns import replaced
from metricdp.primitives.tables._named import instances_of, named_rows, names, written
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness, scalar_moves
from metricdp.spaces import Records
from metricdp.spaces.texts import Named

example = (
    "lines: dp.Records[str] = ['1, Rome', '2, Oslo']; "
    "dp.subset_by(dp.df_is_equal(dp.create_dataframe(dp.split_records(lines, ','), ('id', "
    "'town')), 'town', 'Rome'), 'town', ('id',))"
)

spelling = Spelling(opendp=("make_subset_by",))

_EXAMPLE = 'dp.subset_by(rows, "adult", ["income"])'


def rule(x: Arg, indicator: Arg, keep: Arg) -> Conclusion:
    """Rows by name; a public name; the public names of the columns that stay."""
    space = named_rows(x, "subset_by")
    written(indicator, "subset_by", _EXAMPLE)
    names(keep, "subset_by", _EXAMPLE)
    metric = space.row_metric
    return Conclusion(Records(Named(), metric.adding), {"x": scalar_moves(metric.moved() * D)})


def run(x: Any, indicator: Any, keep: Any) -> list[dict[str, Any]]:
    """The rows that are kept."""
    return [
        {name: row[name] for name in keep if name in row} for row in x if row.get(indicator) is True
    ]


def instances() -> Iterable[Instance]:
    yield from instances_of({"indicator": "x", "keep": ["a"]})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Rows that are kept."""
    return replaced(instance.private["x"], {"x": True, "a": 1}, {"x": True, "a": 2}, d)
