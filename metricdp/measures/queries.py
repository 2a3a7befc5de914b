"""epsilon at delta and delta at epsilon of a reading: the largest over its directions.

Where samples are cut, the gap to the laws of whole samples is paid on both sides (`gaps`).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

from metricdp.accounting.adaptive_range import worst_delta, worst_epsilon
from metricdp.accounting.bounded_range import MOST_ROUNDS
from metricdp.accounting.engines import (
    Found,
    NoAnswerError,
    at_most,
    consistent,
    delta_of,
    epsilon_of,
)
from metricdp.accounting.losses.loss import Parts
from metricdp.accounting.rounded import exp_down, exp_up
from metricdp.expr.decimals import decimal_up
from metricdp.measures import cheap
from metricdp.measures.accounted import AccountedEvent, Case, Relation
from metricdp.measures.answer import Answer
from metricdp.measures.cheap import cost, with_gap
from metricdp.measures.combined import Composed, Repeated
from metricdp.measures.private import ExponentialMechanism
from metricdp.measures.reading import Side, read

ONLY_CURVES = "one of the events is known by a Renyi curve or a rho only: an upper bound of it"
NOT_TIGHT = "the lower end is what some mechanism of this description costs; the upper is proved"
Ask = Callable[[Parts, Fraction], Found]
_ZERO, _ONE = Fraction(0), Fraction(1)
_BELOW_ONE = 1 - Fraction(1, 10**9)


@lru_cache(maxsize=4096)
def delta(
    event: AccountedEvent, which: Relation, epsilon: Fraction, checked: bool = True
) -> Answer:
    """delta at epsilon >= 0."""
    reading = read(event, which)
    found = [side_delta(side, epsilon, checked) for side in reading.sides]
    lower, upper = max(f.lower for f in found), max(f.upper for f in found)
    engines = tuple(dict.fromkeys(name for f in found for name in f.engines))
    notes: list[str] = []
    if not reading.exact:
        notes.append(NOT_TIGHT if reading.known else ONLY_CURVES)
        bound = cheap.delta_bound(event, which, epsilon)
        if bound is not None and bound < upper:
            upper, engines = bound, (*engines, cheap.ENGINE)
    special = equal_mechanisms(event, reading.sides[0].case)
    if special is not None:
        worst = worst_delta(*special, epsilon)
        lower, upper = max(lower, worst.lower), min(upper, worst.upper)
        engines = (*engines, *worst.engines)
    consistent(f"delta at epsilon = {float(epsilon):.6g}", lower, upper, engines)
    slack = cost(reading.gap, epsilon)
    lower, upper = max(_ZERO, lower - slack), min(_ONE, upper + slack)
    at = f"epsilon = {decimal_up(epsilon, 8)}"
    return Answer("delta", lower, upper, at, which, engines, notes=tuple(notes))


@lru_cache(maxsize=4096)
def epsilon(
    event: AccountedEvent, which: Relation, delta: Fraction, checked: bool = True
) -> Answer:
    """The least epsilon at delta in [0, 1)."""
    reading = read(event, which)
    notes: tuple[str, ...] = ()
    if not reading.exact:
        notes = (NOT_TIGHT if reading.known else ONLY_CURVES,)

    def plain(allowed: Fraction) -> Found:
        lower, upper, engines = _epsilons(reading.sides, allowed, checked)
        special = equal_mechanisms(event, reading.sides[0].case)
        if special is not None:
            worst = worst_epsilon(*special, allowed)
            lower = max(lower, worst.lower)
            upper = worst.upper if upper is None else min(upper, worst.upper)
            engines = (*engines, *worst.engines)
        if not reading.exact:
            bound = cheap.epsilon_bound(event, which, allowed)
            if bound is not None and (upper is None or bound < upper):
                upper, engines = bound, (*engines, cheap.ENGINE)
        if upper is None:
            raise NoAnswerError(
                f"no finite epsilon is proved at delta = {decimal_up(allowed, 6)}",
                place="delta",
                remedy="choose a larger delta, below 1",
            )
        return consistent(f"epsilon at delta = {float(allowed):.6g}", lower, upper, engines)

    if not reading.gap:
        found = plain(delta)
    else:
        upper = with_gap(lambda d: plain(d).upper, delta, reading.gap)
        lowest = plain(min(delta + cost(reading.gap, upper), _BELOW_ONE))
        found = Found(min(lowest.lower, upper), upper, lowest.engines)
    at = f"delta = {decimal_up(delta, 8)}"
    return Answer("epsilon", found.lower, found.upper, at, which, found.engines, notes=notes)


def side_delta(
    side: Side, epsilon: Fraction, checked: bool = True, ask: Ask | None = None
) -> Found:
    """The profile of one direction at any real epsilon, without the gap.

    HS_x(P, Q) = 1 - x + x HS_(1/x)(Q, P): below 0 the other direction answers.

    Args:
        ask: what answers for composed laws at an epsilon >= 0; by default `delta_of`.
    """
    upper, lower = (side.upper, side.lower) if epsilon >= 0 else side.back
    e = abs(epsilon)
    found = _ends(upper, lower, lambda parts: ask(parts, e) if ask else delta_of(parts, e, checked))
    low, high = (found.lower, found.upper) if found else (_ZERO, _ONE)
    engines = found.engines if found else ()
    if epsilon < 0:
        low = 1 - exp_up(epsilon) * (1 - low) if low < 1 else _ONE
        high = 1 - exp_down(epsilon) * (1 - high)
    return Found(max(_ZERO, low), min(_ONE, high), engines)


def _ends(upper: Parts | None, lower: Parts, ask: Callable[[Parts], Found]) -> Found | None:
    """One question to the engines for both ends; the upper end is None where only curves are."""
    if upper == lower:
        return ask(lower)
    low = ask(lower)
    if upper is None:
        return Found(low.lower, _ONE, low.engines)
    high = ask(upper)
    return Found(low.lower, high.upper, tuple(dict.fromkeys((*low.engines, *high.engines))))


def _epsilons(
    sides: tuple[Side, ...], delta: Fraction, checked: bool
) -> tuple[Fraction, Fraction | None, tuple[str, ...]]:
    """The largest epsilon over the directions; None above where only curves are known."""
    lower, upper, known = _ZERO, _ZERO, True
    engines: tuple[str, ...] = ()
    for side in sides:
        if side.exact and lower and at_most(side.lower, lower, delta):
            # Usually one direction is the larger one by far: a look at the other is enough.
            continue
        low = epsilon_of(side.lower, delta, checked)
        high = low
        if side.upper is None:
            known = False
        elif not side.exact:
            high = epsilon_of(side.upper, delta, checked)
        lower, upper = max(lower, low.lower), max(upper, high.upper)
        engines = tuple(dict.fromkeys((*engines, *low.engines, *high.engines)))
    return lower, upper if known else None, engines


def equal_mechanisms(event: AccountedEvent, case: Case) -> tuple[Fraction, int, bool] | None:
    """(r, k, adaptive) of an event that is k exponential mechanisms of one range r, or None."""
    found = _counted(event, case)
    if found is None or len({r for r, _, _ in found}) != 1:
        return None
    rounds = sum(k for _, k, _ in found)
    if not 0 < rounds <= MOST_ROUNDS or not found[0][0]:
        return None
    return found[0][0], rounds, any(adaptive for _, _, adaptive in found)


def _counted(event: AccountedEvent, case: Case) -> list[tuple[Fraction, int, bool]] | None:
    if isinstance(event, ExponentialMechanism):
        return [(event.spent(case), 1, event.adaptive)]
    if isinstance(event, Repeated):
        inner = _counted(event.event, case)
        return None if inner is None else [(r, k * event.count, a) for r, k, a in inner]
    if isinstance(event, Composed) and event.events:
        parts = [_counted(each, case) for each in event.events]
        known = [part for part in parts if part is not None]
        return [x for part in known for x in part] if len(known) == len(parts) else None
    return None
