"""create_dataframe: rows whose cells are found by the public names of columns.

Stability.  A function of one row keeps equal rows equal: 1 under every metric on records.  It is
total: a line that is too short ends in empty cells, and what a line has too much is left out.
Tight: add a line, or replace it.
Source: rules of tables, row-wise maps; OpenDP make_create_dataframe.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.primitives.records._columns import replaced, row_by_row, tables
from metricdp.primitives.tables._named import names
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness, refuse
from metricdp.spaces import Records
from metricdp.spaces.texts import Cells, Named

example = (
    "lines: dp.Records[str] = ['1, Rome', '2, Oslo']; "
    "dp.select_column(dp.create_dataframe(dp.split_records(lines, ','), ('id', 'town')), "
    "'town', 'str')"
)

spelling = Spelling(opendp=("make_create_dataframe",))

_EXAMPLE = 'dp.create_dataframe(dp.split_records(lines, ","), ["age", "income"])'


def rule(x: Arg, columns: Arg) -> Conclusion:
    """Lines of cells; different public names."""
    space = x.space
    if not isinstance(space, Records) or not isinstance(space.row, Cells):
        raise refuse(
            "unsupported-call",
            f"`create_dataframe` names the cells of lines, and {x.text} has none",
            need="lines made by `split_records`",
            help=_EXAMPLE,
        )
    names(columns, "create_dataframe", _EXAMPLE)
    return row_by_row(space, Named())


def run(x: Any, columns: Any) -> list[dict[str, str]]:
    """Each line as a dictionary."""
    empty = ("",) * len(columns)
    return [dict(zip(columns, (*line, *empty), strict=False)) for line in x]


def instances() -> Iterable[Instance]:
    for _, space in tables(Cells()):
        yield Instance({"x": space}, {"columns": ["a", "b"]})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Lines of different cells."""
    return replaced(instance.private["x"], ("1",), ("2", "3"), d)
