"""Attacks on the maps of a primitive: every pair of norms of its conclusion, at one instance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from inspect import signature
from itertools import groupby
from typing import Any

import msgspec

from metricdp.audit.results import Refuted, Survived
from metricdp.audit.search import search_all
from metricdp.audit.subject import Claim, Pair, Subject, Values
from metricdp.expr import num
from metricdp.record import ONE_METRIC, Arg, Conclusion, Instance, Moves, Record, moves_of
from metricdp.spaces import Space
from metricdp.spaces.norms import NORMS

Mutate = Callable[[Moves], Moves]
#: Results of a reference function that are kept, with the values, so that their identity stays.
_MOST = 64


def conclusion_of(record: Record, instance: Instance) -> Conclusion:
    """The rule's conclusion at the concrete arguments of an instance."""
    return record.rule(**arguments(record, instance))


def arguments(record: Record, instance: Instance) -> dict[str, Arg]:
    """The instance as abstract arguments, as check would hand them to the rule."""
    given: dict[str, Arg] = {}
    for name in signature(record.rule).parameters:
        if name in instance.private:
            given[name] = Arg(instance.private[name], True, text=name)
        elif name in instance.public:
            value = instance.public[name]
            numeric = isinstance(value, (int, Fraction)) and not isinstance(value, bool)
            given[name] = Arg(
                value=num(value) if numeric else None,
                literal=None if callable(value) else value,
                text=name,
                body=instance.bodies.get(name),
            )
    return given


def subjects(record: Record, instance: Instance, mutate: Mutate | None = None) -> Iterator[Subject]:
    """One subject per input norm that the maps speak of and output norm, in this order.

    Args:
        mutate: a wrong version of the maps, to be refuted (`mutants`).
    """
    conclusion = conclusion_of(record, instance)
    if conclusion.space is None:
        return
    moves = {name: dict(moves_of(conclusion, name)) for name in instance.private}
    if mutate is not None:
        moves = {name: dict(mutate(m)) for name, m in moves.items()}
    own = {name: getattr(space, "norm", ONE_METRIC) for name, space in instance.private.items()}
    norms = sorted({p for m in moves.values() for p, _ in m})
    results = sorted({q for m in moves.values() for _, q in m})
    for p in norms:
        for q in results:
            chosen = {name: _input_norm(p, own[name], m, q) for name, m in moves.items()}
            if None in chosen.values() or (p not in own.values() and not _changes(instance, p)):
                continue
            yield _subject(record, instance, conclusion, moves, chosen, q)


def _input_norm(p: str, own: str, moves: Moves, q: str) -> str | None:
    if own == ONE_METRIC:
        return ONE_METRIC if (ONE_METRIC, q) in moves else None
    return p if (p, q) in moves else None


def _changes(instance: Instance, p: str) -> bool:
    """Whether the private containers may be measured in norm p: over the reals, in any."""
    spaces = instance.private.values()
    return all(getattr(s, "element", "") != "Data" for s in spaces if hasattr(s, "norm"))


def _subject(
    record: Record,
    instance: Instance,
    conclusion: Conclusion,
    moves: Mapping[str, Moves],
    chosen: Mapping[str, str | None],
    q: str,
) -> Subject:
    inputs = {name: _in_norm(space, str(chosen[name])) for name, space in instance.private.items()}
    claim = Claim(
        {name: m[str(chosen[name]), q] for name, m in moves.items()},
        q if conclusion.combine == "concat" and q in NORMS else conclusion.combine,
        conclusion.rounding,
    )
    assert conclusion.space is not None
    same = inputs == dict(instance.private)
    return Subject(
        record.name,
        inputs,
        runner(record, instance),
        _in_norm(conclusion.space, q),
        claim,
        _tight_pairs(record, instance) if same else (),
    )


def _in_norm(space: Space, norm: str) -> Space:
    if norm == ONE_METRIC or not hasattr(space, "norm"):
        return space
    return msgspec.structs.replace(space, norm=norm)


def runner(record: Record, instance: Instance) -> Callable[[Values], Any]:
    """The reference function of the private arguments, on run-time values as in a release."""

    kept: dict[tuple[int, ...], tuple[Values, Any]] = {}

    def run(values: Values) -> Any:
        from metricdp.values import wrap

        # Extremes meet each other, and a climb moves one end: the same objects come again.
        key = tuple(map(id, values.values()))
        if key not in kept:
            if len(kept) >= _MOST:
                kept.clear()
            private = {name: wrap(value) for name, value in values.items()}
            kept[key] = values, record.run(**private, **instance.public)
        return kept[key][1]

    return run


def _tight_pairs(record: Record, instance: Instance) -> tuple[Pair, ...]:
    found: list[Pair] = []
    for d in (1, 2, 3):
        pair = record.tight(instance, d, Fraction(1, 1000))
        if pair is None:
            continue
        x, y = pair
        inside = all(s.contains(x[n]) and s.contains(y[n]) for n, s in instance.private.items())
        if inside:
            found.append(pair)
    return tuple(found)


def attack_record(
    record: Record,
    instance: Instance,
    seed: int = 0,
    pairs: int = 500,
    mutate: Mutate | None = None,
    seconds: float = 10.0,
    least: int = 60,
) -> Refuted | Survived:
    """Attack every map of a transformation's conclusion; the first refutation, or the survival.

    Args:
        pairs: shared by all norms of the input, at least `least` each; every pair is tried in all
            norms of the result.
        mutate: see `subjects`.

    Raises:
        ValueError: the conclusion has no map of a private argument.
    """
    todo = list(subjects(record, instance, mutate))
    if not todo:
        raise ValueError(f"{record.name} has no map to attack at this instance")
    together = [list(each) for _, each in groupby(todo, lambda subject: subject.inputs)]
    # The instance's own norms first: its tight pairs are theirs.
    together.sort(key=lambda subjects: not subjects[0].pairs)
    tried, closest = 0, 0.0
    for each in together:
        result = search_all(each, seed, max(least, pairs // len(together)), seconds)
        if isinstance(result, Refuted):
            return result
        tried, closest = tried + result.pairs, max(closest, result.closest)
    return Survived(record.name, tried, seed, closest, str(together[0][0].claim))
