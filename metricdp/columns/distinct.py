"""The different values of rows, and how often each occurs, part by part: in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from metricdp.columns.evaluators import by_reference
from metricdp.columns.language import Node, Untraceable
from metricdp.columns.parted import Parted, number_of_parts, stored_rows
from metricdp.columns.table import Table


def occurring(table: Table) -> Iterator[tuple[list[Any], Any]]:
    """`Table.occurrences` of parts of the rows: no value is in two of them.

    Raises:
        Untraceable: rows that are neither one value nor a tuple of such.
    """
    nodes = _nodes(table)
    whole = table.engine is not None or by_reference()
    # Texts are told apart already.
    if whole or number_of_parts(stored_rows(table)) == 1 or [n.base for n in nodes] == ["text"]:
        yield table.occurrences()
        return
    parted = Parted(table, nodes)
    for slices in parted:
        found = [parted.every.taken(rows).occurrences() for rows in slices]
        if found:
            yield found[0] if len(found) == 1 else _added(found)


def _added(found: list[tuple[list[Any], Any]]) -> tuple[list[Any], Any]:
    """Counts of several slices of one part."""
    known: dict[Any, int] = {}
    for rows, counts in found:
        for row, count in zip(rows, counts.tolist(), strict=True):
            known[row] = known.get(row, 0) + count
    return list(known), np.array([*known.values()], np.int64)


def different(table: Table, node: Any) -> int:
    """How many different values the rows hold.

    Raises:
        Untraceable: what is no single value.
    """
    (node,) = _nodes(table.with_row(node))
    if table.engine is not None:
        return table.engine.different(table, [node])
    if by_reference() or node.base == "text":
        return len(table.with_row(node).occurrences()[0])
    parted, total = Parted(table, [node]), 0
    for slices in parted:
        held = np.zeros(0, np.bool_)
        for rows in slices:
            values = np.unique(parted.every.taken(rows).array(node))
            held = np.unique(np.concatenate([held, values])) if len(held) else values
        total += len(held)
    return total


def _nodes(table: Table) -> tuple[Node, ...]:
    nodes = table.row if isinstance(table.row, tuple) else (table.row,)
    if any(not isinstance(node, Node) or node.width is not None for node in nodes):
        raise Untraceable("rows that are no values")
    return nodes
