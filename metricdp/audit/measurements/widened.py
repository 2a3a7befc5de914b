"""Neighbours with unusual values: made from those of a space, or from a pair of the user.

Of a pair of the user without a space only tables are known: an input with one row more than the
other, or rows of texts or of several fields of which one is replaced.  That row may be any row of
its type.  One number that is replaced in a list may be a score as well as a row, so it is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import is_dataclass
from math import inf, nan
from typing import Any

import msgspec

from metricdp.audit.unusual import UNSEEN, Beyond, holds, places
from metricdp.audit.values import plain
from metricdp.errors import MetricdpError
from metricdp.spaces import Space

#: Pairs of the user that are widened, and pairs that each of them gives at most.
_WIDENED, _EACH = 3, 6
#: What a row of the user may hold instead: nothing of another size, since only its type is known.
_NUMBERS, _TEXTS = (nan, inf, -inf), (UNSEEN, "")

Two = tuple[Any, Any]


def widened(space: Space, ordinary: Iterable[Two], allowed: Beyond, most: Any) -> Iterator[Two]:
    """Neighbours that differ in an unusual value or share one.

    Args:
        ordinary: neighbours of the space, as data, simple ones first.
        most: largest distance.
    """
    seen: set[str] = set()
    for x, y in ordinary:
        for a, b in _changed(space, x, y, allowed):
            key = repr((a, b))
            if key in seen:
                continue
            seen.add(key)
            distance = apart(space, a, b, allowed)
            if distance is not None and 0 < distance <= most:
                yield a, b


def apart(space: Space, x: Any, y: Any, allowed: Beyond) -> Any:
    """The exact distance of two inputs; None where they are no inputs, or infinitely far apart."""
    exact = plain(x), plain(y)
    try:
        if not all(holds(space, each, allowed) for each in exact):
            return None
        found = space.distance(*exact).upper({})
    except (ArithmeticError, TypeError, ValueError, LookupError, MetricdpError):
        return None
    return None if found == inf else found


def _changed(space: Space, x: Any, y: Any, allowed: Beyond) -> Iterator[Two]:
    """Two inputs with unusual values: in one place of one of them, of both, and everywhere."""
    cells = [cell for cell, _, _ in places(space, y)]
    common = range(min(len(cells), len(list(places(space, x)))))
    for turn in range(max((len(allowed.of(cell)) for cell in cells), default=0)):
        usable = [i for i, cell in enumerate(cells) if turn < len(allowed.of(cell))]
        for i in reversed(usable):
            yield x, _put(space, y, i, turn, allowed)
        for i in usable:
            if i in common:
                yield _put(space, x, i, turn, allowed), _put(space, y, i, turn, allowed)
        a, b = x, y
        for i in usable:
            a = _put(space, a, i, turn, allowed) if i in common else a
            b = _put(space, b, i, turn, allowed)
        yield a, b


def _put(space: Space, value: Any, i: int, turn: int, allowed: Beyond) -> Any:
    found = list(places(space, value))
    if i >= len(found):
        # Two keys became one.
        return value
    cell, _, put = found[i]
    instead = allowed.of(cell)
    return put(instead[turn]) if turn < len(instead) else value


def of_given(pairs: Iterable[Two], allowed: Beyond) -> Iterator[Two]:
    """Pairs of the user with another row where the two inputs differ."""
    for number, (x, y) in enumerate(pairs):
        if number == _WIDENED:
            return
        seen: set[str] = set()
        for a, b, swapped in ((x, y, False), (y, x, True)):
            for other in _other_rows(a, b, allowed):
                if len(seen) < _EACH and repr(other) not in seen:
                    seen.add(repr(other))
                    yield (other, a) if swapped else (a, other)


def _other_rows(x: Any, y: Any, allowed: Beyond) -> Iterator[Any]:
    """y with another row in the place of the one that x lacks."""
    first, second = _rows(x), _rows(y)
    if first is None or second is None:
        return
    (before, _), (after, build) = first, second
    place = _place(before, after)
    if place is None:
        return
    for row in _instead(after[place], allowed):
        try:
            other = build(place, row)
        except (TypeError, ValueError, OverflowError):
            continue
        yield other


def _rows(value: Any) -> tuple[list[Any], Callable[[int, Any], Any]] | None:
    """The rows of a table, and what gives it with another row; None for what is no table."""
    if isinstance(value, list):
        return value, lambda i, row: [*value[:i], row, *value[i + 1 :]]
    if hasattr(value, "iloc") and hasattr(value, "columns"):
        rows = [tuple(row) for row in value.itertuples(index=False)]
        return rows, lambda i, row: _with_row(value, i, row)
    if hasattr(value, "dtype") and hasattr(value, "shape") and len(value.shape) in (1, 2):
        if value.dtype.kind not in "fU":
            return None
        return value.tolist(), lambda i, row: _with_entry(value, i, row)
    return None


def _with_row(table: Any, i: int, row: tuple[Any, ...]) -> Any:
    changed = table.copy()
    for column, entry in enumerate(row):
        if repr(entry) != repr(table.iloc[i, column]):
            changed.isetitem(column, [*table.iloc[:i, column], entry, *table.iloc[i + 1 :, column]])
    return changed


def _with_entry(array: Any, i: int, row: Any) -> Any:
    import numpy as np

    rows = array.tolist()
    return np.array([*rows[:i], row, *rows[i + 1 :]])


def _place(before: list[Any], after: list[Any]) -> int | None:
    """Where the second table has a row that the first one lacks, or another one."""
    if len(after) not in (len(before), len(before) + 1) or not after:
        return None
    first, second = [repr(row) for row in before], [repr(row) for row in after]
    if len(after) > len(before):
        left = list(first)
        found = [i for i, row in enumerate(second) if not _taken(left, row)]
        return found[0] if len(found) == 1 and not left else None
    found = [i for i, (a, b) in enumerate(zip(first, second, strict=True)) if a != b]
    if len(found) != 1 or isinstance(after[found[0]], bool | int | float | complex):
        return None
    return found[0]


def _taken(left: list[str], row: str) -> bool:
    if row not in left:
        return False
    left.remove(row)
    return True


def _instead(row: Any, allowed: Beyond) -> Iterator[Any]:
    """Other rows of the same type: an unusual value in one field."""
    if isinstance(row, str):
        yield from _TEXTS
    elif isinstance(row, float):
        yield from _NUMBERS if allowed.missing else _NUMBERS[1:]
    elif isinstance(row, dict):
        for key, entry in row.items():
            for other in _instead(entry, allowed):
                yield {**row, key: other}
    elif isinstance(row, list | tuple):
        for i, entry in enumerate(row):
            for other in _instead(entry, allowed):
                parts = [*row[:i], other, *row[i + 1 :]]
                yield type(row)(*parts) if hasattr(row, "_fields") else type(row)(parts)
    elif is_dataclass(row) or isinstance(row, msgspec.Struct):
        fields: Any = getattr(row, "__dataclass_fields__", getattr(row, "__struct_fields__", ()))
        for name in fields:
            for other in _instead(getattr(row, name), allowed):
                changed = copy(row)
                object.__setattr__(changed, name, other)
                yield changed
