"""How many rows have each of the keys 0, 1, ..., n - 1: integers are their own codes.

A pass moves what is no key to n, and what it has read is counted: the caller's array may change
meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np

from metricdp.columns.itself import Itself
from metricdp.columns.language import Node
from metricdp.columns.stored import Stored

#: Rows of a piece: its codes stay in the cache, and counts are added up seldom.
ROWS: Final = 1 << 17
#: Keys that are remembered while they are asked for.
_MANY: Final = 64


def plain_column(row: Any, keys: Sequence[Any], columns: Sequence[Stored]) -> Stored | None:
    """The column whose integers are the codes of their keys; None where there is none.

    Args:
        row: what is compared with the keys.
    """
    stored = isinstance(row, Node) and row.operator == "stored" and row.width is None
    if not stored or row.base != "integer" or row.public >= len(columns):
        return None
    column = columns[row.public]
    bounded = column.bottom is not None or column.top is not None
    if type(column.data) is not np.ndarray or column.data.dtype != np.int64 or bounded:
        return None
    return column if _count_up(keys) else None


def _count_up(keys: Sequence[Any]) -> bool:
    """Whether the keys are 0, 1, 2, ..."""
    if type(keys) is range:
        return keys == range(len(keys))
    if type(keys) is tuple:
        return _counts_up(Itself(keys)) if len(keys) > _MANY else _all_in_turn(keys)
    return _all_in_turn(keys)


@lru_cache(maxsize=8)
def _counts_up(keys: Itself) -> bool:
    return _all_in_turn(keys.held)


def _all_in_turn(keys: Sequence[Any]) -> bool:
    return {int}.issuperset(map(type, keys)) and all(map(int.__eq__, keys, range(len(keys))))


def plain_counts(column: Stored, count: int, pieces: Iterable[Any]) -> Any:
    """Rows with each of `count` keys, and with none of them.

    Args:
        pieces: slices or positions of stored rows, no more than ROWS at once.

    Returns:
        int64 array of shape (count + 1,).
    """
    total = np.zeros(count + 1, np.int64)
    held = np.empty(min(len(column), ROWS), np.uint64)
    for rows in pieces:
        part = column.data[rows].view(np.uint64)
        # Without a sign those below 0 are the largest.
        codes = np.minimum(part, np.uint64(count), out=held[: len(part)])
        total += np.bincount(codes.view(np.int64), minlength=count + 1)
    return total
