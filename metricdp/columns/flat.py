"""Passes that are nothing but arithmetic of doubles and its sums: a list of NumPy's calls.

What a piece of rows takes beside its arithmetic is paid once for every piece.  So the calls of a
pass are put down before its first piece, on memory that all pieces use, and each piece goes through
the list.  The calls are those of `quick` and `sums`, in their order: a piece in which an entry
shows that is no number is left as it was read, to be added as they add it.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from metricdp.columns.arrays import ONE_PASS, Plan
from metricdp.columns.grids import GridRange
from metricdp.columns.quick import QuickPlan
from metricdp.columns.stored import Stored, clip
from metricdp.columns.sums import COMPUTED, MOVED, Small, all_inside, small_range, wrapped

_SUM_OF: Final = np.add.reduce


class _Number(NamedTuple):
    """What is added up.

    Attributes:
        at: its position among what is asked.
        place: of the step that gives it.
        known: as for `sums.looked_at`.
        shows: whether a NaN in it shows in another number, too.
    """

    at: int
    place: int
    small: Small
    known: int
    shows: bool


class FlatPlan(NamedTuple):
    """What such a pass does, in terms of places of steps.

    Attributes:
        reads: place, column, and the ends that it is moved between; None as it lies.
        steps: place, NumPy's function, what it is given, and the place of whose memory it writes
            on, its own or one that nobody reads any more.
        numbers: what is added up.
        results: for everything that is asked, its place.
        constants: place -> the same number in all rows.
        memory: place -> the one in whose memory its values are.
        owners: places that have memory.
    """

    reads: Sequence[tuple[int, int, tuple[float, float] | None]]
    steps: Sequence[tuple[int, Any, tuple[int, ...], int]]
    numbers: Sequence[_Number]
    results: Sequence[int]
    constants: Mapping[int, Any]
    memory: Mapping[int, int]
    owners: Collection[int]

    def on(self, columns: Sequence[Stored], rows: int) -> FlatPass | None:
        """The pass over some columns, in pieces of so many rows at most; None where one of them is
        no array of doubles without bounds."""
        read = [columns[position] for _, position, _ in self.reads]
        if not all(column.lies_plainly for column in read):
            return None
        return FlatPass(self, read, rows)


def flat_plan(
    plan: Plan,
    quick: QuickPlan | None,
    bounds: Sequence[GridRange],
    known: Sequence[int],
    same: Collection[int],
) -> FlatPlan | None:
    """The flat form of a pass without a filter; None of one that does more than arithmetic.

    Args:
        quick: its quick form.
        known: of each number, as for `sums.looked_at`.
        same: positions of numbers that are the same in all rows.
    """
    if quick is None or quick.flat is None or len(set(plan.results)) < len(plan.results):
        return None
    reads, worked = quick.flat
    #: Place -> the place whose memory has its values.
    memory = {at: at for at, _, ends in reads if ends is not None}
    steps = []
    for at in worked:
        work, given, _ = plan.steps[at]
        memory[at] = next((memory[i] for i in plan.over[at] if i in memory), at)
        steps.append((at, ONE_PASS[work], given, memory[at]))
    numbers = []
    for i, (at, bound) in enumerate(zip(plan.results, bounds, strict=True)):
        small = small_range(bound)
        if i not in same:
            if small is None or at not in memory:
                return None
            numbers.append(_Number(i, at, small, known[i], _shows(plan, at)))
    owners = {at for at, _, ends in reads if ends is not None} | {into for *_, into in steps}
    constants = {at: plan.public(at) for at in range(len(plan.steps)) if plan.is_public(at)}
    return FlatPlan(reads, steps, numbers, plan.results, constants, memory, owners)


def _shows(plan: Plan, place: int) -> bool:
    """Whether a NaN in a number shows in another one, which is computed from it.

    All of these steps are arithmetic of doubles, which makes NaN of NaN.
    """
    reached = {place}
    for at, (_, given, _) in enumerate(plan.steps):
        if at not in plan.reads and not reached.isdisjoint(given):
            reached.add(at)
    return not reached.isdisjoint({*plan.results} - {place})


class FlatPass:
    """A pass over columns, piece by piece in the same memory.

    Args:
        columns: what each of `plan.reads` reads.
        rows: of a piece.
    """

    def __init__(self, plan: FlatPlan, columns: Sequence[Stored], rows: int) -> None:
        self._plan, self._columns, self._rows = plan, columns, rows
        self._all = {place: np.empty(rows) for place in plan.owners}
        self._values: dict[int, Any] = {}
        self._cut(rows)

    def _cut(self, rows: int) -> None:
        """Have the memory of a piece of so many rows."""
        plan, self._rows = self._plan, rows
        here = {place: held[:rows] for place, held in self._all.items()}
        held = self._values = dict(plan.constants)
        held.update((place, here[owner]) for place, owner in plan.memory.items())
        self._into = {into: here[into] for into in plan.owners}
        self._adding = [
            (number, held[number.place], held[number.place].view(np.int64))
            for number in plan.numbers
        ]

    def add(self, start: int, stop: int, totals: dict[int, int]) -> bool:
        """Add the rows of one piece; nothing where some entry is NaN: False."""
        plan, rows = self._plan, stop - start
        if rows != self._rows:
            self._cut(rows)
        found, into = self._values, self._into
        here = slice(start, stop)
        for (place, _, ends), column in zip(plan.reads, self._columns, strict=True):
            if ends is None:
                found[place] = column.raw(here)
            else:
                column.clipped_into(here, ends, into[place])
        for place, work, given, owner in plan.steps:
            found[place] = work(*[found[i] for i in given], into[owner])
        for number, x, _ in self._adding:
            if not _ready(number, x):
                return False
        for (at, _, small, _, _), x, bits in self._adding:
            np.add(x, small.shift, x)
            totals[at] += wrapped(int(_SUM_OF(bits)) - rows * small.zero)
        return True

    def values(self) -> list[Any]:
        """What the piece gave to which `add` added nothing, for everything that is asked."""
        return [self._values[place] for place in self._plan.results]


def _ready(number: _Number, x: Any) -> bool:
    """Move a number into its range; False where some entry is seen to be NaN."""
    _, _, small, known, shows = number
    if known == COMPUTED and all_inside(x, small):
        return True
    if known != MOVED:
        clip(x, small.low, small.high, x)
    if shows:
        return True
    largest = np.maximum.reduce(x, initial=0.0)
    return bool(largest == largest)
