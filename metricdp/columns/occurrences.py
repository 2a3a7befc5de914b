"""How often every different row occurs, in arrays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from metricdp.columns.texts import Texts

#: Codes of several fields are one number while there are no more of them than this.
_MOST: Final = 1 << 62


def occurrences(pieces: Sequence[Sequence[Any]], fields: int) -> tuple[list[list[Any]], Any]:
    """The different rows, and how many rows there are of each, at least 1.

    Args:
        pieces: for every piece the values of each field: arrays of shape (rows,), or `Texts`.
        fields: how many.

    Returns:
        For every field its values in the different rows, as Python's own; int64 array of counts.
    """
    if not pieces:
        return [[] for _ in range(fields)], np.zeros(0, np.int64)
    each = [coded([values[i] for values in pieces]) for i in range(fields)]
    codes, size = each[0][0], len(each[0][1])
    for more, values in each[1:]:
        size *= max(len(values), 1)
        if size > _MOST:
            counted = Counter(zip(*(_decoded(*field) for field in each), strict=True))
            return [list(column) for column in zip(*counted, strict=True)], np.array(
                [*counted.values()], np.int64
            )
        codes = codes.astype(np.int64) * len(values) + more
    if size <= 4 * len(codes) + 1024:
        counts = np.bincount(codes, minlength=size)
        found = np.flatnonzero(counts)
        counts = counts[found]
    else:
        found, counts = np.unique(codes, return_counts=True)
    columns: list[list[Any]] = []
    for _, values in reversed(each):
        found, digits = np.divmod(found, max(len(values), 1)) if fields > 1 else (found, found)
        columns.append([values[digit] for digit in digits.tolist()])
    return columns[::-1], counts


class ValueCounts:
    """How many rows have each of some codes.

    Args:
        size: how many codes there are.
    """

    def __init__(self, size: int) -> None:
        self._found = np.zeros(size, np.int64)
        self._waiting: list[Any] = []
        self._rows = 0

    def add(self, codes: Any) -> None:
        """Count some rows more."""
        self._waiting.append(codes)
        self._rows += len(codes)
        # Counting takes time for every code as well as for every row.
        if self._rows > len(self._found):
            self._count()

    def _count(self) -> None:
        if self._waiting:
            codes = np.concatenate(self._waiting)
            self._found += np.bincount(codes, minlength=len(self._found))
        self._waiting, self._rows = [], 0

    def found(self) -> Any:
        """int64 array of shape (size,)."""
        self._count()
        return self._found


def of_texts(pieces: Iterable[Texts]) -> tuple[list[str], Any]:
    """The different texts that rows hold, and how many rows hold each.

    Args:
        pieces: of one column, or of several; no more is kept of them than there are texts.
    """
    values: Sequence[str] = []
    total: ValueCounts | None = None
    other: Counter[str] = Counter()
    for piece in pieces:
        if total is None:
            values, total = piece.values, ValueCounts(len(piece.values))
        if piece.values is values:
            total.add(piece.codes)
            continue
        found, counts = np.unique(piece.codes, return_counts=True)
        for code, rows in zip(found.tolist(), counts.tolist(), strict=True):
            other[piece.values[code]] += rows
    counts = np.zeros(0, np.int64) if total is None else total.found()
    places = np.flatnonzero(counts)
    texts, counts = [values[place] for place in places.tolist()], counts[places]
    if other or len(set(texts)) < len(texts):
        for text, rows in zip(texts, counts.tolist(), strict=True):
            other[text] += rows
        return list(other), np.array([*other.values()], np.int64)
    return texts, counts


def _decoded(codes: Any, values: Sequence[Any]) -> list[Any]:
    return [values[code] for code in codes.tolist()]


def coded(pieces: Sequence[Any]) -> tuple[Any, list[Any]]:
    """For all rows a position among different values, and these, as Python's own.

    Args:
        pieces: at least one; arrays of shape (rows,), or `Texts`.
    """
    if isinstance(pieces[0], Texts):
        return _texts(pieces)
    array = np.concatenate(pieces)
    if array.dtype == object:
        known: dict[Any, int] = {}
        places = [known.setdefault(x, len(known)) for x in array.tolist()]
        return np.array(places, np.int64), list(known)
    if array.dtype.kind in "bi" and len(array):
        low, high = int(array.min()), int(array.max())
        if high - low <= 4 * len(array) + 1024:
            kind = bool if array.dtype.kind == "b" else int
            return array.astype(np.int64) - low, [kind(x) for x in range(low, high + 1)]
    values, codes = np.unique(array, return_inverse=True)
    return codes, values.tolist()


def _texts(pieces: Sequence[Texts]) -> tuple[Any, list[Any]]:
    known: dict[str, int] = {}
    values = pieces[0].values
    rows = sum(map(len, pieces))
    if rows < len(values) and all(piece.values is values for piece in pieces):
        # A few rows of a column with many texts: no more is looked at than they hold.
        found, at = np.unique(np.concatenate([p.codes for p in pieces]), return_inverse=True)
        told = [known.setdefault(values[code], len(known)) for code in found.tolist()]
        return np.array(told or [0], np.int64)[at], list(known)
    if all(piece.values is values for piece in pieces) and len(set(values)) == len(values):
        return np.concatenate([piece.codes for piece in pieces]), list(values)
    codes = []
    tables: dict[int, Any] = {}
    for piece in pieces:
        key = id(piece.values)  # the pieces of a column share one list, which lives as they do
        if key not in tables:
            places = [known.setdefault(value, len(known)) for value in piece.values]
            tables[key] = np.array(places or [0], np.int64)
        codes.append(tables[key][piece.codes])
    return np.concatenate(codes), list(known)
