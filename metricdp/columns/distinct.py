"""The different values of rows, and how often each occurs, part by part: in bounded memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np

from metricdp.columns.evaluators import by_reference
from metricdp.columns.language import Node, Untraceable
from metricdp.columns.occurrences import ValueCounts, occurrences
from metricdp.columns.parted import Parted, number_of_parts, stored_rows
from metricdp.columns.table import Table

#: Different values that are given at once.
_AT_ONCE: Final = 1 << 16


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
    if len(nodes) == 1 and (span := span_of(table, nodes[0], stored_rows(table) // 4)):
        yield from _within(table, nodes[0], span, isinstance(table.row, tuple))
        return
    parted = Parted(table, nodes)
    for part in range(parted.count):
        read = (parted.read(part, rows)[1] for rows in parted.slices(part))
        found = [_counted(values, isinstance(table.row, tuple)) for values in read]
        if found:
            yield found[0] if len(found) == 1 else _added(found)


def _counted(values: list[Any], several: bool) -> tuple[list[Any], Any]:
    """`Table.occurrences` of rows whose values were read."""
    columns, counts = occurrences([values], len(values))
    return list(zip(*columns, strict=True)) if several else columns[0], counts


def _added(found: list[tuple[list[Any], Any]]) -> tuple[list[Any], Any]:
    """Counts of several slices of one part."""
    known: dict[Any, int] = {}
    for rows, counts in found:
        for row, count in zip(rows, counts.tolist(), strict=True):
            known[row] = known.get(row, 0) + count
    return list(known), np.array([*known.values()], np.int64)


class NumberSpan(NamedTuple):
    """Whole numbers that lie close together: the least, and how many there are up to the last."""

    low: int
    size: int


def span_of(table: Table, node: Node, most: int) -> NumberSpan | None:
    """Where the numbers of all rows lie; None of no numbers, or of some further apart."""
    ends: list[int] = []
    for _, (values,) in table.pieces(node) if node.base == "integer" else ():
        if values.dtype == object:
            return None
        if len(values):
            ends = [*ends, int(values.min()), int(values.max())]
            ends = [min(ends), max(ends)]
            if ends[1] - ends[0] >= most:
                return None
    return NumberSpan(ends[0], ends[1] - ends[0] + 1) if ends else None


def _within(
    table: Table, node: Node, span: NumberSpan, single: bool
) -> Iterator[tuple[list[Any], Any]]:
    total, others = ValueCounts(span.size), Counter[int]()
    for _, (values,) in table.pieces(node):
        codes, outside = _codes(values, span)
        total.add(codes)
        others.update(outside)
    counts = total.found()
    if others:
        found = [(row,) for row in others] if single else list(others)
        yield found, np.array([*others.values()], np.int64)
    for start in range(0, span.size, _AT_ONCE):
        here = counts[start : start + _AT_ONCE]
        places = np.flatnonzero(here)
        rows = (places + (span.low + start)).tolist()
        yield [(row,) for row in rows] if single else rows, here[places]


def _codes(values: Any, span: NumberSpan) -> tuple[Any, list[int]]:
    """Places in the span, and the numbers outside of it.

    There are some where another thread changes the column after its ends were looked for: what is
    counted is what rows hold when they are counted, and the span is but a way to it.
    """
    if values.dtype == np.int64:
        codes = values - span.low
        if not len(codes) or int(codes.view(np.uint64).max()) < span.size:
            return codes, []
    inside = ((values >= span.low) & (values < span.low + span.size)).astype(np.bool_)
    return values[inside].astype(np.int64) - span.low, values[~inside].tolist()


def seen(table: Table, node: Node, span: NumberSpan) -> tuple[Any, frozenset[int]]:
    """Which of some whole numbers the rows hold, and those that they hold besides."""
    found, others = np.zeros(span.size, np.bool_), set[int]()
    for _, (values,) in table.pieces(node):
        codes, outside = _codes(values, span)
        found[codes] = True
        others.update(outside)
    return found, frozenset(others)


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
    if span := span_of(table, node, stored_rows(table)):
        found, others = seen(table, node, span)
        return int(np.count_nonzero(found)) + len(others)
    parted, total = Parted(table, [node]), 0
    for part in range(parted.count):
        held = np.zeros(0, np.bool_)
        for rows in parted.slices(part):
            values = np.unique(parted.read(part, rows)[1][0])
            held = np.unique(np.concatenate([held, values])) if len(held) else values
        total += len(held)
    return total


def _nodes(table: Table) -> tuple[Node, ...]:
    nodes = table.row if isinstance(table.row, tuple) else (table.row,)
    if any(not isinstance(node, Node) or node.width is not None for node in nodes):
        raise Untraceable("rows that are no values")
    return nodes
