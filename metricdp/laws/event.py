"""Events that tell two laws apart, in words: what an auditor shows."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from math import ceil
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.laws.discrete import DiscreteGaussianLaw, DiscreteLaplaceLaw
from metricdp.laws.grid import GridLaw, on_integers
from metricdp.laws.interval import ZERO, add, hull, subtract, times
from metricdp.laws.law import Law, no_closed_form
from metricdp.laws.numbers import real
from metricdp.laws.rounded import comparable, crossing
from metricdp.noise.enclose import Bounds
from metricdp.noise.kept import exp_bounds


class AtMost(msgspec.Struct, frozen=True):
    """output <= bound."""

    bound: int | Fraction


class AtLeast(msgspec.Struct, frozen=True):
    """output >= bound."""

    bound: int | Fraction


class OneOf(msgspec.Struct, frozen=True):
    """output in a finite set."""

    outcomes: tuple[Hashable, ...]


Event = AtMost | AtLeast | OneOf


def describe(event: Event) -> str:
    """The event in words: 'output >= 200'."""
    match event:
        case AtMost(bound=bound):
            return f"output <= {_number(bound)}"
        case AtLeast(bound=bound):
            return f"output >= {_number(bound)}"
        case OneOf(outcomes=(single,)):
            return f"output = {single!r}"
    return f"output in {{{', '.join(repr(k) for k in event.outcomes)}}}"


def _number(bound: int | Fraction) -> str:
    return str(bound) if bound.denominator <= 100 else format(float(bound), ".12g")


def probability(law: Any, event: Event) -> Bounds:
    """Probability of an event under a law."""
    match event:
        case AtMost(bound=bound):
            result: Bounds = law.cdf(bound)
        case AtLeast(bound=bound):
            result = law.tail(bound)
        case OneOf(outcomes=outcomes):
            result = add(*(law.pmf(k) for k in outcomes))
    return result


def likely_event(p: Any, q: Any, epsilon: Fraction) -> Event | None:
    """The event {ln P/Q > epsilon}, where P(S) - e**epsilon Q(S) is largest; None if empty.

    Between finite laws it leaves out outcomes whose ratio the enclosures cannot tell from epsilon.

    Raises ParameterError for epsilon < 0 and for a pair of laws without a formula.
    """
    if epsilon < 0:
        raise ParameterError("must not be negative", place="epsilon")
    match p, q:
        case DiscreteLaplaceLaw(), DiscreteLaplaceLaw() if p.scale == q.scale:
            d = q.center - p.center
            if epsilon >= abs(d) / p.scale:
                return None
            shift = epsilon * p.scale / 2
            return _side(Fraction(p.center + q.center, 2) - (shift if d > 0 else -shift), d)
        case DiscreteGaussianLaw(), DiscreteGaussianLaw() if p.sigma2 == q.sigma2:
            d = q.center - p.center
            if not d:
                return None
            return _side(Fraction(p.center + q.center, 2) - p.sigma2 * epsilon / d, d)
    on_grid = on_integers(p, q)
    if on_grid != (p, q) and isinstance(p, GridLaw):
        return _scaled(likely_event(*on_grid, epsilon), p.step)
    if comparable(p, q):
        events = crossing_events(p, q, epsilon)
        return max(events, key=lambda e: _gain(p, q, e, epsilon)[0]) if events else None
    support = p.support()
    if support is None or q.support() is None:
        raise no_closed_form("the best event", p, q)
    above = tuple(k for k in support if not q.pmf(k)[1] or p.log_ratio(q, k)[0] > epsilon)
    return OneOf(above) if above else None


def _scaled(event: Event | None, step: Fraction) -> Event | None:
    """The event in multiples of the step of a grid."""
    match event:
        case AtMost(bound=bound):
            return AtMost(bound * step)
        case AtLeast(bound=bound):
            return AtLeast(bound * step)
        case OneOf(outcomes=outcomes):
            return OneOf(tuple(real(k, "outcome") * step for k in outcomes))
    return None


def _side(crossing: Fraction, d: int) -> Event:
    """Outcomes on the side of P strictly beyond the point where ln P/Q = epsilon."""
    if d > 0:
        return AtMost(ceil(crossing) - 1)
    return AtLeast(int(crossing // 1) + 1)


def crossing_events(p: Any, q: Any, epsilon: Fraction) -> tuple[Event, ...]:
    """Two events between rounded laws, one of which is the best; none when no event is good."""
    at = crossing(p, q, epsilon)
    if at is None:
        return ()
    if q.center > p.center:
        return AtMost(at - 1), AtMost(at)
    return AtLeast(at + 1), AtLeast(at)


def _gain(p: Any, q: Any, event: Event, epsilon: Fraction) -> Bounds:
    """P(S) - e**epsilon Q(S)."""
    return subtract(probability(p, event), times(exp_bounds(epsilon, 192), probability(q, event)))


def best_gain(p: Any, q: Any, epsilon: Fraction) -> Bounds:
    """The largest P(S) - e**epsilon Q(S) between rounded laws."""
    best = ZERO
    for event in crossing_events(p, q, epsilon):
        best = hull(best, _gain(p, q, event, epsilon))
    return best[0], min(Fraction(1), best[1])


def best_event(p: Law, q: Law, epsilon: Fraction) -> tuple[str, Bounds, Bounds]:
    """An event that witnesses P(S) > e**epsilon Q(S) best, in words, with P(S) and Q(S).

    When no event does, 'no event' with zero probabilities.
    """
    from metricdp.laws.lumped import Lump, in_words
    from metricdp.laws.pairs import paired

    grid = p if isinstance(p, GridLaw) else getattr(p, "law", None)
    step = grid.step if isinstance(grid, GridLaw) else Fraction(1)
    pair = paired(p, q, "the best event")
    if isinstance(next(iter(pair[0].support() or ()), None), Lump):
        event = likely_event(*pair, epsilon)
        if isinstance(event, OneOf):
            words = f"output is {in_words(event.outcomes, step)}"
            return words, probability(pair[0], event), probability(pair[1], event)
        return "no event", ZERO, ZERO
    if not isinstance(p, GridLaw):
        p, q = pair
    event = likely_event(p, q, epsilon)
    if event is None:
        return "no event", ZERO, ZERO
    return describe(event), probability(p, event), probability(q, event)
