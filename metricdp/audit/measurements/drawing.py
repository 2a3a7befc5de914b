"""Outputs of a mechanism: run after run, with everything that its caller sees of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.audit.contents import consumed, of_error, refuse_awaitable
from metricdp.audit.measurements.heard import Heard, heard
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
    mechanism: Callable[[Any], Any], inputs: Sequence[Any], count: int, batch: Any = None,
    name: str = "", state: Kept | None = None, seed: Sequence[int] = (),
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
    with heard() as beside:
        for place in order:
            check()
            at = turns[place]
            found[at].append(_run(mechanism, inputs[at], name, state, beside))
    if state is not None:
        state.reset()
    # A program that caught the interruption has an output that is none of its own.
    check()
    return found


def _run(
    mechanism: Callable[[Any], Any], x: Any, name: str, state: Kept | None, beside: Heard
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
