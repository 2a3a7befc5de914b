"""What a loop goes through, as a table of its rows: discrete data that entered in arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from metricdp.columns.stored import Stored
from metricdp.columns.table import Table, aligned
from metricdp.run.entering.unread import UnreadNumbers
from metricdp.values import Exact, ExactVector, NumberMatrix, Numbers

#: Integers up to here are doubles.
_EXACT: Final = 1 << 53
#: Containers whose tables are remembered: samples come and go.
_REMEMBERED: Final = 8


class Joined:
    """Containers that are gone through together: what `zip` makes of them."""

    def __init__(self, parts: tuple[Any, ...], strict: bool) -> None:
        self.parts, self._strict = parts, strict

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return zip(*self.parts, strict=self._strict)


class RowTables:
    """The tables of one run: the same one whenever a loop goes through the same containers."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, ...], tuple[tuple[Any, ...], Table | None]] = {}

    def of(self, items: Any) -> Table | None:
        """The table of the rows of vectors, matrices or tables; None where they have none."""
        if isinstance(items, Table):
            return items
        if not isinstance(items, Joined | NumberMatrix | Numbers):
            return None
        parts = items.parts if isinstance(items, Joined) else (items,)
        key = (len(parts) if isinstance(items, Joined) else 0, *map(id, parts))
        if key not in self._known:
            if len(self._known) >= _REMEMBERED:
                del self._known[next(iter(self._known))]
            self._known[key] = parts, _table(parts, isinstance(items, Joined))
        return self._known[key][1]


def _table(parts: tuple[Any, ...], joined: bool) -> Table | None:
    tables = [part if isinstance(part, Table) else _rows(part) for part in parts]
    found = [table for table in tables if table is not None]
    if len(found) < len(tables) or not found:
        return None
    return aligned(found) if joined else found[0]


def _rows(container: Any) -> Table | None:
    """A vector or matrix whose numbers are doubles, or integers that are."""
    if isinstance(container, NumberMatrix) and isinstance(container.flat, UnreadNumbers):
        held = container.flat.rows()
        return Table((held,), held.node(0), value=exactly)
    if isinstance(container, NumberMatrix):
        numbers = container.flat
        array = numbers.array.reshape(container.rows, container.cols)
    elif isinstance(container, Numbers):
        numbers, array = container, container.array
    else:
        return None
    if numbers.unit != 1 or array.dtype == object:
        return None
    if array.dtype.kind != "f" and numbers.most > _EXACT:
        return None
    held = Stored("double", array)
    return Table((held,), held.node(0), value=exactly)


def exactly(x: Any) -> Any:
    """A number of a row, or its vector, in rationals."""
    return ExactVector(x) if type(x) is list else Exact(x)


def discrete_row(x: Any) -> Numbers:
    """The vector of doubles that a row of a table is."""
    import numpy as np

    return Numbers(np.array(x, np.float64), discrete=True)
