"""The first few rows of everybody in a table, in a public order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from metricdp.columns.language import Node, Untraceable
from metricdp.columns.moments import Instant
from metricdp.columns.nullable import Nullable
from metricdp.columns.table import Table

#: Base, position among different values and these values, of every field -> arrays for `lexsort`.
Order = Callable[[Sequence[tuple[str, Any, list[Any]]]], tuple[Any, ...]]


def limited(table: Table, owner: Any, fields: Sequence[Any], most: int, order: Order) -> Table:
    """At most so many rows of every owner, in the order of the table.

    Args:
        owner: the field that says whose row it is.
        fields: all fields of a row, by which an owner's rows are put in order.
        order: base, codes and values of every field of some rows -> arrays that put them in a
            public order; the code after the last value is that of a value that is missing.

    Raises:
        Untraceable: an owner that is no single value.
    """
    if not isinstance(owner, Node) or owner.width is not None:
        raise Untraceable("an id that is no single value")
    owners, different = table.coded(owner)
    counts = np.bincount(owners, minlength=len(different))
    several = counts > most
    if not several.any():
        return table
    # Few have more rows than are kept: only their rows are read and put in order.
    busy = np.flatnonzero(several[owners])
    of_busy = table.taken(busy)
    found = order([_coded(of_busy, field) for field in fields])
    mine = owners[busy]
    ordered = np.lexsort((*found, mine))
    mine = mine[ordered]
    place = np.arange(len(mine)) - np.searchsorted(mine, mine, side="left")
    kept = ~several[owners]
    kept[busy[ordered[place < most]]] = True
    return table.taken(np.flatnonzero(kept))


def _coded(table: Table, field: Any) -> tuple[str, Any, list[Any]]:
    there = None
    if isinstance(field, Nullable):
        field, there = field.value, field.there
    node = field.number if isinstance(field, Instant) else field
    if not isinstance(node, Node) or node.width is not None:
        raise Untraceable("a field that is no single value")
    codes, values = table.coded(node)
    if there is not None:
        codes = np.where(table.array(there), codes, len(values))
    return node.base, codes, values
