"""Ids of calendar windows on an engine: the texts that `spaces.windows` makes, in SQL."""

from __future__ import annotations

from typing import Any

from metricdp.columns.language import Node, single
from metricdp.columns.moments import Instant
from metricdp.engines.dialect import Dialect
from metricdp.engines.rows import EngineColumn, EngineColumns
from metricdp.errors import InternalError
from metricdp.spaces.moments import DAY, ends_of


def with_windows(
    columns: EngineColumns, who: Any, when: Instant, per: str
) -> tuple[EngineColumns, Node]:
    """The columns of a table and one more, with the texts of units, and this one as a node.

    Args:
        who: the id of every row.
        when: its date, or its time.
        per: one of `spaces.windows.PERIODS`.
    """
    source = columns.engine.source
    sql = source.dialect
    ids, days = _stored(columns, single(who)), _stored(columns, when.number)
    number = days.clean
    if when.kind == "datetime":
        # A quotient without a rest, and so rounded down.
        rest = f"((({number} % {DAY}) + {DAY}) % {DAY})"
        most = float(max(map(abs, ends_of(when.kind))))
        number = f"({sql.quotient(f'({number} - {rest})', str(DAY), most)})"
    one = ids.clean if ids.base == "text" else f"CAST({ids.clean} AS STRING)"
    text = f"({one} || ' ' || {_window(sql, per, number)})"
    column = EngineColumn(sql, "text", text)
    made = EngineColumns.of(source, [*columns, column], columns.engine.made_as)
    return made, column.node(len(columns))


def _stored(columns: EngineColumns, node: Node) -> EngineColumn:
    if node.operator != "stored":
        raise InternalError("a field that is no column")
    found: EngineColumn = columns[node.public]
    return found


def _window(sql: Dialect, per: str, days: str) -> str:
    """The text of the window of a number of days since 1970; see `spaces.windows.window`."""

    def padded(name: str, width: int) -> str:
        return f"lpad(CAST({sql.day_part(name, days)} AS STRING), {width}, '0')"

    if per == "week":
        return f"{padded('iso_year', 4)} || '-W' || {padded('iso_week', 2)}"
    parts = [padded("year", 4), padded("month", 2), padded("day", 2)]
    return " || '-' || ".join(parts[: {"day": 3, "month": 2, "year": 1}[per]])
