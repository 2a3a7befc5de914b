"""What a piece of a program that was read can leave half done, and how it is undone.

A loop over a range that is written in the program is read as one round that stands for all.  Where
that cannot be done its rounds are read one by one, as if they were written out; what the first
reading has left behind is taken back before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from metricdp.check.language.interpreter import Interpreter
from metricdp.check.values.findings import Stop
from metricdp.check.values.frames import Frame

T = TypeVar("T")
#: Rejections of a round that stands for all others, and perhaps not of any single one.
_OF_ONE_ROUND = frozenset(
    {
        "bad-noise", "loop-growth", "private-index", "private-loop-bound", "released-cost",
        "requirement-fails",
    }
)  # fmt: skip
_OF_RESULTS = frozenset({"size-mismatch", "unsupported-syntax"})


class Checkpoint:
    """Everything that a statement can leave half done."""

    def __init__(self, reading: Interpreter, frame: Frame) -> None:
        self.reading, self.frame = reading, frame
        self.names, self.lists = dict(frame.names), dict(reading.heap.lists)
        self.path, self.endings = list(reading.path), list(reading.endings)
        self.heap = (set(reading.heap.fixed), set(reading.heap.changed), reading.heap.rounds)
        self.private_tests = reading.domain.private_tests
        self.shown = set(reading.shown)
        self.of_rows = reading.domain.of_rows
        self.actions = len(reading.actions)
        self.state = reading.domain.state.checkpoint()

    def restore_names(self) -> None:
        """Names, lists and the place in the program as they were."""
        reading, heap = self.reading, self.reading.heap
        self.frame.names, heap.lists = dict(self.names), dict(self.lists)
        heap.fixed, heap.changed, heap.rounds = set(self.heap[0]), set(self.heap[1]), self.heap[2]
        reading.path[:], reading.endings = self.path, list(self.endings)
        reading.domain.private_tests = self.private_tests
        reading.shown = set(self.shown)
        reading.domain.of_rows = self.of_rows

    def restore(self, *, steps: bool = True) -> None:
        """As it was, but for what only people read: derivation steps and `reveal`."""
        self.restore_names()
        state, actions = self.reading.domain.state, self.reading.actions
        made, warnings = state.steps[self.state[0] :], state.warnings[self.state[3] :]
        state.rollback(self.state)
        state.steps += made if steps else []
        state.warnings += warnings if steps else []
        while len(actions) > self.actions:
            actions.popitem()


class _Findings:
    """What a reading has found out about the program that runs, besides."""

    def __init__(self, reading: Interpreter) -> None:
        self.reading = reading
        state = reading.domain.state
        self.counted, self.decided = dict(state.counted), dict(reading.decided)
        self.decided = {node: set(known) for node, known in reading.decided.items()}
        self.folds, self.unread = dict(reading.folds), set(reading.heap.unread)
        self.there = dict(reading.there)
        self.rows = set(reading.of_rows), set(reading.of_rounds)
        self.branches = set(reading.private_branches), set(reading.changing_branches)
        self.readings, self.by_row = list(reading.readings), reading.domain.by_row.kept()

    def restore(self) -> None:
        reading, state = self.reading, self.reading.domain.state
        state.counted, reading.decided, reading.folds = self.counted, self.decided, self.folds
        reading.heap.unread, reading.readings = self.unread, self.readings
        reading.of_rows, reading.of_rounds = self.rows
        reading.there = self.there
        reading.private_branches, reading.changing_branches = self.branches
        reading.domain.by_row.restore(self.by_row)


def first_of(
    interpreter: Interpreter, frame: Frame, read: Callable[[], T], otherwise: Callable[[], T],
    returns: bool = False, any_code: bool = False, last: bool = False,
) -> T:  # fmt: skip
    """What `read` gives; where one round cannot stand for all, what `otherwise` gives in its place.

    Args:
        returns: whether the rounds may return something, of which nothing stands for "not yet".
        any_code: whatever the rejection says, `otherwise` is asked.
        last: the rejection of `otherwise` counts, and not the first one.

    Raises:
        Stop: both are rejected; the first rejection.
    """
    mark, findings = Checkpoint(interpreter, frame), _Findings(interpreter)
    try:
        return read()
    except Stop as found:
        codes = _OF_ONE_ROUND | _OF_RESULTS if returns else _OF_ONE_ROUND
        if not any_code and found.diagnostic.code not in codes:
            raise
        first = found
    mark.restore(steps=False)
    findings.restore()
    try:
        return otherwise()
    except Stop:
        if last or any_code:
            raise
        raise first from None


def undone(interpreter: Interpreter, frame: Frame) -> Callable[[], None]:
    """What takes back all that is read from now on."""
    mark, findings = Checkpoint(interpreter, frame), _Findings(interpreter)

    def undo() -> None:
        mark.restore(steps=False)
        findings.restore()

    return undo


def perhaps(interpreter: Interpreter, frame: Frame, read: Callable[[], bool]) -> bool:
    """Whether `read` did what it is for; where it is rejected it did not, and is undone."""
    mark, findings = Checkpoint(interpreter, frame), _Findings(interpreter)
    try:
        return read()
    except Stop:
        mark.restore(steps=False)
        findings.restore()
        return False
