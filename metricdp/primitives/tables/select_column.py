"""select_column: the cell of one public name in every row, in a public type.

Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  It is
total: a cell that is not there, or has no value in the type, is 0, False or empty text.
Tight: add a row, or replace it by one with another cell.
Source: rules of tables, row-wise maps; OpenDP make_select_column.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.primitives.records._casting import converted, default_of, target
from metricdp.primitives.records._columns import replaced, row_by_row
from metricdp.primitives.tables._named import instances_of, named_rows, written
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness

example = (
    "lines: dp.Records[str] = ['1, Rome', '2, Oslo']; "
    "dp.select_column(dp.create_dataframe(dp.split_records(lines, ','), ('id', 'town')), "
    "'id', 'int')"
)

__all__ = ["cell"]

spelling = Spelling(opendp=("make_select_column",))

_EXAMPLE = 'dp.select_column(rows, "age", "int")'


def rule(x: Arg, name: Arg, to: Arg) -> Conclusion:
    """Rows by name; a public name; `to` as for `cast`."""
    space = named_rows(x, "select_column")
    written(name, "select_column", _EXAMPLE)
    _, row = target(to, "select_column")
    return row_by_row(space, row)


def run(x: Any, name: Any, to: Any) -> list[Any]:
    """The cells."""
    return [cell(row, name, to) for row in x]


def cell(row: Any, name: str, to: str) -> Any:
    """One cell in a type, or the type's default."""
    found = converted(row.get(name), to)
    return default_of(to) if found is None else found


def instances() -> Iterable[Instance]:
    yield from instances_of({"name": "a", "to": "str"})
    yield from instances_of({"name": "x", "to": "float"})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Rows whose cells differ."""
    return replaced(instance.private["x"], {"a": "1", "x": "1"}, {"a": "2", "x": "2"}, d)
