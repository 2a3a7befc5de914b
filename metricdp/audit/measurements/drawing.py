"""Outputs of a mechanism: run after run, with everything that its caller sees of each.

Beside a result a program shows texts that it prints, warnings and lines of a log.  A run that ends
with an exception is seen by its caller, too, but is no sign of privacy.
"""

from __future__ import annotations

import io
import logging
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.audit.contents import consumed, of_error, refuse_awaitable
from metricdp.audit.measurements.limits import check, guarded
from metricdp.audit.measurements.neighbours import malformed
from metricdp.audit.measurements.outputs import PLAIN, Raised
from metricdp.audit.measurements.verdicts import grouped
from metricdp.errors import ParameterError

if TYPE_CHECKING:
    from metricdp.audit.replaying.state import KeptData


class Heard:
    """What was printed, warned and logged since it was last taken, at every level that is on.

    It is collected inside of its block.
    """

    def __init__(self) -> None:
        self._out, self._err = io.StringIO(), io.StringIO()
        self._warned: Any = []
        self._records: list[tuple[str, str]] = []

    def __enter__(self) -> Heard:
        # One block, and no generator: there is one around each of thousands of runs.
        self._streams = sys.stdout, sys.stderr
        self._catching = warnings.catch_warnings(record=True)
        self._warned = self._catching.__enter__()
        sys.stdout, sys.stderr = self._out, self._err
        warnings.simplefilter("always")
        self._handler = _Collecting(self._records)
        logging.getLogger().addHandler(self._handler)
        return self

    def __exit__(self, *raised: Any) -> None:
        logging.getLogger().removeHandler(self._handler)
        self._catching.__exit__(*raised)
        sys.stdout, sys.stderr = self._streams

    @property
    def any(self) -> bool:
        """Whether there is anything to take."""
        return bool(self._out.tell() or self._err.tell() or self._warned or self._records)

    def take(self) -> tuple[str, tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]:
        """The printed text, the warnings and the lines of the log."""
        found = (
            self._out.getvalue() + self._err.getvalue(),
            tuple((w.category.__name__, str(w.message)) for w in self._warned),
            tuple(self._records),
        )
        for stream in (self._out, self._err):
            stream.seek(0)
            stream.truncate()
        self._warned.clear()
        self._records.clear()
        return found


class _Collecting(logging.Handler):
    def __init__(self, records: list[tuple[str, str]]) -> None:
        super().__init__()
        self.records = records

    def createLock(self) -> None:
        """Nothing is written to, so nobody has to wait."""
        self.lock = None

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append((record.levelname, record.getMessage()))


class Beside(msgspec.Struct, frozen=True):
    """An output with what was printed, warned, logged and left behind beside it."""

    output: Any
    printed: str
    warned: tuple[tuple[str, str], ...]
    logged: tuple[tuple[str, str], ...]
    left: tuple[tuple[str, Any], ...]


def drawn(
    mechanism: Callable[[Any], Any], inputs: Sequence[Any], count: int, batch: Any = None,
    name: str = "", state: KeptData | None = None, seed: Sequence[int] = (),
) -> tuple[Any, ...]:  # fmt: skip
    """`count` outputs on each input: lists, or the arrays that `batch(x, count)` returns.

    Single runs come in a random order, so that what changes with time (a clock, a number of calls,
    an address) does not tell one input from another.

    Args:
        state: what the mechanism may leave behind: put back before every run, which gets a copy of
            the input, and part of its output where it is changed; None for what keeps none.
        seed: of the order.

    Raises:
        ParameterError: the mechanism has to be awaited.
        OutOfTime: at the deadline.
    """
    if batch is not None:
        return tuple(guarded(batch, x, count) for x in inputs)
    from numpy.random import default_rng

    turns = [i for i in range(len(inputs)) for _ in range(count)]
    order = default_rng([11, *seed]).permutation(len(turns)).tolist()
    found: tuple[list[Any], ...] = tuple([] for _ in inputs)
    with Heard() as beside:
        for place in order:
            check()
            at = turns[place]
            found[at].append(_output(mechanism, inputs[at], name, state, beside))
    if state is not None:
        state.reset()
    # A program that caught the interruption has an output that is none of its own.
    check()
    return found


def _output(
    mechanism: Callable[[Any], Any], x: Any, name: str, state: KeptData | None, beside: Heard
) -> Any:
    """One output.

    An exception of the mechanism is an output (`Raised`): its caller sees it.  Iterators are read
    to their end, as a caller would.
    """
    given = x if state is None else state.fresh(x)
    try:
        value = guarded(mechanism, given)
        if type(value) not in PLAIN:
            value = guarded(consumed, value)
    except Exception as error:
        value = Raised(*of_error(error))
    if type(value) not in PLAIN:
        refuse_awaitable(value, name)
        # A release is its value; what is filed with it is printed with the guarantee.
        value = getattr(value, "value", value) if hasattr(value, "fingerprint") else value
    left = () if state is None else state.changes()
    if left or beside.any:
        value = Beside(value, *beside.take(), left)
    return value


class Failures:
    """Counts the runs of an audit that failed."""

    def __init__(self) -> None:
        self.count, self.ended, self.last = 0, 0, Raised("", "")

    def note(self, outputs: Iterable[Sequence[Any]], data: bool = False) -> None:
        """Count the exceptions among outputs.

        Args:
            data: the mechanism checks the form of its input, which is then no evidence.

        Raises:
            ParameterError: an input has another form than the mechanism takes.
        """
        for side in outputs:
            held = [o.output if isinstance(o, Beside) else o for o in side]
            failed = [o for o in held if isinstance(o, Raised)]
            wrong = next((o for o in failed if data and o.kind == "SchemaError"), None)
            if wrong is not None:
                raise malformed(wrong.text, "pairs")
            self.count += len(failed)
            self.ended += len(side) - len(failed)
            if failed:
                self.last = failed[-1]

    def refuse(self, name: str, made_up: bool) -> None:
        """Refuse a survival where no run ended without an exception: nothing was tried.

        Args:
            made_up: the inputs are nobody's data, so the text of an exception may be shown.

        Raises:
            ParameterError: every run failed.
        """
        if self.ended or not self.count:
            return
        text = f": {self.last.text}" if made_up and self.last.text else ""
        raise ParameterError(
            f"every run fails, with {self.last.kind}{text}", place=name,
            remedy="give inputs and public arguments with which the program runs",
        )  # fmt: skip

    def told(self, runs: int) -> tuple[str, ...]:
        """A note of how many runs failed, where some did."""
        if not self.count:
            return ()
        return (
            f"{grouped(self.count)} of {grouped(runs)} runs failed, the last with {self.last.kind}",
        )
