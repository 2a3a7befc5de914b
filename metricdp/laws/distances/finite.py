"""Distances between finite laws that compare masses only: exact rationals.

All are read off the ratios P(x) / Q(x).  The best event for P(S) - t Q(S) is {P > t Q} (Neyman and
Pearson 1933): every other event adds negative terms or leaves positive ones out.
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from math import inf

import msgspec

from metricdp.laws.distances.distance import Extended, RatioDistance
from metricdp.laws.distances.masses import Masses, outcomes


class Event(msgspec.Struct, frozen=True):
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


def best_event_at(p: Masses, q: Masses, factor: Fraction) -> Event:
    """The event that maximises P(S) - factor Q(S), factor >= 0."""
    nothing = Fraction(0)
    inside = tuple(x for x in outcomes(p, q) if p.get(x, nothing) > factor * q.get(x, nothing))
    return Event(
        inside,
        sum((p[x] for x in inside), nothing),
        sum((q.get(x, nothing) for x in inside), nothing),
    )
