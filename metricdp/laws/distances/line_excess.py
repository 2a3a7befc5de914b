"""sup over events of P(S) - t Q(S) for laws on the line with densities: the certified best event.

The best event is {p > t q}.  `regions` encloses its ends: where p > t q for certain, and short
intervals where an end lies.  Any event bounds the supremum from below; the true event gains at most
the mass under P of the intervals that are unsure, times a bound of (p - t q) / p there.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.laws.distances.distance import Distance
from metricdp.laws.distances.line_regions import CONTINUOUS, Regions, regions
from metricdp.laws.distances.masses import masses
from metricdp.laws.distances.refusals import not_available
from metricdp.laws.interval import ONE, ZERO, add, point, subtract, times
from metricdp.laws.line import LineLaw
from metricdp.noise.enclose import Bounds

End = Fraction | None


def line_excess(p: Any, q: Any, t: Fraction) -> Distance:
    """The supremum, t >= 0; ParameterError for a pair without a method."""
    if singular(p, q):
        return Distance(Fraction(1), Fraction(1))
    if not isinstance(p, LineLaw) or not isinstance(q, LineLaw):
        raise not_available("hockey stick", p, q)
    if p == q or not t:
        value = max(Fraction(0), 1 - t)
        return Distance(value, value)
    if t < 1:
        # The same events from the other side: the complements.
        back = line_excess(q, p, 1 / t)
        low, high = (t * Fraction(x) + 1 - t for x in (back.low, back.high))
        return Distance(low, high, back.how)
    found = regions(p, q, t)
    if found is None:
        raise not_available("hockey stick", p, q)
    return _gain(p, q, t, found)


def singular(p: Any, q: Any) -> bool:
    """Whether one law is all atoms and the other has none: some event has P = 1 and Q = 0."""
    return any(isinstance(a, CONTINUOUS) and masses(b) is not None for a, b in ((p, q), (q, p)))


def _gain(p: LineLaw, q: LineLaw, t: Fraction, found: Regions) -> Distance:
    gains = [subtract(within(p, a, b), times(point(t), within(q, a, b))) for a, b in found.inside]
    low, high = add(ZERO, *gains)
    shares = found.shares or (Fraction(1),) * len(found.unsure)
    for (a, b), share in zip(found.unsure, shares, strict=True):
        high += share * within(p, a, b)[1]
    how = "certified roots" if found.shares else "closed form"
    return Distance(max(Fraction(0), low), min(Fraction(1), max(high, low)), how)


def within(law: LineLaw, a: End, b: End) -> Bounds:
    """P(a <= X <= b), None for an end that is infinite."""
    if a is None:
        return ONE if b is None else law.cdf(b)
    return law.tail(a) if b is None else law.between(a, b)
