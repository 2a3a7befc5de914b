"""df_is_equal: the cell of one public name in every row replaced by whether it has a public value.

Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  A cell
that is not there has no value; a number and a text are never equal.
Tight: add a row, or replace it by one with another answer.
Source: rules of tables, row-wise maps; OpenDP make_df_is_equal.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.primitives.records._columns import public_literal, replaced, row_by_row
from metricdp.primitives.tables._named import instances_of, named_rows, written
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness
from metricdp.spaces.scalars import canonical
from metricdp.spaces.texts import Named

example = (
    "lines: dp.Records[str] = ['1, Rome', '2, Oslo']; "
    "dp.select_column(dp.df_is_equal(dp.create_dataframe(dp.split_records(lines, ','), "
    "('id', 'town')), 'town', 'Rome'), 'town', 'bool')"
)

spelling = Spelling(opendp=("make_df_is_equal",))

_EXAMPLE = 'dp.df_is_equal(rows, "town", "A")'


def rule(x: Arg, name: Arg, value: Arg) -> Conclusion:
    """Rows by name; a public name and a public value."""
    space = named_rows(x, "df_is_equal")
    written(name, "df_is_equal", _EXAMPLE)
    public_literal(value, "df_is_equal", _EXAMPLE)
    return row_by_row(space, Named())


def run(x: Any, name: Any, value: Any) -> list[dict[str, Any]]:
    """The rows, one cell of each replaced by the answer."""
    wanted = canonical(value)
    return [{**row, name: name in row and canonical(row[name]) == wanted} for row in x]


def instances() -> Iterable[Instance]:
    yield from instances_of({"name": "a", "value": "1"})
    yield from instances_of({"name": "a", "value": 1})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Rows whose answers differ."""
    return replaced(instance.private["x"], {"a": "1"}, {"a": "2", "b": 1}, d)
