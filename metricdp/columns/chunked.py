"""A column in several arrays that lie apart, read by rows as if it were one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


class Chunked:
    """Arrays of one dtype, one after the other; nothing is copied until rows are read.

    Args:
        parts: arrays of shape (rows,) with the same dtype; at least one.
    """

    __slots__ = ("ends", "parts")
    ndim = 1

    def __init__(self, parts: Sequence[Any]) -> None:
        self.parts = list(parts)
        self.ends = np.cumsum([len(part) for part in parts])

    @property
    def dtype(self) -> Any:
        return self.parts[0].dtype

    def __len__(self) -> int:
        return int(self.ends[-1])

    def __getitem__(self, rows: Any) -> Any:
        """An entry, or those of a slice in steps of one, or at an array of positions or marks."""
        if isinstance(rows, int):
            return self._gathered(np.array([rows]))[0]
        if not isinstance(rows, slice):
            return self._gathered(np.flatnonzero(rows) if rows.dtype.kind == "b" else rows)
        start, stop, _ = rows.indices(len(self))
        found = []
        at = int(np.searchsorted(self.ends, start, side="right"))
        while start < stop:
            begin = int(self.ends[at]) - len(self.parts[at])
            part = self.parts[at][start - begin : stop - begin]
            found.append(part)
            start += len(part)
            at += 1
        return _one(found, self.parts[0])

    def _gathered(self, positions: Any) -> Any:
        found = np.empty(len(positions), self.dtype)
        where = np.searchsorted(self.ends, positions, side="right")
        for at in np.unique(where).tolist():
            here = where == at
            begin = int(self.ends[at]) - len(self.parts[at])
            found[here] = self.parts[at][positions[here] - begin]
        return found

    def tolist(self) -> list[Any]:
        """The entries as Python values."""
        return [entry for part in self.parts for entry in part.tolist()]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.concatenate(self.parts, dtype=dtype)


def _one(found: list[Any], like: Any) -> Any:
    if len(found) == 1:
        return found[0]
    return np.concatenate(found) if found else like[:0]


def joined(parts: Sequence[Any]) -> Any:
    """Arrays as one column: itself where there is one, small ones copied together.

    Args:
        parts: at least one array; dtypes that differ are those of numbers of one kind.
    """
    same = np.result_type(*{part.dtype for part in parts})
    found: list[Any] = []
    small: list[Any] = []
    waiting = 0
    for part in parts:
        if len(part):
            small.append(part.astype(same, copy=False))
            waiting += len(part)
        if waiting >= ENOUGH:
            found.append(_one(small, small[0]))
            small, waiting = [], 0
    if small or not found:
        found.append(_one(small, parts[0].astype(same, copy=False)))
    return found[0] if len(found) == 1 else Chunked(found)


#: Parts of fewer rows are copied together, so that a piece is read from few of them.
ENOUGH = 1 << 16
