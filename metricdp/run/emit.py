"""emit: the one function through which every draw of noise goes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from metricdp.run.draws import Draw, Drawn, drawn
from metricdp.run.handlers import (
    Entry,
    Handler,
    Record,
    Replay,
    Run,
    Seeded,
    current_handler,
    handling,
)

__all__ = [
    "Draw",
    "Drawn",
    "Entry",
    "Handler",
    "Record",
    "Replay",
    "Run",
    "Seeded",
    "collect",
    "collecting",
    "current_handler",
    "emit",
    "handling",
]

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


def collect(drawn: Iterable[Drawn]) -> None:
    """Show draws that an inner block collected in the block around it."""
    collected = _COLLECTED.get()
    if collected is not None:
        collected.extend(drawn)


@contextmanager
def collecting() -> Iterator[list[Drawn]]:
    """Collect what may be shown of every draw inside the block, in order."""
    collected: list[Drawn] = []
    token = _COLLECTED.set(collected)
    try:
        yield collected
    finally:
        _COLLECTED.reset(token)
