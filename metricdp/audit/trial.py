"""One pair, tried: distances, movement, whether the claim fails; and the smallest that does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest
from math import inf, isinf
from time import monotonic
from typing import Any

import msgspec

from metricdp.audit.subject import Pair, Subject
from metricdp.audit.unusual import holds
from metricdp.audit.values import has_float, magnitude, plain, shown
from metricdp.spaces import Space
from metricdp.spaces.lengths import Length

#: Relative error below which doubles are not trusted.
_NEAR = 1e-9


class Trial(msgspec.Struct, frozen=True):
    """What happened on a pair.

    Attributes:
        pair: the two sets of arguments.
        fails: the claim is false on this pair.
        ratio: moved / claimed as a double; 0 when the claim is infinite.
        distances, moved: exact; only when the claim fails.
        shown: the two results as text; only when the claim fails.
        why: see `Refuted.why`.
    """

    pair: Pair
    fails: bool = False
    ratio: float = 0.0
    distances: Mapping[str, Length] = {}
    moved: Length | None = None
    shown: tuple[str, str] = ("", "")
    why: str = ""


class Observed(msgspec.Struct, frozen=True):
    """What a function did with a pair, before any claim is asked.

    Attributes:
        distances: of the arguments, as doubles.
        raw: the two results, as the function gave them.
        results: the same, as plain values.
    """

    distances: Mapping[str, float]
    raw: tuple[Any, Any]
    results: tuple[Any, Any]


def failing(subject: Subject, pair: Pair) -> Trial:
    """Try the claim on a pair.

    A function that raises on a value of its domain, or leaves its output space, fails too: it is
    not the map that it claims to be.
    """
    seen = observed(subject, pair)
    return seen if isinstance(seen, Trial) else judged(subject, pair, seen)


def observed(subject: Subject, pair: Pair) -> Observed | Trial:
    """Run the function on a pair; a trial where that ends it, whatever is claimed.

    It is the same for subjects that differ in their claim and in the norm of their output: in which
    norm a space measures says nothing of what is in it.
    """
    x, y = pair
    distances = {n: space.distance_float(x[n], y[n]) for n, space in subject.inputs.items()}
    if any(map(isinf, distances.values())):
        return Trial(pair)
    results = []
    for side, values in enumerate(pair):
        try:
            result = subject.run(values)
        except Exception as error:
            return _broken(subject, pair, side, f"raises {type(error).__name__} on an input")
        exact = plain(result)
        if not _belongs(subject, exact):
            return _broken(subject, pair, side, "leaves its output space", shown(exact))
        results.append((result, exact))
    (raw, a), (raw2, b) = results
    return Observed(distances, (raw, raw2), (a, b))


def judged(subject: Subject, pair: Pair, seen: Observed) -> Trial:
    """Whether the claim holds of what the function did with a pair."""
    (x, y), (a, b) = pair, seen.results
    moved = subject.output.distance_float(a, b)
    claimed = subject.claim.as_float(seen.distances)
    if isinf(claimed):
        return Trial(pair)
    if moved < claimed * (1 - _NEAR):
        return Trial(pair, ratio=moved / claimed)
    if has_float(seen.raw[0]):
        # Floats of the user: the last bits are rounding, not stability.
        slack = _NEAR * max(magnitude(a), magnitude(b), 1.0)
        if moved <= claimed * (1 + _NEAR) + slack:
            return Trial(pair, ratio=1.0)
    lengths = {n: space.length(x[n], y[n]) for n, space in subject.inputs.items()}
    length = subject.output.length(a, b)
    if subject.claim.holds(length, lengths):
        return Trial(pair, ratio=1.0 if claimed else 0.0)
    ratio = moved / claimed if claimed else inf
    return Trial(pair, True, ratio, lengths, length, (shown(a), shown(b)), "moved too far")


def _belongs(subject: Subject, result: Any) -> bool:
    try:
        if subject.beyond is not None:
            return holds(subject.output, result, subject.beyond)
        return subject.output.contains(result)
    except Exception:
        # A result so far from the space that it cannot even be asked.
        return False


def _broken(subject: Subject, pair: Pair, side: int, why: str, result: str = "-") -> Trial:
    """A trial that fails on one side alone."""
    x, y = pair
    results = ("-", result) if side else (result, "-")
    lengths = {n: space.length(x[n], y[n]) for n, space in subject.inputs.items()}
    return Trial(pair, True, inf, lengths, None, results, why)


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
