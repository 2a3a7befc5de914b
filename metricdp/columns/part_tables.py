"""The parts of a table by public keys, as a sequence whose tables are made when one is looked at.

What is asked of every part is asked of all of them at once (`together`), so most are never made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any


class PartTables(Sequence[Any]):
    """One table for every key, in the order of the keys.

    Args:
        like: the table of all rows, whose row, columns and kind of values are those of the parts.
        groups: what holds the rows of every key; see `groups.GroupCodes`.
        table: its part -> the table.
    """

    __slots__ = ("_made", "_table", "groups", "like")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, like: Any, groups: Any, table: Callable[[Any], Any]) -> None:
        self.like, self.groups = like, groups
        self._table = table
        self._made: tuple[Any, ...] | None = None

    @property
    def _tables(self) -> tuple[Any, ...]:
        if self._made is None:
            self._made = tuple(map(self._table, self.groups.parts()))
        return self._made

    def __len__(self) -> int:
        return int(self.groups.count)

    def __getitem__(self, index: Any) -> Any:
        return self._tables[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._tables)

    def __add__(self, more: Any) -> tuple[Any, ...]:
        return (*self, *more)

    def __radd__(self, before: Any) -> tuple[Any, ...]:
        return (*before, *self)

    def __eq__(self, other: object) -> Any:
        return self._tables == tuple(other) if isinstance(other, PartTables | tuple) else False

    def __repr__(self) -> str:
        return "PartTables(private)"
