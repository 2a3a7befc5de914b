"""From a pair whose outputs break the claim to a simpler one: fewer rows, rounder values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import chain
from math import inf
from time import monotonic
from typing import Any

from metricdp.audit.measurements.neighbours import Pair, as_data
from metricdp.audit.trial import simpler_values
from metricdp.audit.values import plain
from metricdp.spaces import Space

#: Most pairs that are looked at.
_TRIES = 60


def smaller(
    pair: Pair, space: Space, breaks: Callable[[Pair], bool], seconds: float
) -> Pair | None:
    """Greedy: the first simpler pair that still breaks the claim, until none does.

    Args:
        pair: of the space, with its distance.
        breaks: whether fresh outputs of a pair break the claim at its distance.
        seconds: time to spend, about.

    Returns:
        A simpler pair, no further apart than the given one; None if there is none.
    """
    stop = monotonic() + seconds
    best, seen, tries = pair, {_key(pair)}, 0
    progress = True
    while progress:
        progress = False
        for simpler in _simpler(best, space):
            if _key(simpler) in seen:
                continue
            seen.add(_key(simpler))
            tries += 1
            if tries > _TRIES or monotonic() > stop:
                return None if best is pair else best
            if breaks(simpler):
                best, progress = simpler, True
                break
    return None if best is pair else best


def _key(pair: Pair) -> str:
    return repr((pair.x, pair.x2))


def _simpler(pair: Pair, space: Space) -> Iterator[Pair]:
    """Simpler pairs of the space that are apart, and no further than this one."""
    # Large numbers first, which the space's own steps bring down one after the other.
    nearer = _nearer(pair.x), _nearer(pair.x2)
    for a, b in chain([nearer], simpler_values(space, plain(pair.x), plain(pair.x2))):
        x, y = as_data(a), as_data(b)
        exact = plain(x), plain(y)
        if not (space.contains(exact[0]) and space.contains(exact[1])):
            continue
        distance = space.distance(*exact).upper({})
        if isinstance(distance, Fraction | int) and 0 < distance <= (pair.d or 1):
            yield Pair(x, y, Fraction(distance))


def _nearer(value: Any) -> Any:
    """The value with every number above 10 replaced by a power of ten of half the digits."""
    if isinstance(value, dict):
        return {key: _nearer(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_nearer(each) for each in value]
    if type(value) not in (int, float) or not 10 < abs(value) < inf:
        return value
    power = 10 ** max(1, len(str(int(abs(value)))) // 2)
    return type(value)(power if value > 0 else -power)
