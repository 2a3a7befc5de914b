"""Ids of a table as texts of a unit: whose row it is, and in which calendar window."""

from __future__ import annotations

from metricdp.columns.language import both as both_hold
from metricdp.columns.language import lt, single
from metricdp.columns.moments import Instant
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.columns.texts import Texts
from metricdp.engines.windows import with_windows
from metricdp.errors import InternalError
from metricdp.spaces import Owned
from metricdp.spaces.moments import DAY, ends_of, value_of
from metricdp.spaces.windows import out_of_words, text_of, window


def in_windows(table: Table, space: Owned) -> Table:
    """The rows whose window is known, as programs see them: `Owned.entered` of each."""
    import numpy as np

    per = out_of_words(space.whose)[1]
    parts = list(space.row.parts(table.row))
    when = parts[space.row.names.index(space.day)]
    if not isinstance(when, Instant):
        raise InternalError("a date that is none")
    low, high = ends_of(when.kind)
    if table.engine is not None:
        known = table.filtered(both_hold(lt(low, when.number), lt(when.number, high)))
        columns, text = with_windows(table.columns, parts[space.place], when, per)
        parts[space.place] = text
        return Table(columns, space.inside.row.build(parts), known.where, None, table.value)
    days = table.array(when.number)
    known = (days > low) & (days < high)
    if not known.all():
        table, days = table.taken(np.flatnonzero(known)), days[known]
    days = days if when.kind == "date" else days // DAY
    codes, ids = table.coded(single(parts[space.place]))
    different, place = np.unique(days, return_inverse=True)
    dates = [value_of("date", int(day)) for day in different]
    windows: dict[str, int] = {}
    numbers = [windows.setdefault(window(per, day), len(windows)) for day in dates]
    mine = np.array(numbers, np.int64)[place] if numbers else place
    both = codes.astype(np.int64) * max(len(windows), 1) + mine
    units, told = np.unique(both, return_inverse=True)
    names = list(windows)
    texts = [text_of(ids[unit // len(names)], names[unit % len(names)]) for unit in units.tolist()]
    held = table.held()
    data = np.zeros(len(table.columns[0]), np.int64)
    data[slice(None) if held is None else held] = told
    column = Stored("text", Texts(data, texts or [""]))
    parts[space.place] = column.node(len(table.columns))
    row = space.inside.row.build(parts)
    return Table((*table.columns, column), row, None, held, table.value)
