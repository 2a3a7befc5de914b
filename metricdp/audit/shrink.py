"""From a pair that refutes to the smallest one that still does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import zip_longest
from time import monotonic
from typing import Any

from metricdp.audit.subject import Pair, Subject
from metricdp.audit.trial import Trial, failing
from metricdp.spaces import Space


def shrink(
    subject: Subject, trial: Trial, seconds: float = 0.5, clock: Callable[[], float] = monotonic
) -> Trial:
    """Greedy: the first simpler pair that still fails, until none does or time is up."""
    stop = clock() + seconds
    progress = True
    while progress and clock() < stop:
        progress = False
        for pair in _simpler(subject, trial.pair):
            if clock() > stop:
                break
            smaller = _tried(subject, pair)
            if smaller is not None and smaller.why == trial.why:
                trial, progress = smaller, True
                break
    return trial


def _tried(subject: Subject, pair: Pair) -> Trial | None:
    for values in pair:
        if not all(space.contains(values[name]) for name, space in subject.inputs.items()):
            return None
    trial = failing(subject, pair)
    return trial if trial.fails else None


def _simpler(subject: Subject, pair: Pair) -> Iterator[Pair]:
    x, y = pair
    for name, space in subject.inputs.items():
        a, b = x[name], y[name]
        for a2, b2 in simpler_values(space, a, b):
            yield {**x, name: a2}, {**y, name: b2}


def simpler_values(space: Space, a: Any, b: Any) -> Iterator[tuple[Any, Any]]:
    """Both ends alike first (a row that both have), then each alone, then closer together."""
    left, right = list(space.shrink(a)), list(space.shrink(b))
    if isinstance(a, list) and isinstance(b, list):
        for item in a:
            if item in b:
                yield _without(a, item), _without(b, item)
    for a2, b2 in zip_longest(left, right):
        if a2 is not None and b2 is not None:
            yield a2, b2
    for a2 in left:
        yield a2, b
    for b2 in right:
        yield a, b2
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        for i in range(len(a)):
            if a[i] != b[i]:
                yield a, [*b[:i], a[i], *b[i + 1 :]]


def _without(values: list[Any], item: Any) -> list[Any]:
    i = values.index(item)
    return [*values[:i], *values[i + 1 :]]
