"""Distances between finite laws that compare masses only: exact rationals.

All are read off the ratios P(x) / Q(x).  The best event for P(S) - t Q(S) is {P > t Q} (Neyman and
Pearson 1933): every other event adds negative terms or leaves positive ones out.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from itertools import product
from math import inf
from typing import Any

import msgspec

from metricdp.laws.distances.distance import Extended, RatioDistance
from metricdp.laws.finite import FiniteLaw
from metricdp.laws.mixture import ProductLaw

Masses = dict[Hashable, Fraction]


def masses(law: Any) -> Masses | None:
    """Positive probabilities by outcome, exact; None for a law that has no such list.

    A mapping outcome -> number is a law.  Raises ParameterError for weights that are negative or do
    not sum to 1.
    """
    match law:
        case FiniteLaw(probability=probability):
            return {x: Fraction(m) for x, m in probability.items() if m}
        case Mapping():
            return masses(FiniteLaw(law))
        case ProductLaw(parts=parts):
            factors = [masses(part) for part in parts]
            if any(f is None for f in factors):
                return None
            found: Masses = {}
            for choice in product(*(f.items() for f in factors if f is not None)):
                mass = Fraction(1)
                for _, factor in choice:
                    mass *= factor
                found[tuple(x for x, _ in choice)] = mass
            return found
    return None


def both(p: Any, q: Any) -> tuple[Masses, Masses] | None:
    """The masses of two laws; None when one of them has no such list."""
    left, right = masses(p), masses(q)
    return None if left is None or right is None else (left, right)


def outcomes(p: Masses, q: Masses) -> tuple[Hashable, ...]:
    """Outcomes of either law, each once, in the order of the laws."""
    return tuple(dict.fromkeys([*p, *q]))


class BestEvent(msgspec.Struct, frozen=True):
    """An event and its probabilities under both laws."""

    outcomes: tuple[Hashable, ...]
    p: Fraction
    q: Fraction


def one_sided_ratio(p: Masses, q: Masses) -> RatioDistance:
    """ln of the largest P(x) / Q(x), which is that of the largest P(S) / Q(S) over events S.

    A quotient of sums is at most the largest quotient of terms (mediant inequality).
    """
    best: Extended = Fraction(1)
    at: Hashable = None
    for x, mass in p.items():
        other = q.get(x)
        ratio: Extended = mass / other if other else inf
        if ratio > best:
            best, at = ratio, x
    return RatioDistance(best, at)


def symmetric_ratio(p: Masses, q: Masses) -> RatioDistance:
    """The larger of both directions."""
    there, back = one_sided_ratio(p, q), one_sided_ratio(q, p)
    return there if back <= there else back


def best_event_at(p: Masses, q: Masses, factor: Fraction) -> BestEvent:
    """The event that maximises P(S) - factor Q(S), factor >= 0."""
    nothing = Fraction(0)
    inside = tuple(x for x in outcomes(p, q) if p.get(x, nothing) > factor * q.get(x, nothing))
    return BestEvent(
        inside,
        sum((p[x] for x in inside), nothing),
        sum((q.get(x, nothing) for x in inside), nothing),
    )
