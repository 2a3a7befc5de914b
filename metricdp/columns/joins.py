"""The pairs of rows of two tables that have one key, at most so many rows of each table per key.

Of the rows of a key those are kept that are least, field by field, so that it depends on the rows
alone and not on their order which they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from metricdp.columns.language import Node, Untraceable
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.columns.texts import Texts
from metricdp.columns.tracing import row_of, traced

Key = Callable[[Any], Any]


def joined(a: Any, b: Any, key_a: Key, key_b: Key, most: int) -> Table:
    """A table of tuples: the fields of a row of the first table, then those of one of the second.

    Args:
        most: rows of each table that a key keeps.

    Raises:
        Untraceable: rows that are no columns of single values, or a key that has no form.
    """
    sides = [_Side(table, key) for table, key in ((a, key_a), (b, key_b))]
    first, second = sides
    # Keys are numbered in the order in which they come in the first table.
    places = {value: place for place, value in enumerate(first.keys)}
    shared = [places.get(value, -1) for value in second.keys]
    left, right = first.codes, np.array([*shared, -1], np.int64)[second.codes]
    met = np.zeros(len(places) + 1, np.bool_)
    met[right] = True
    kept_a, keys_a = first.kept(np.where(met[left], left, -1), most)
    kept_b, keys_b = second.kept(right, most)
    order = _by_first(keys_a, first.codes)
    kept_a, keys_a = kept_a[order], keys_a[order]
    starts = np.searchsorted(keys_b, keys_a, side="left")
    counts = np.searchsorted(keys_b, keys_a, side="right") - starts
    rows_a = np.repeat(kept_a, counts)
    ends = np.cumsum(counts)
    within = np.arange(len(rows_a)) - np.repeat(ends - counts, counts)
    rows_b = kept_b[np.repeat(starts, counts) + within]
    columns = (*first.taken(rows_a), *second.taken(rows_b))
    return Table(
        columns, tuple(each.node(at) for at, each in enumerate(columns)), value=first.table.value
    )


def _by_first(keys: Any, codes: Any) -> Any:
    """The order of rows by where their key comes first among all rows, stable."""
    found, at = np.unique(codes, return_index=True)
    come = np.zeros(int(found.max(initial=-1)) + 1, np.int64)
    come[found] = at
    return np.argsort(come[keys], kind="stable")


class _Side:
    """One of the tables.

    Attributes:
        codes: for every row the position of its key in `keys`.
        keys: different keys.
    """

    def __init__(self, table: Any, key: Key) -> None:
        if not isinstance(table, Table):
            raise Untraceable("rows that are no columns")
        self.table, self._fields = table, _fields(table.row)
        self.codes, self.keys = table.coded(_single(row_of(traced(key, table.row))))

    def kept(self, keys: Any, most: int) -> tuple[Any, Any]:
        """Rows that are kept, by key and then by their fields, and the key of each.

        Args:
            keys: the key of every row; -1 of a row that is not kept.
        """
        rows = np.flatnonzero(keys >= 0)
        fields = [_ranks(*self.table.coded(field))[rows] for field in self._fields]
        rows = rows[np.lexsort((*fields[::-1], keys[rows]))]
        ordered = keys[rows]
        place = np.arange(len(rows)) - np.searchsorted(ordered, ordered, side="left")
        inside = place < most
        return rows[inside], ordered[inside]

    def taken(self, rows: Any) -> list[Stored]:
        """The fields of some rows as columns."""
        found = []
        for field in self._fields:
            if field.base == "text":
                codes, values = self.table.coded(field)
                found.append(Stored("text", Texts(codes.astype(np.int64)[rows], values)))
            else:
                held = self.table.array(field)[rows]
                found.append(Stored(field.base, held, *(field.range or ())))
        return found


def _fields(row: Any) -> Sequence[Node]:
    parts = tuple(row.values()) if isinstance(row, dict) else row
    return [_single(part) for part in (parts if isinstance(parts, tuple) else (parts,))]


def _single(value: Any) -> Node:
    if not isinstance(value, Node) or value.width is not None:
        raise Untraceable("rows or keys that are no single values")
    return value


def _ranks(codes: Any, values: Sequence[Any]) -> Any:
    """The place of every row's value among the different ones in their order."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = np.empty(len(values), np.int64)
    ranks[order] = np.arange(len(values))
    return ranks[codes]
