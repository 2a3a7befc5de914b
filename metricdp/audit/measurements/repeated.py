"""Whether a program that shows two inputs apart is random at all."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import Any

from metricdp.audit.measurements.drawing import drawn
from metricdp.audit.measurements.limits import OutOfTime
from metricdp.audit.measurements.sampled import seeded, with_rng

#: Most runs on each input, and of them those that are made however long they take.
_MOST, _FEWEST = 1000, 20


def alike(mechanism: Callable[..., Any], inputs: tuple[Any, Any], seconds: float, seed: int) -> int:
    """How often a mechanism was run on each of two inputs, if the outputs on each were all equal
    and those on the two are not; 0 where they vary, so that the input may not be the reason.

    A coin that a replay does not see can land alike for long: with chance p**(2 n) after n runs on
    each input, if it says the likelier thing with chance p.  So this does not prove that nothing is
    random, and is asked only of a pair that a replay refuted.
    """
    from metricdp.audit.replaying.outcomes import form

    run = with_rng(mechanism, seed)
    stop, count = monotonic() + seconds, 0
    first: list[Any] = []
    with suppress(OutOfTime), seeded(seed):
        while count < _FEWEST or (count < _MOST and monotonic() < stop):
            found = [form(drawn(run, (x,), 1)[0]) for x in inputs]
            first = first or found
            if found != first or found[0] == found[1]:
                return 0
            count += 1
    return count if count >= _FEWEST else 0
