"""The attack: neighbours at several distances, extremes, hill climbing; exact at the end.

Distances and movements are compared in doubles first; only a pair that seems to beat or to meet the
bound is compared exactly, so a refutation never rests on rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import islice
from math import isfinite
from random import Random
from time import monotonic
from typing import Any

from metricdp.audit.measurements.neighbours import neighbours, unusual_pairs
from metricdp.audit.results import Refuted, Survived
from metricdp.audit.subject import Pair, Subject, Values
from metricdp.audit.trial import Trial, judged, observed, shrink
from metricdp.audit.values import plain
from metricdp.spaces import Gradient, Matrix, Owned, Records, Scalar, Space, Vector

#: Pairs of which unusual ones are made, and how many are tried.
_SIMPLE, _MOST = 16, 200
_WHOLE = (1, 2, 3)
_BROKEN = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 1000), Fraction(7, 2), Fraction(1000))


def search(
    subject: Subject, seed: int = 0, pairs: int = 2000, seconds: float = 10.0,
    clock: Callable[[], float] = monotonic,
) -> Refuted | Survived:  # fmt: skip
    """Attack one subject.

    Args:
        seed: of every random choice; the same seed tries the same pairs.
        pairs: most pairs to try.
        seconds: most time to spend, shrinking included.
        clock: what the time is read off; a thread's own is the same on a machine with other work.
    """
    return search_all([subject], seed, pairs, seconds, clock)


def search_all(
    subjects: Sequence[Subject], seed: int = 0, pairs: int = 2000, seconds: float = 10.0,
    clock: Callable[[], float] = monotonic,
) -> Refuted | Survived:  # fmt: skip
    """Attack subjects that differ in their claim and in the norm of their output only.

    Every pair is tried on every claim, and the function runs once for all of them; hill climbing
    starts from the best pair of each claim in turn.

    Args:
        subjects: one or more, of one function with the same inputs.
        seed, pairs, seconds, clock: as for `search`.
    """
    rng, first = Random(f"metricdp audit {seed}"), subjects[0]
    started, tried = clock(), 0
    best: list[Pair | None] = [None] * len(subjects)
    closest = [0.0] * len(subjects)
    stream = _pairs(first, rng)
    while tried < pairs:
        if tried % 16 == 0 and clock() - started > seconds * 0.8:
            break
        known = [pair for pair in best if pair is not None]
        climbing = known and rng.random() < 0.4
        pair = _climb(first, known[tried % len(known)], rng) if climbing else next(stream)
        tried += 1
        seen = observed(first, pair)
        for k, subject in enumerate(subjects):
            trial = seen if isinstance(seen, Trial) else judged(subject, pair, seen)
            if trial.fails:
                budget = min(0.5, max(0.05, seconds - (clock() - started)))
                return _refuted(subject, shrink(subject, trial, budget, clock), tried, seed)
            if isfinite(trial.ratio) and trial.ratio >= closest[k]:
                closest[k], best[k] = trial.ratio, pair
    return Survived(first.name, tried, seed, max(closest), str(first.claim), first.replay)


def _refuted(subject: Subject, trial: Trial, tried: int, seed: int) -> Refuted:
    x, x2 = trial.pair
    moving = [name for name, d in trial.distances.items() if d.expr() != 0]
    unit = subject.inputs[moving[0]].unit if moving else ""
    return Refuted(
        subject.name,
        x,
        x2,
        {name: d.expr() for name, d in trial.distances.items()},
        trial.moved.expr() if trial.moved is not None else None,
        subject.claim.value(trial.distances),
        trial.shown,
        tried,
        seed,
        str(subject.claim),
        unit,
        trial.why,
        subject.replay,
    )


def _pairs(subject: Subject, rng: Random) -> Iterator[Pair]:
    """Given pairs, then extremes against each other and their neighbours, then random ones."""
    yield from subject.pairs
    extremes = {name: _extremes(space) for name, space in subject.inputs.items()}
    for x in _together(extremes, rng):
        yield x, _moved(subject, x, rng, 1)
        for y in _together(extremes, rng):
            yield x, y
    yield from _unusual(subject)
    while True:
        x = {
            name: rng.choice(extremes[name])
            if extremes[name] and rng.random() < 0.25
            else space.sample(rng, rng.choice((0, 1, 2, 4, 6)))
            for name, space in subject.inputs.items()
        }
        yield x, _moved(subject, x, rng, rng.choice(_WHOLE))


def _unusual(subject: Subject) -> Iterator[Pair]:
    """Neighbours with unusual values in one argument, of a function that gets data as they are."""
    allowed = subject.beyond
    if allowed is None:
        return
    rng = Random("metricdp audit unusual")
    for name, space in subject.inputs.items():
        others = {n: s.sample(rng, 2) for n, s in subject.inputs.items() if n != name}
        simple = [(p.x, p.x2) for p in islice(neighbours(space, 0), _SIMPLE)]
        for pair in islice(unusual_pairs(space, simple, allowed, 1), _MOST):
            yield ({**others, name: plain(pair.x)}, {**others, name: plain(pair.x2)})


def _extremes(space: Space) -> list[Any]:
    return list(space.extremes())[:6]


def _together(extremes: dict[str, list[Any]], rng: Random) -> list[Values]:
    """A few joint choices of extremes."""
    longest = max((len(values) for values in extremes.values()), default=0)
    if not all(extremes.values()):
        return []
    return [
        {name: values[(i if rng.random() < 0.7 else rng.randrange(9)) % len(values)]
         for name, values in extremes.items()}
        for i in range(longest)
    ]  # fmt: skip


def _moved(subject: Subject, x: Values, rng: Random, d: int) -> Values:
    """A neighbour: usually one argument moves, sometimes all, sometimes only the order."""
    names = list(subject.inputs)
    chosen = names if rng.random() < 0.3 else [rng.choice(names)]
    y = dict(x)
    for name in chosen:
        y[name] = _neighbour(subject.inputs[name], x[name], rng, d)
    return y


def _neighbour(space: Space, value: Any, rng: Random, d: int) -> Any:
    if isinstance(space, Records | Owned) and isinstance(value, list) and rng.random() < 0.1:
        # Under a distance on multisets another order is the same value.
        return rng.sample(value, len(value))
    if _divisible(space) and rng.random() < 0.25:
        return space.neighbours(value, rng.choice(_BROKEN), rng)  # type: ignore[arg-type]
    return space.neighbours(value, d, rng)


def _divisible(space: Space) -> bool:
    """Whether distances need not be whole numbers."""
    return isinstance(space, (Scalar, Vector, Matrix, Gradient)) and space.element == "Real"


def _climb(subject: Subject, best: Pair, rng: Random) -> Pair:
    """Move one end, or both, of the best pair so far."""
    x, y = best
    draw = rng.random()
    if draw < 0.4:
        return x, _moved(subject, y, rng, 1)
    if draw < 0.7:
        return _moved(subject, x, rng, 1), y
    moved = _moved(subject, x, rng, rng.choice(_WHOLE))
    return moved, _moved(subject, moved, rng, rng.choice(_WHOLE))
