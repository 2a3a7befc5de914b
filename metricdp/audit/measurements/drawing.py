"""Outputs of a mechanism: run after run, with everything that its caller sees of each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.audit.contents import consumed, of_error, refuse_awaitable
from metricdp.audit.measurements.heard import heard
from metricdp.audit.measurements.limits import check, guarded
from metricdp.audit.measurements.outputs import PLAIN, Raised

if TYPE_CHECKING:
    from metricdp.audit.replaying.kept import Kept


class Beside(msgspec.Struct, frozen=True):
    """An output with what was printed, warned, logged and left behind beside it."""

    output: Any
    printed: str
    warned: tuple[tuple[str, str], ...]
    logged: tuple[tuple[str, str], ...]
    left: tuple[tuple[str, Any], ...]


def drawn(
    mechanism: Callable[[Any], Any], x: Any, count: int, batch: Any = None, name: str = "",
    state: Kept | None = None,
) -> Any:  # fmt: skip
    """`count` outputs on one input: a list, or the array that `batch(x, count)` returns.

    An exception of the mechanism is an output (`Raised`): its caller sees it.  Iterators are read
    to their end, as a caller would.

    Args:
        state: what the mechanism may leave behind: put back before every run, which gets a copy of
            the input, and part of its output where it is changed; None for what keeps none.

    Raises:
        ParameterError: the mechanism has to be awaited.
        OutOfTime: at the deadline.
    """
    if batch is not None:
        return guarded(batch, x, count)
    found = []
    with heard() as beside:
        for _ in range(count):
            check()
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
            found.append(value)
    if state is not None:
        state.reset()
    # A program that caught the interruption has an output that is none of its own.
    check()
    return found
