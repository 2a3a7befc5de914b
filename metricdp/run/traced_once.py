"""Rounds of a loop that differ in public vectors alone: what they ask of a row is traced once.

A loop that learns goes through the same rows in every round, with other weights.  Where the round
is nothing but records (`run.straight`), what it asks depends on the weights through one constant
alone.  That constant is made with room for larger weights, and takes the numbers of each round;
everything else that the round reads has to be the very value that it was.  A round that reads
nothing from outside is traced once for all runs of a program.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isfinite
from types import CellType, CodeType, FunctionType
from typing import Any, Final, NamedTuple

from metricdp.columns.closed import is_closed
from metricdp.columns.evaluators import by_reference
from metricdp.columns.language import Node, nearest
from metricdp.columns.planned import kept_rows
from metricdp.columns.table import Table
from metricdp.run.rowwise import AskedSums, ProvedBounds
from metricdp.run.straight import Outside
from metricdp.values import Exact

#: How much larger than those of one round the numbers of later ones may be.
_ROOM: Final = 16.0
#: Constants that are made anew at one place: numbers that grow on need one more each time.
_TRIES: Final = 8
#: What nothing changes.
_FIXED: Final = frozenset({bool, int, float, str, type(None), Exact, Fraction})
#: A name that stands for nothing.
_MISSING: Final = object()


class _Known(NamedTuple):
    """What was traced at one place.

    Attributes:
        code, table, bounds, others: what has to be the same.
        slots: the constants, in the order of the names of the vectors.
    """

    code: CodeType
    table: Table
    bounds: ProvedBounds
    others: tuple[Any, ...]
    slots: list[Node]
    asked: AskedSums

    def is_for(self, body: FunctionType, table: Table, bounds: ProvedBounds) -> bool:
        same = self.code is body.__code__ and self.table is table
        return same and self.bounds is bounds

    def take(self, vectors: Sequence[_Vector]) -> bool:
        """Take the numbers of a round; False, and nothing is taken, where they do not fit."""
        for slot, (numbers, most) in zip(self.slots, vectors, strict=True):
            if len(numbers) != slot.width or most > slot.most:
                return False
        for slot, (numbers, _) in zip(self.slots, vectors, strict=True):
            slot.public = numbers
        return True


class TracedOnce:
    """The rounds of one run, by the addresses of their loops."""

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}
        self._tries: dict[str, int] = {}

    def asked(
        self, here: str, body: Any, outside: Outside | None, table: Table, bounds: ProvedBounds,
        trace: Callable[[Any, Any], AskedSums],
    ) -> AskedSums:  # fmt: skip
        """What a round asks of the rows of a table: traced, or as it was.

        Args:
            here: the address of the loop.
            outside: what the round reads from outside; None where it is more than records.
            trace: the round, and the row of the table -> what it asks.
        """
        if outside is None or not outside.vectors or not _may_be(body, outside, table):
            return _traced(here, body, table, bounds, trace)
        vectors = [_numbers(_outside(body, name)) for name in outside.vectors]
        found = [numbers for numbers in vectors if numbers is not None]
        others = tuple(_outside(body, name) for name in outside.others)
        if len(found) < len(vectors) or not all(map(_is_fixed, others)):
            return trace(body, table.row)
        known = self._known.get(here)
        if known is not None and known.is_for(body, table, bounds):
            same = all(a is b for a, b in zip(known.others, others, strict=True))
            if same and known.take(found):
                return known.asked
        tries = self._tries[here] = self._tries.get(here, 0) + 1
        if tries > _TRIES:
            self._known.pop(here, None)
            return trace(body, table.row)
        # What starts at 0 will not stay there.
        slots = [Node("constant", (), "double", len(n), n, _ROOM * (m or 1.0)) for n, m in found]
        reading = _reading(body, dict(zip(outside.vectors, slots, strict=True)))
        asked = trace(reading, table.row)
        self._known[here] = _Known(body.__code__, table, bounds, others, slots, asked)
        return asked


def _traced(
    here: str, body: FunctionType, table: Table, bounds: ProvedBounds,
    trace: Callable[[Any, Any], AskedSums],
) -> AskedSums:  # fmt: skip
    """What a round asks of a row; of one that is closed it is kept with the program, for later runs
    at the same public numbers, whose bounds are the same object."""
    kept = kept_rows()
    ours = kept is not None and bounds.lasting and is_closed(body)
    row = kept.row(table.row) if kept is not None and ours else None
    if kept is None or row is None:
        return trace(body, table.row)
    code = body.__code__
    key = here, id(code), id(row), id(bounds)
    found: AskedSums = kept.once(key, (code, bounds), lambda: trace(body, row))
    return found


def _may_be(body: FunctionType, outside: Outside, table: Table) -> bool:
    """Whether the rows are columns, and the vectors are names of the function around the round."""
    here = table.engine is None and table.part is None and not by_reference()
    return here and set(outside.vectors) <= set(body.__code__.co_freevars)


#: The entries of a public vector, and the largest size of one.
_Vector = tuple[tuple[float, ...], float]


def _numbers(value: Any) -> _Vector | None:
    """The entries of a public vector as `language.constant` reads them; None of anything else."""
    import numpy as np

    if type(value) is not np.ndarray or value.ndim != 1 or value.dtype != np.float64:
        return None
    numbers = tuple((value + 0.0).tolist())
    if not isfinite(sum(numbers)):  # each is `nearest` to itself where the sum is a number
        numbers = tuple(map(nearest, numbers))
    return numbers, max(map(abs, numbers), default=0.0)


def _is_fixed(value: Any) -> bool:
    return type(value) in _FIXED or isinstance(value, type)


def _outside(body: FunctionType, name: str) -> Any:
    """What a name stands for that a function reads from outside."""
    free = body.__code__.co_freevars
    if name not in free:
        return body.__globals__.get(name, _MISSING)
    assert body.__closure__ is not None  # it has a cell for each
    try:
        return body.__closure__[free.index(name)].cell_contents
    except ValueError:  # it stands for nothing yet
        return _MISSING


def _reading(body: FunctionType, slots: dict[str, Node]) -> FunctionType:
    """The same function, with other values of some names."""
    free = body.__code__.co_freevars
    cells = tuple(
        CellType(slots[name]) if name in slots else cell
        for name, cell in zip(free, body.__closure__ or (), strict=True)
    )
    made = FunctionType(body.__code__, body.__globals__, body.__name__, body.__defaults__, cells)
    made.__kwdefaults__ = body.__kwdefaults__
    return made
