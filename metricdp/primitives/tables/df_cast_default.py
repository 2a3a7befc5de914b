"""df_cast_default: the cell of one public name in every row as a value of another type.

Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  It is
total: a cell that is not there, or has no value in the type, becomes 0, False or empty text.
Tight: add a row, or replace it by one with another cell.
Source: rules of tables, row-wise maps; OpenDP make_df_cast_default.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.primitives.records._casting import target
from metricdp.primitives.records._columns import replaced, row_by_row
from metricdp.primitives.tables._named import instances_of, named_rows, written
from metricdp.primitives.tables.select_column import cell
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness
from metricdp.spaces.texts import Named

example = (
    "lines: dp.Records[str] = ['1, Rome', 'x, Oslo']; "
    "dp.select_column(dp.df_cast_default(dp.create_dataframe(dp.split_records(lines, ','), "
    "('id', 'town')), 'id', 'int'), 'id', 'int')"
)

spelling = Spelling(opendp=("make_df_cast_default",))

_EXAMPLE = 'dp.df_cast_default(rows, "age", "int")'


def rule(x: Arg, name: Arg, to: Arg) -> Conclusion:
    """Rows by name; a public name; `to` as for `cast`."""
    space = named_rows(x, "df_cast_default")
    written(name, "df_cast_default", _EXAMPLE)
    target(to, "df_cast_default")
    return row_by_row(space, Named())


def run(x: Any, name: Any, to: Any) -> list[dict[str, Any]]:
    """The rows, one cell of each in another type."""
    return [{**row, name: cell(row, name, to)} for row in x]


def instances() -> Iterable[Instance]:
    yield from instances_of({"name": "a", "to": "int"})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Rows whose cells differ."""
    return replaced(instance.private["x"], {"a": "1"}, {"a": "2"}, d)
