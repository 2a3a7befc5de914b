"""Sums of what rows add to entries that they choose: all entries in one pass over the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from metricdp.columns.evaluators import by_reference
from metricdp.columns.grids import Bound
from metricdp.columns.groups import GroupCodes
from metricdp.columns.language import Node
from metricdp.columns.table import Table
from metricdp.columns.totals import finished


def counts_at(table: Table, position: Node, count: int) -> list[int]:
    """How many rows have each position from 0 to count - 1."""
    found: list[int] = table.with_row(position).tallies(range(count)).tolist()
    return found[:count]


def sums_at(
    table: Table, position: Node, count: int, asked: Sequence[tuple[Node, Bound]]
) -> list[list[Any]]:
    """For everything that is asked, its exact sums over the rows of each position."""
    if table.engine is not None:
        return table.engine.sums_at(table, position, count, asked)
    codes = _codes(table, position, count)
    rows = Table(table.columns, table.row, None, table.positions, table.value)
    if table.where is not None:
        rows = rows.taken(np.flatnonzero(_kept(table)).tolist())
    if by_reference():
        parts = [rows.taken(np.flatnonzero(codes == place).tolist()) for place in range(count)]
        return [list(each) for each in zip(*(p.totals(asked) for p in parts), strict=True)]
    groups = GroupCodes(rows.positions, codes, count, rows.pieces)
    found = groups.sums(None, asked)
    if found is None:
        each = [Table(table.columns, table.row, None, p, table.value) for p in groups.parts()]
        return [list(line) for line in zip(*(part.totals(asked) for part in each), strict=True)]
    return [
        [finished(bound, ticks, node.width) for ticks in column[:count]]
        for column, (node, bound) in zip(found, asked, strict=True)
    ]


def _codes(table: Table, position: Node, count: int) -> Any:
    """The position of every row that counts; `count` for none."""
    pieces = [np.asarray(values[0]) for _, values in table.pieces(position, summed=True)]
    whole = np.concatenate(pieces) if pieces else np.zeros(0)
    whole = whole.astype(np.int64)
    return np.where((whole >= 0) & (whole < count), whole, count)


def _kept(table: Table) -> Any:
    """Which of the stored rows count."""
    assert table.where is not None
    rows = Table(table.columns, (), None, table.positions, table.value)
    pieces = [np.asarray(values[0]) for _, values in rows.pieces(table.where)]
    return np.concatenate(pieces) if pieces else np.zeros(0, bool)
