"""The rows between two public numbers by their rank, of which few are asked for.

One pass gives every row a byte: the part of the public interval that it lies in, one of some
hundred of equal length.  Counting bytes gives ranks; rows of a part are read again, and put in
order, when one of its ranks is asked for.  So neither a copy of the column is held nor all of it
sorted, unless most rows lie in one part.

A row is what the first reading made of it, to the part, and what a later one does within: an array
that somebody writes to meanwhile cannot put a row into two parts, or into none.  The parts are
public, so no other row has to do with that.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from math import isfinite
from typing import Any, Final

import numpy as np

from metricdp.columns.language import LARGEST
from metricdp.columns.order import Between, neighbours

#: Parts of the interval; the number of the last one; and what stands for rows beside the interval,
#: and for rows that do not count.
PARTS: Final = 252
_LAST, _BELOW, _ABOVE, _OUT = PARTS, 253, 254, 255
#: Rows that are looked for, and that are counted, at once.
_ROWS: Final = 1 << 18
_COUNTED: Final = 1 << 17
#: Fewer rows are put in order as they are.
ENOUGH: Final = 1 << 16

#: For every piece: which of its stored rows count (None for all), and their doubles.
Pieces = Iterable[tuple[Any, Any]]


class RankedParts:
    """The parts of an interval between two numbers, ends excluded.

    Attributes:
        low, high: the doubles next to its ends: rows at or beyond them lie beside it.
    """

    __slots__ = ("_firsts", "high", "low", "scale")

    def __init__(self, low: Fraction, high: Fraction) -> None:
        double = np.dtype(np.float64)
        self.low, self.high = neighbours(low, double)[0], neighbours(high, double)[1]
        width = self.high - self.low
        self.scale = PARTS / width if width > 0 and isfinite(width) else 0.0
        #: Part -> place of its first double: parts lie beside each other, and share their ends.
        self._firsts: dict[int, int] = {}

    def __bool__(self) -> bool:
        """Whether they have a length in doubles."""
        return 0.0 < self.scale < LARGEST

    def of(self, x: Any) -> Any:
        """The part of every double, from 0 on; inside it rises with them, rounding included."""
        return self._found(x, np.empty(len(x)))

    def taken(self, x: Any) -> Any:
        """`of` an array that may be written on."""
        return self._found(x, x)

    def _found(self, x: Any, places: Any) -> Any:
        below, above = x <= self.low, x >= self.high
        with np.errstate(all="ignore"):
            np.subtract(x, self.low, out=places)
            places *= self.scale
            places.clip(0.0, _LAST, out=places)
        found = places.astype(np.uint8)
        for beside, part in ((below, _BELOW), (above, _ABOVE)):
            if beside.any():
                found[beside] = part
        return found

    def ends(self, part: int) -> tuple[float, float]:
        """The least and the greatest double of a part that has some."""
        return _double(self._first(part)), _double(self._first(part + 1) - 1)

    def _first(self, part: int) -> int:
        """The place of the first double inside of a part or a later one."""
        if part in self._firsts:
            return self._firsts[part]
        below, there = _place(self.low), _place(self.high)
        while there - below > 1:
            middle = (below + there) // 2
            if int(self.of(np.array([_double(middle)]))[0]) >= part:
                there = middle
            else:
                below = middle
        self._firsts[part] = there
        return there


class Ranked:
    """The rows inside of an interval, in order of size; parts of it that are asked for are kept.

    Args:
        parts: of the interval.
        rows: how many rows are stored.
        pieces: all stored rows.
        read: positions of stored rows -> their doubles, read again, in an array of our own.
        room: rows and dtype -> an array to be filled.
    """

    def __init__(
        self,
        parts: RankedParts,
        rows: int,
        pieces: Pieces,
        read: Callable[[Any], Any],
        room: Callable[[int, Any], Any] = np.empty,
    ) -> None:
        self._parts, self._read, self._room = parts, read, room
        self._bytes = room(rows, np.uint8)
        self._fill(pieces)
        counts = _counted(self._bytes)
        self._below, self._all = int(counts[_BELOW]), rows - int(counts[_OUT])
        #: Ranks at which parts begin, and the end.
        self._begins = np.concatenate([[0], np.cumsum(counts[: _LAST + 1])])
        self._held: dict[int, Any] = {}

    def _fill(self, pieces: Pieces) -> None:
        start = 0
        for kept, values in pieces:
            stop = start + len(values)
            own = values.base is None and values.flags.writeable and values.flags.owndata
            self._bytes[start:stop] = self._parts.taken(values) if own else self._parts.of(values)
            if kept is not None:
                self._bytes[start:stop][~kept] = _OUT
            start = stop

    def between(self) -> Between:
        """The rows of the interval, and how many there are beside them."""
        return Between(self._all, self._below, self)

    def __len__(self) -> int:
        return int(self._begins[-1])

    def __getitem__(self, ranks: Any) -> Any:
        """The row of a rank, or those of a slice, which goes forward in steps of one."""
        if not isinstance(ranks, slice):
            return self._rows(ranks, ranks + 1)[0]
        start, stop, _ = ranks.indices(len(self))
        return self._rows(start, stop) if start < stop else np.empty(0)

    def tolist(self) -> list[float]:
        """All rows."""
        found: list[float] = self[:].tolist()
        return found

    def _rows(self, start: int, stop: int) -> Any:
        first, last = (self._begins.searchsorted([start, stop - 1], "right") - 1).tolist()
        self._hold(first, last)
        parts = [self._held[part] for part in range(first, last + 1)]
        rows, begin = parts[0] if first == last else np.concatenate(parts), self._begins[first]
        return rows[start - begin : stop - begin]

    def _hold(self, first: int, last: int) -> None:
        """Read the parts of a range that were not read yet, neighbours together."""
        part = first
        while part <= last:
            end = part
            while end <= last and end not in self._held:
                end += 1
            if end > part:
                self._take(part, end)
            part = max(end, part + 1)

    def _take(self, first: int, end: int) -> None:
        """Read the rows of some parts and put them in order."""
        begins = self._begins[first : end + 1] - self._begins[first]
        found, at = self._room(int(begins[-1]), np.float64), 0
        for positions in _together(self._positions(first, end - 1)):
            values = self._within(self._read(positions), self._bytes[positions])
            found[at : at + len(values)] = values
            at += len(values)
        found.sort()
        for part, start, stop in zip(range(first, end), begins, begins[1:], strict=False):
            self._held[part] = found[start:stop]

    def _positions(self, first: int, last: int) -> Iterator[Any]:
        for start in range(0, len(self._bytes), _ROWS):
            piece = self._bytes[start : start + _ROWS]
            marked = piece == first if first == last else (piece >= first) & (piece <= last)
            there = _marked(marked)
            there += start
            yield there

    def _within(self, values: Any, parts: Any) -> Any:
        """Rows that were read again, each in the part in which it was found first."""
        moved = self._parts.of(values) != parts
        if not moved.any():
            return values
        for part in np.unique(parts[moved]).tolist():
            here = moved & (parts == part)
            values[here] = np.clip(values[here], *self._parts.ends(part))
        return values


def _counted(parts: Any) -> Any:
    """How often each byte occurs."""
    rest = len(parts) // 2 * 2
    counts = np.bincount(parts[rest:], minlength=256)
    for start in range(0, rest, _COUNTED):
        counts += _by_pairs(parts[start : min(start + _COUNTED, rest)])
    return counts


def _by_pairs(parts: Any) -> Any:
    """How often each byte occurs, of two bytes at once: half as many steps."""
    pairs = np.bincount(parts.view(np.uint16), minlength=1 << 16).reshape(256, 256)
    return pairs.sum(axis=0) + pairs.sum(axis=1)


def _marked(mask: Any) -> Any:
    """Where a mask with few marks is set: eight entries are looked at together."""
    if len(mask) % 8:
        return mask.nonzero()[0]
    words = mask.view(np.uint64)
    eights = (words != 0).nonzero()[0]
    found = words.take(eights).view(np.bool_).nonzero()[0]
    places = eights.take(found >> 3)
    places <<= 3
    found &= 7
    places += found
    return places


def _together(parts: Iterable[Any]) -> Iterator[Any]:
    """Short arrays put together to some thousand entries."""
    waiting: list[Any] = []
    entries = 0
    for part in parts:
        waiting.append(part)
        entries += len(part)
        if entries >= _ROWS:
            yield np.concatenate(waiting)
            waiting, entries = [], 0
    if waiting:
        yield np.concatenate(waiting)


def _place(x: float) -> int:
    """The place of a double in the order of all doubles; zero has place 0."""
    bits: int = struct.unpack("<q", struct.pack("<d", x))[0]
    return bits if bits >= 0 else -(bits & ((1 << 63) - 1))


def _double(place: int) -> float:
    bits = struct.pack("<q", place) if place >= 0 else struct.pack("<Q", -place | 1 << 63)
    found: float = struct.unpack("<d", bits)[0]
    return found
