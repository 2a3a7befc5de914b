"""emit: the one function through which every draw of noise goes, and who answers it.

The system's randomness, a seed in tests, a recorder or a replay: `with handling(Seeded(7)): ...`
replaces the handler inside the block; blocks nest, and each thread and task has its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from metricdp.errors import ReplayError
from metricdp.families.family import Draw
from metricdp.run.draws import Drawn, drawn, drawn_each, perform

if TYPE_CHECKING:
    from metricdp.noise import BitSource
    from metricdp.values import Numbers


class Handler(Protocol):
    """Answers draws.

    `test_only` tells what a handler is for; a release is marked by `is_test`, which believes none.
    """

    @property
    def test_only(self) -> bool: ...

    def handle(self, draw: Draw, value: Any) -> Any:
        """The released value for a draw around a private value."""


class RunLog:
    """Noise from the operating system's generator: the only handler for releases."""

    __slots__ = ()

    test_only = False

    def handle(self, draw: Draw, value: Any) -> Any:
        return perform(draw, value, self.source)

    @property
    def source(self) -> BitSource:
        """The bits of samples of rows, which are secret draws without a release."""
        from metricdp.noise import system_source

        return system_source()


class Seeded:
    """Reproducible noise for tests; every release made with it is marked `test_only`."""

    test_only = True

    def __init__(self, seed: int | str) -> None:
        from metricdp.noise import SeededSource

        self._source = self.source = SeededSource(seed)

    def handle(self, draw: Draw, value: Any) -> Any:
        return perform(draw, value, self._source)


class LogEntry(msgspec.Struct, frozen=True):
    """A recorded draw: the request, the private input and the output.  For audits only."""

    draw: Draw
    value: Any
    output: Any


class Recording:
    """Passes draws on to `inner` and keeps them in `log`.  The log holds private values."""

    __slots__ = ("_inner", "log")

    def __init__(self, inner: Handler | None = None) -> None:
        self._inner: Handler = inner or RunLog()
        self.log: list[LogEntry] = []

    @property
    def inner(self) -> Handler:
        """Who answers."""
        return self._inner

    @property
    def test_only(self) -> bool:
        return is_test(self._inner)

    @property
    def source(self) -> Any:
        """The bits of samples of rows; samples are not in the log."""
        return getattr(self._inner, "source", None)

    def handle(self, draw: Draw, value: Any) -> Any:
        output = self._inner.handle(draw, value)
        self.log.append(LogEntry(draw, value, output))
        return output


class Replay:
    """Returns recorded outputs; draws no noise.

    The value may differ from the recorded one: an audit runs a neighbouring input along the same
    outputs.  `seen` collects the entries of the replayed run.

    Raises:
        ReplayError: another site or mechanism than the recorded one, or more draws than recorded.
    """

    test_only = True

    def __init__(self, log: Sequence[LogEntry]) -> None:
        self._log = list(log)
        self.seen: list[LogEntry] = []

    @property
    def finished(self) -> bool:
        """Whether every recorded draw was asked for."""
        return len(self.seen) == len(self._log)

    def handle(self, draw: Draw, value: Any) -> Any:
        position = len(self.seen)
        if position == len(self._log):
            raise ReplayError(
                f"{position} draws were recorded, and the program asks for one more",
                place=draw.site,
                remedy="replay the program that was recorded, with the same public parameters",
            )
        entry = self._log[position]
        if (entry.draw.site, entry.draw.mechanism) != (draw.site, draw.mechanism):
            raise ReplayError(
                f"draw {position} was {entry.draw.mechanism} at {entry.draw.site}, "
                f"and the program asks for {draw.mechanism}",
                place=draw.site,
                remedy="replay the program that was recorded, with the same public parameters",
            )
        self.seen.append(LogEntry(draw, value, entry.output))
        return entry.output


_HANDLER: ContextVar[Handler] = ContextVar("metricdp_handler")
_RUN = RunLog()


def current_handler() -> Handler:
    """The handler of the innermost `handling` block; `RunLog` outside of any."""
    return _HANDLER.get(_RUN)


def is_test(handler: Handler) -> bool:
    """Whether what a handler answers is no release, whatever it says of itself.

    Only `RunLog` draws from the operating system's generator, and `Recording` around it passes it
    on.
    """
    while type(handler) is Recording:
        handler = handler._inner
    return type(handler) is not RunLog


@contextmanager
def handling(handler: Handler) -> Iterator[Handler]:
    """Answer every draw inside the block with `handler`."""
    token = _HANDLER.set(handler)
    try:
        yield handler
    finally:
        _HANDLER.reset(token)


_COLLECTED: ContextVar[list[Drawn] | None] = ContextVar("metricdp_collected", default=None)


def emit(draw: Draw, value: Any, handler: Handler | None = None) -> Any:
    """The released value of one mechanism call.

    A released real number is the value plus continuous noise, rounded to a public power-of-two
    grid afterwards (`noise.rounded`): post-processing, so the printed cost is that of the ideal
    mechanism for every movement.  Selections round before, and pay for it (`noise.grid`).

    Args:
        draw: what is asked for; built, and so validated, from public numbers only.
        value: number, vector, matrix, or tuple of these; private.  The discrete mechanisms expect
            integers (their rules say so) and round anything else to the nearest one.
        handler: who answers; the one of the innermost `handling` block if None.

    Returns:
        float, int or bool for a number; NumPy array for a vector or matrix; tuple for a tuple.

    Raises:
        ReplayError: the handler replays a log that has another draw here.
    """
    released = (handler or current_handler()).handle(draw, value)
    collected = _COLLECTED.get()
    if collected is not None:
        collected.append(drawn(draw, released))
    return released


def emit_each(draw: Draw, values: Numbers, handler: Handler) -> list[Any]:
    """`emit` of several numbers, each with a draw of its own, as the entries of one vector.

    Args:
        draw: what is asked for once for every number.
        handler: one whose draws are those of `RunLog`.
    """
    released: list[Any] = handler.handle(draw, values).tolist()
    collect(drawn_each(draw, released))
    return released


def collect(drawn: Iterable[Drawn]) -> None:
    """Show draws that an inner block collected in the block around it."""
    collected = _COLLECTED.get()
    if collected is not None:
        collected.extend(drawn)


class collecting:
    """Collect what may be shown of every draw inside the block, in order."""

    __slots__ = ("_token",)

    def __enter__(self) -> list[Drawn]:
        collected: list[Drawn] = []
        self._token = _COLLECTED.set(collected)
        return collected

    def __exit__(self, *failure: object) -> None:
        _COLLECTED.reset(self._token)
