"""Rows of a table by their public key: the parts, and sums over all of them in one pass.

What is asked of one part is usually asked of all of them, by the same function of a row.  The first
part that asks has the sums of all parts made, in one pass over the rows; the others find theirs.
Whether two parts ask the same is seen from the functions, never from the rows.  Parts that ask for
different things read their own rows, from one order of all rows by key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import isnan
from typing import Any, Final

import numpy as np

from metricdp.columns.arrays import range_ticks
from metricdp.columns.files import lies_in_file, room
from metricdp.columns.graphs import alike, told
from metricdp.columns.grids import Ball, Bound, GridRange, Squares
from metricdp.columns.language import Node
from metricdp.columns.sums import COMPUTED, ends, on_grid, small_range, unclamped, without_nan
from metricdp.columns.totals import ball_ticks

#: Passes over all rows that need not have been worth it.
_FREE_PASSES: Final = 8
#: Rows whose ticks of 40 bits add up to integers that doubles hold.
_STEP: Final = 1 << 13
#: Sums that are kept apart for such rows.
_MOST_SUMS: Final = 1 << 14
#: From here on doubles do not stand for every integer.
_EXACT: Final = float(1 << 53)
#: Rows whose sums of such ticks fit 64 bits.
_FLUSH: Final = 1 << 21
_LIMB: Final = 26
#: Rows that are put in order at once.
_PIECE: Final = 1 << 20

#: Values of nodes, piece by piece: (number of rows, values).
Pieces = Callable[..., Any]


class GroupCodes:
    """Codes of some rows, and what was found out about all parts.

    Args:
        rows: their positions among the stored ones; None for all.
        codes: for every row the position of its key; `count` where it has none.
        count: how many keys.
        pieces: reads nodes in all of these rows.
    """

    __slots__ = (
        "_counts", "_order", "_passes", "_served", "_shared", "codes", "count", "pieces", "rows",
    )  # fmt: skip

    def __init__(self, rows: Any, codes: Any, count: int, pieces: Pieces) -> None:
        self.rows, self.codes, self.count, self.pieces = rows, codes, count, pieces
        self._order: Any = None
        self._counts: Any = None
        self._shared: dict[Any, Any] = {}
        self._passes = self._served = 0

    def parts(self) -> list[TablePart]:
        """One per key."""
        return [TablePart(self, place) for place in range(self.count)]

    @property
    def counts(self) -> Any:
        """Rows per key, and of none of them."""
        if self._counts is None:
            self._counts = np.zeros(self.count + 1, np.int64)
            # NumPy counts in a copy of 64 bits.
            for start in range(0, len(self.codes), _PIECE):
                self._counts += counted(self.codes[start : start + _PIECE], self.count + 1)
        return self._counts

    def positions(self, part: int) -> Any:
        """Stored rows of a part, in their order."""
        if self._order is None:
            self._order = self._ordered()
        start = int(self.counts[:part].sum())
        found = self._order[start : start + int(self.counts[part])]
        return found if self.rows is None else self.rows[found]

    def _ordered(self) -> Any:
        """Positions of the rows by their codes; of the same code in their order."""
        if not lies_in_file(self.codes):
            return np.argsort(self.codes, kind="stable")
        # Piece by piece, into the places that the counts leave for each code.
        found = room(len(self.codes), np.int64, True)
        free = np.cumsum(self.counts) - self.counts
        for start in range(0, len(self.codes), _PIECE):
            piece = self.codes[start : start + _PIECE]
            order = np.argsort(piece, kind="stable")
            here = counted(piece, len(free))
            firsts = np.cumsum(here) - here
            found[np.repeat(free - firsts, here) + np.arange(len(piece))] = order + start
            free += here
        return found

    def sums(self, where: Node | None, asked: Sequence[tuple[Node, Bound]]) -> Any:
        """For everything that is asked, a list with the sums of every part, as `Table.ticks` has
        them; None where each part is read by itself."""
        fitting = [(node, bound) for node, bound in asked if not isinstance(bound, Squares)]
        if len(fitting) < len(asked) or not all(_fits(bound) for _, bound in fitting):
            return None
        key = same(where, *(node for node, _ in asked))
        bounds = tuple(bound for _, bound in asked)
        return self.shared(
            None if key is None else ("sums", key, bounds), lambda: _sums(self, where, fitting)
        )

    def shared(self, key: Any, made: Callable[[], Any]) -> Any:
        """What was made once for all parts; None where each part better reads its own rows."""
        if key is None:
            return None
        if key not in self._shared:
            if self._passes > _FREE_PASSES + 2 * self._served // max(self.count, 1):
                return None
            self._passes += 1
            self._shared[key] = made()
        self._served += 1
        return self._shared[key]


class TablePart:
    """The rows of one key."""

    __slots__ = ("_positions", "groups", "place")
    #: Whether it stands for the parts of all keys; see `together`.
    every = False

    def __init__(self, groups: GroupCodes, place: int) -> None:
        self.groups, self.place = groups, place
        self._positions: Any = None

    def __len__(self) -> int:
        return int(self.groups.counts[self.place])

    @property
    def positions(self) -> Any:
        """Stored rows of the part, in their order."""
        if self._positions is None:
            self._positions = self.groups.positions(self.place)
        return self._positions

    def ticks(self, where: Node | None, asked: Sequence[tuple[Node, Bound]]) -> list[Any] | None:
        """Sums over the rows of the part for which a condition holds, as `Table.ticks` has them.

        Returns:
            None where the part is read by itself.
        """
        found = self.groups.sums(where, asked)
        return None if found is None else [column[self.place] for column in found]

    def tallies(
        self, where: Node | None, nodes: Sequence[Node], codes: Callable[..., Any], count: int,
        keys: Any,
    ) -> Any:  # fmt: skip
        """How many rows of the part have each of some other keys, and none of them.

        Args:
            nodes, codes: as `keys.finder` gives them.
            count: how many other keys.
            keys: what tells them from others.
        """
        groups = self.groups
        key = same(where, *nodes)
        if groups.count * (count + 1) > 1 << 20:
            return None
        found = groups.shared(
            None if key is None else ("tallies", key, keys),
            lambda: _tallies(groups, where, nodes, codes, count),
        )
        return None if found is None else found[self.place]


def counted(codes: Any, count: int) -> Any:
    """How often each code occurs."""
    return np.bincount(codes, minlength=count)


def _fits(bound: GridRange | Ball) -> bool:
    entries = bound if isinstance(bound, GridRange) else bound.entries
    return max(-entries.first, entries.last) < 1 << 62


def _sums(
    groups: GroupCodes, where: Node | None, asked: Sequence[tuple[Node, GridRange | Ball]]
) -> Any:
    """For everything that is asked, a list with the sums of every part."""
    count = groups.count + 1
    totals = [[Totals(count) for _ in range(node.width or 1)] for node, _ in asked]
    nodes = [
        unclamped(node, *ends(bound), read=True) if isinstance(bound, GridRange) else node
        for node, bound in asked
    ]
    # What is no number shows in the sums, and is left out then.
    for codes, values in _read(groups, where, nodes, raw=True):
        placed = Codes(codes, count)
        for lines, (_, bound), x in zip(totals, asked, values, strict=True):
            for line, some in zip(lines, _sums_of(placed, x, bound), strict=True):
                line.add(len(codes), some)
    found: list[Any] = []
    for lines, (_, bound) in zip(totals, asked, strict=True):
        sums = [line.sums() for line in lines]
        found.append(
            sums[0] if isinstance(bound, GridRange) else [*map(list, zip(*sums, strict=True))]
        )
    return found


def _sums_of(codes: Codes, x: Any, bound: GridRange | Ball) -> list[list[Any]]:
    """For every entry of a vector, or for a number, the limbs of its sums."""
    if isinstance(bound, Ball):
        return [codes.sums(ticks, 0) for ticks in ball_ticks(x, bound)]
    small = small_range(bound) if x.dtype == np.float64 else None
    if small is None:
        return [codes.sums(range_ticks(x, bound), 0)]
    exponent, rising = bound.exponent, bound.first >= 0
    found = codes.sums(on_grid(x, small, COMPUTED, False), exponent, rising)
    if not found:
        found = codes.sums(on_grid(without_nan(x), small, COMPUTED, True), exponent, rising)
    return [found]


def _tallies(
    groups: GroupCodes,
    where: Node | None,
    nodes: Sequence[Node],
    find: Callable[..., Any],
    count: int,
) -> Any:
    width = count + 1
    found = np.zeros((groups.count + 1) * width, np.int64)
    for codes, values in _read(groups, where, nodes):
        found += counted(codes.astype(np.int64) * width + find(values), len(found))
    return found.reshape(groups.count + 1, width)


def _read(groups: GroupCodes, where: Node | None, nodes: Sequence[Node], raw: bool = False) -> Any:
    """Codes and values of nodes, piece by piece; rows that do not count have no key.

    Args:
        raw: as for `arrays.Plan`.
    """
    asked = nodes if where is None else [*nodes, where]
    start = 0
    for rows, values in groups.pieces(*asked, summed=True, raw=raw):
        codes = groups.codes[start : start + rows]
        start += rows
        if where is not None:
            *values, kept = values
            codes = np.where(kept, codes, codes.dtype.type(groups.count))
        yield codes, values


class Codes:
    """The codes of a piece, by which numbers are added up."""

    __slots__ = ("_count", "_plain")

    def __init__(self, plain: Any, count: int) -> None:
        self._plain, self._count = plain, count

    def sums(self, numbers: Any, exponent: int, rising: bool = False) -> list[Any]:
        """Sums by code, in limbs of 26 bits or in one limb.

        Args:
            numbers: integers of 62 bits; or doubles of 40 bits, whole multiples of 2**exponent.
            rising: none of the doubles is below 0.

        Returns:
            No limbs where some number is NaN.
        """
        if numbers.dtype != np.float64:
            whole = numbers.astype(np.int64)
            mask = (1 << _LIMB) - 1
            limbs = whole & mask, (whole >> _LIMB) & mask, whole >> 2 * _LIMB
            return [np.bincount(self._plain, x, self._count).astype(np.int64) for x in limbs]
        unit = 2.0**-exponent
        if rising:
            # What is added to never falls.  So a sum that ends below 2**53 steps was below in
            # between, where whole numbers of steps are added without rounding.
            whole = np.bincount(self._plain, numbers, self._count) * unit
            largest = float(whole.max())
            if largest < _EXACT:
                return [whole.astype(np.int64)]
            if isnan(largest):
                return []
        total = np.zeros(self._count, np.int64)
        for found in self._segments_of(numbers):
            if isnan(found.sum()):
                return []
            total += (found * unit).astype(np.int64).sum(axis=0)
        return [total]

    def _segments_of(self, numbers: Any) -> Iterator[Any]:
        """Sums by code over 8,192 rows each, which doubles hold, as lines of arrays."""
        rows, segments = len(numbers), -(-len(numbers) // _STEP)
        if segments * self._count <= _MOST_SUMS:
            # The rows of every segment have codes of their own.
            apart = self._plain.astype(np.int64)
            whole = rows - rows % _STEP
            lines = apart[:whole].reshape(-1, _STEP)
            lines += self._count * np.arange(len(lines))[:, None]
            apart[whole:] += self._count * len(lines)
            found = np.bincount(apart, numbers, segments * self._count)
            yield found.reshape(segments, self._count)
            return
        for start in range(0, rows, _STEP):
            here = slice(start, start + _STEP)
            yield np.bincount(self._plain[here], numbers[here], self._count)[None]


class Totals:
    """Exact sums of integers by code: limbs in 64 bits, then Python's integers."""

    __slots__ = ("_count", "_exact", "_limbs", "_rows")

    def __init__(self, count: int) -> None:
        self._count, self._rows = count, 0
        self._limbs: list[Any] = []
        self._exact: Any = None

    def add(self, rows: int, limbs: Sequence[Any]) -> None:
        """The limbs of the sums over some rows more; see `Codes.sums`."""
        while len(self._limbs) < len(limbs):
            self._limbs.append(np.zeros(self._count, np.int64))
        for limb, more in zip(self._limbs, limbs, strict=False):
            limb += more
        self._rows += rows
        if self._rows > _FLUSH:
            self._flush()

    def _flush(self) -> None:
        for place, limb in enumerate(self._limbs):
            more = limb.astype(object) << _LIMB * place
            self._exact = more if self._exact is None else self._exact + more
            limb[:] = 0
        self._rows = 0

    def sums(self) -> list[int]:
        """The sum of every code."""
        if self._exact is None and len(self._limbs) < 2:
            found: list[int] = self._limbs[0].tolist() if self._limbs else [0] * self._count
            return found
        self._flush()
        found = self._exact.tolist()
        return found


def same(*nodes: Node | None) -> Any:
    """What functions of a row do, as a value that is compared; None of what has no such."""
    known: dict[Any, int] = {}
    there = [node for node in nodes if node is not None]
    try:
        found = alike(there, known, lambda node: told(node.public))
    except TypeError:
        return None
    return tuple(known), tuple(None if node is None else found[id(node)] for node in nodes)
