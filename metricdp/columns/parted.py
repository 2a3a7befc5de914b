"""Rows of a table in parts: those with equal values are in one part, and each part is short.

What is done with the rows of every person, or of every different value, is done part by part, so
that memory does not grow with the rows but for two bytes each: the place of a row within its block
of 65,536.  They lie where the columns do, in memory or in a file.  Which part a row is in depends
on its values alone, and is the same in every run.

The values are read twice, to divide the rows and in each part.  A row that another thread changes
in between, so that it belongs to another part, is in none: nobody has rows in two of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final
from zlib import crc32

import numpy as np

from metricdp.columns.language import Node
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.columns.texts import Texts

#: Rows whose places are numbers of 16 bits.
_BLOCK: Final = 1 << 16
#: Rows of a part: a share of all, within these; more where many rows are equal.
_SHARE, _FEW, _MANY = 128, 1 << 13, 1 << 16
#: Rows of a table that is one part.
_WHOLE = 1 << 17
#: Parts of a table; a table of more rows than these hold has longer ones, in several slices.
_MOST: Final = 1 << 10
#: One row in so many is told by its position, and more by a mark of every row.
_SPARSE: Final = 16
_WORD: Final = (1 << 64) - 1
_FACTORS: Final = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F)
_HALF: Final = np.uint64(32)


def number_of_parts(rows: int) -> int:
    """Into how many parts so many rows are divided."""
    if rows <= _WHOLE:
        return 1
    wanted = rows // min(max(rows // _SHARE, _FEW), _MANY)
    return min(1 << max(wanted - 1, 0).bit_length(), _MOST)


def stored_rows(table: Table) -> int:
    """How many rows `Parted` names: those that count, and those that do not."""
    return len(table.columns[0] if table.positions is None else table.positions)


class Parted:
    """The rows of a table that count, in parts.

    Args:
        nodes: rows with equal values of these are in one part.
        count: number of parts, a power of two; 0 for what suits the rows.

    Attributes:
        every: the table with all of its stored rows, whether they count or not; rows are named by
            their places in it.
        size: how many rows these are.
    """

    __slots__ = ("_ends", "_nodes", "_order", "_table", "count", "every", "size")

    def __init__(self, table: Table, nodes: Sequence[Node], count: int = 0) -> None:
        self._table, self._nodes = table, nodes
        self.every = Table(table.columns, table.row, None, table.positions, table.value)
        self.size = stored_rows(table)
        self.count = count or number_of_parts(self.size)
        self._order = table.room()(self.size, np.uint16)
        #: For every block where each part begins, and where the last one ends.
        self._ends = np.zeros((-(-self.size // _BLOCK), self.count + 1), np.int32)
        for at, codes in enumerate(self._codes()):
            start = at * _BLOCK
            self._order[start : start + len(codes)] = codes.argsort(kind="stable")
            counts = np.bincount(codes, minlength=self.count + 1)
            self._ends[at, 1:] = np.cumsum(counts[: self.count])

    def _codes(self) -> Iterator[Any]:
        """For every block of rows the part of each; one more of those that do not count."""
        nodes, where = self._nodes, self._table.where
        kind = np.uint8 if self.count < 1 << 8 else np.uint16
        block, filled = np.empty(_BLOCK, kind), 0
        asked = nodes if where is None else [*nodes, where]
        for rows, values in self.every.pieces(*asked):
            codes = self._parts(values[: len(nodes)]).astype(kind)
            if where is not None:
                codes[~values[-1]] = self.count
            start = 0
            while start < rows:
                stop = min(start + _BLOCK - filled, rows)
                block[filled : filled + stop - start] = codes[start:stop]
                filled, start = filled + stop - start, stop
                if filled == _BLOCK:
                    yield block
                    filled = 0
        if filled:
            yield block[:filled]

    def _parts(self, values: Sequence[Any]) -> Any:
        """The part of every row, of its values."""
        return _mixed(values) & np.uint64(self.count - 1)

    def read(self, part: int, rows: Any) -> tuple[Any, list[Any]]:
        """Those of some rows of a part that are still in it, and their values, of one reading.

        Returns:
            Their places; for every node an array, or `Texts`.
        """
        some = self.every.taken(rows)
        values = [values_of(some, node) for node in self._nodes]
        if self.count > 1 and not (here := self._parts(values) == part).all():
            rows, values = rows[here], [each[here] for each in values]
        return rows, values

    def whole(self, part: int) -> tuple[Any, list[Any]]:
        """`read`, of all rows of a part."""
        return self.read(part, np.concatenate([np.zeros(0, np.int64), *self.slices(part)]))

    def slices(self, part: int) -> Iterator[Any]:
        """Places of the rows of a part, rising: in several arrays where they are many."""
        begins, ends = self._ends[:, part], self._ends[:, part + 1]
        lengths = (ends - begins).astype(np.int64)
        before = np.cumsum(lengths) - lengths
        blocks = np.arange(len(lengths)) * _BLOCK
        cuts = np.flatnonzero(np.diff(before // _MANY, prepend=-1)).tolist()
        for first, last in zip(cuts, [*cuts[1:], len(lengths)], strict=False):
            here = lengths[first:last]
            if total := int(here.sum()):
                starts = blocks[first:last] + begins[first:last] - (np.cumsum(here) - here)
                places = np.arange(total)
                places += np.repeat(starts, here)
                yield self._order[places] + np.repeat(blocks[first:last], here)

    def marks(self) -> Any:
        """False for every row: where it is True is written by who asks for it."""
        found = self._table.room()(self.size, np.bool_)
        found[:] = False
        return found


def marked(table: Table, marks: Any) -> Table:
    """The rows of a table that are marked.

    Args:
        marks: for every row, as `Parted` names them; False of those that do not count.
    """
    kept, positions = int(np.count_nonzero(marks)), table.positions
    if table.where is None and kept == len(marks):
        return table
    if positions is not None or kept * _SPARSE < len(marks):
        found = np.flatnonzero(marks)
        found = found if positions is None else positions[found]
        return Table(table.columns, table.row, None, found, table.value)
    column = Stored("boolean", marks)
    where = column.node(len(table.columns))
    made = Table((*table.columns, column), table.row, where, None, table.value)
    made.counted(kept)
    return made


def values_of(table: Table, node: Node) -> Any:
    """The values of a node in all rows: an array, or `Texts`."""
    return table.texts(node) if node.base == "text" else table.array(node)


def _mixed(values: Sequence[Any]) -> Any:
    """Some 64 bits of the values of every row; equal values have equal ones."""
    found = np.zeros(len(values[0]), np.uint64)
    for each in values:
        found ^= _bits(each)
        for factor in _FACTORS:
            found *= factor
            found ^= found >> _HALF
    return found


def _bits(values: Any) -> Any:
    """64 bits of every value."""
    if isinstance(values, Texts):
        return bits_of(values)[values.codes]
    if values.dtype == object:
        return np.fromiter((x & _WORD for x in values.tolist()), np.uint64, len(values))
    if values.dtype.kind == "f":
        return values.view(np.uint64)  # 0 has one sign
    return values.astype(np.int64).view(np.uint64)


def bits_of(texts: Texts) -> Any:
    """A hash of every different text, in 64 bits."""

    def made() -> Any:
        found = (crc32(text.encode("utf-8", "surrogatepass")) for text in texts.values)
        return np.fromiter(found, np.uint64, len(texts.values))

    return texts.once("bits", made)
