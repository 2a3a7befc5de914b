"""Rows that equal a public constant, for many constants one after the other.

`[row for row in rows if row.key == k]` for every k of a list goes through all rows once per k.
From the second constant on, the column is grouped by everything that it holds, and each constant
finds its rows there, as the parts of `dp.partition` do.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from metricdp.columns.language import Node, both

if TYPE_CHECKING:
    from metricdp.columns.table import Table

#: Columns that hold more different values are gone through once per constant.
_MOST_VALUES: Final = 1 << 14

#: Rows whose codes are found at once.
_PIECE: Final = 1 << 16

Equality = tuple[int, Any]


class Values:
    """What a column holds, once more than one constant was looked for in it.

    The constants are public, so whether the column is grouped does not depend on its rows.
    """

    __slots__ = ("_constant", "_found", "_groups", "_places")

    def __init__(self) -> None:
        self._constant: Any = None
        self._groups: Any = None
        self._places: Mapping[Any, int] = {}
        self._found = False

    def chosen(self, table: Table, position: int, constant: Any) -> Any:
        """The rows of a whole table whose column equals a constant, as a part or as positions.

        Returns:
            None where each row is to be asked.
        """
        from metricdp.columns.groups import TablePart

        told = type(constant), constant
        if table.engine is not None:
            self._constant = told if self._constant is None else self._constant
            if self._groups is None:
                several = told != self._constant
                self._groups = table.engine.by_value(table, position, _MOST_VALUES, several)
            return None if self._groups is None else self._groups.part(constant)
        if self._constant in (None, told):
            self._constant = told
            return None
        if not self._found:
            self._found = True
            self._group(table, position)
        if self._groups is None:
            return None
        place = self._places.get(constant)
        return np.zeros(0, np.int64) if place is None else TablePart(self._groups, place)

    def _group(self, table: Table, position: int) -> None:
        from metricdp.columns.files import room
        from metricdp.columns.groups import GroupCodes
        from metricdp.columns.keys import code_type

        column = table.columns[position]
        if column.base == "text":
            values, codes = list(column.data.values), column.data.codes
        elif column.base in ("boolean", "integer"):
            held = table.array(column.node(position))
            if held.dtype == object or not len(held):
                return
            low, high = int(held.min()), int(held.max())
            if high - low >= _MOST_VALUES:
                return
            values = list(range(low, high + 1))
            codes = room(len(held), code_type(len(values)), column.in_file)
            for start in range(0, len(held), _PIECE):
                codes[start : start + _PIECE] = held[start : start + _PIECE].astype(np.int64) - low
        else:
            return
        places = {value: place for place, value in enumerate(values)}
        if len(places) == len(values) <= _MOST_VALUES:
            self._places = places
            self._groups = GroupCodes(None, codes, len(values), table.pieces)


def equality(test: Node) -> tuple[Equality, Node | None] | None:
    """A condition as a stored column that equals a constant, and what else has to hold."""
    found = _plain(test)
    if found is not None:
        return found, None
    if test.operator != "and":
        return None
    left, right = test.arguments
    for first, other in ((left, right), (right, left)):
        inner = equality(first)
        if inner is not None:
            (position, constant), rest = inner
            return (position, constant), other if rest is None else both(rest, other)
    return None


def _plain(test: Node) -> Equality | None:
    if test.operator != "eq":
        return None
    for held, public in (test.arguments, test.arguments[::-1]):
        alike = (held.base == "text") == (public.base == "text")
        if held.operator == "stored" and public.operator == "constant" and alike:
            return None if public.width is not None else (held.public, public.public)
    return None
