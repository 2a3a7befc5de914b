"""sup over events of P(S) - t Q(S) and of P(S) / Q(S) for laws on the line with densities.

Parts that both laws have count once, with what is left of their weights: where two densities have
the same part and nothing else, no sign of p - t q is certain.

The best event is {p > t q}.  `regions` encloses its ends: where p > t q for certain, and short
intervals where an end lies.  Any event bounds the supremum from below; the true event gains at most
the mass under P of the intervals that are unsure, times a bound of (p - t q) / p there.

The ratio, d_DP, has closed forms of sup ln p(x)/q(x).  With scales s and t, distance m of the
centres (starts for the exponential law):
    Laplace      m / t + ln(t / s) for s <= t, at the centre of P, left of which the slope of
                 ln p/q is >= 1/s - 1/t >= 0, and right of which it is <= 0; else infinite;
    Gaussian     m**2 / (2 (t**2 - s**2)) + ln(t / s) for s < t, a downward parabola; infinite for
                 s > t, and for s = t unless the laws are equal;
    Cauchy       arcosh(1 + (m**2 + (s - t)**2) / (2 s t)), both ways: the density is the Poisson
                 kernel of the half-plane at centre + i scale, and Harnack's inequality in the
                 hyperbolic metric is sharp;
    exponential  m / t + ln(t / s) at P's start if that is no earlier and s <= t; else infinite.
Between families the lighter tail decides: uniform < Gaussian < Laplace, exponential < Cauchy, and
the ratio of the heavier to the lighter law is unbounded.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any

from metricdp.laws.distances.distance import Distance
from metricdp.laws.distances.finite import best_event_at, masses
from metricdp.laws.distances.line_regions import End, Regions, continuous, regions
from metricdp.laws.distances.reading import not_available
from metricdp.laws.distances.steps import compared
from metricdp.laws.exponential import ExponentialLaw
from metricdp.laws.interval import ONE, ZERO, add, log, point, root, subtract, times
from metricdp.laws.law import LineLaw
from metricdp.laws.location import CauchyLaw, GaussianLaw, LaplaceLaw
from metricdp.laws.mixture import MixtureLineLaw
from metricdp.laws.piecewise import PiecewiseLaw, UniformLaw
from metricdp.laws.row_samples import mixed
from metricdp.noise.enclose import Bounds


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
    left, right = _parts(p), _parts(q)
    if any(part in right for part in left):
        return _rest(left, right, t)
    found = regions(p, q, t)
    if found is None:
        raise not_available("hockey stick", p, q)
    return _gain(p, q, t, found)


def singular(p: Any, q: Any) -> bool:
    """Whether one law is all atoms and the other has none: some event has P = 1 and Q = 0."""
    return any(continuous(a) and masses(b) is not None for a, b in ((p, q), (q, p)))


def _parts(law: Any) -> dict[Any, Fraction]:
    """The parts of a mixture with their weights."""
    if not isinstance(law, MixtureLineLaw):
        return {law: Fraction(1)}
    found: dict[Any, Fraction] = {}
    for weight, part in zip(law.weights, law.parts, strict=True):
        for inner, share in _parts(part).items():
            found[inner] = found.get(inner, Fraction(0)) + weight * share
    return found


def _rest(left: dict[Any, Fraction], right: dict[Any, Fraction], t: Fraction) -> Distance:
    """The supremum of the difference of what is left of P and of t Q without what they share."""
    nothing = Fraction(0)
    net = {law: left.get(law, nothing) - t * right.get(law, nothing) for law in {**left, **right}}
    here = {law: w for law, w in net.items() if w > 0}
    there = {law: -w for law, w in net.items() if w < 0}
    mass, other = sum(here.values(), nothing), sum(there.values(), nothing)
    if not mass or not other:
        return Distance(mass, mass)
    p = mixed((law, w / mass) for law, w in here.items())
    q = mixed((law, w / other) for law, w in there.items())
    pair = compared(p, q)
    if pair:
        event = best_event_at(*pair, other / mass)
        value = mass * (event.p - other / mass * event.q)
        return Distance(value, value)
    found = line_excess(p, q, other / mass)
    return Distance(mass * Fraction(found.low), mass * Fraction(found.high), found.how)


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


_INFINITE = Distance(inf, inf, "closed form")
_ORDER = ((UniformLaw, PiecewiseLaw), (GaussianLaw,), (LaplaceLaw, ExponentialLaw), (CauchyLaw,))


def line_ratio(p: Any, q: Any) -> Distance:
    """sup of ln p/q; ParameterError for a pair without a formula."""
    if p == q:
        return Distance(Fraction(0), Fraction(0))
    match p, q:
        case CauchyLaw(), CauchyLaw():
            s, t, m = p.scale, q.scale, p.center - q.center
            return _found(_arcosh(1 + (m * m + (s - t) ** 2) / (2 * s * t)))
        case LaplaceLaw(), LaplaceLaw():
            return _from_start(abs(p.center - q.center), p.scale, q.scale)
        case ExponentialLaw(), ExponentialLaw():
            ahead = p.start - q.start
            return _from_start(ahead, p.scale, q.scale) if ahead >= 0 else _INFINITE
        case GaussianLaw(), GaussianLaw():
            s, t, m = p.scale, q.scale, p.center - q.center
            if s >= t:
                return _INFINITE
            return _found(add(point(m * m / (2 * (t * t - s * s))), log(point(t / s))))
    left, right = _tail(p), _tail(q)
    if singular(p, q) or (left is not None and right is not None and left > right):
        return _INFINITE
    raise not_available("d_dp_one_sided", p, q)


def line_ratio_both_ways(p: Any, q: Any) -> Distance:
    """The larger of both directions; infinite between families."""
    left, right = _tail(p), _tail(q)
    if singular(p, q):
        return _INFINITE
    if left is not None and right is not None and (left != right or type(p) is not type(q)):
        # Of Laplace and exponential laws one has a half-line to which the other gives nothing.
        return _INFINITE
    there, back = line_ratio(p, q), line_ratio(q, p)
    return Distance(max(there.low, back.low), max(there.high, back.high), there.how)


def _from_start(m: Fraction, s: Fraction, t: Fraction) -> Distance:
    if s > t:
        return _INFINITE
    return _found(add(point(m / t), log(point(t / s))))


def _arcosh(x: Fraction) -> Bounds:
    """ln(x + sqrt(x**2 - 1)), x >= 1."""
    return log(add(point(x), root(point(x * x - 1))))


def _tail(law: Any) -> int | None:
    return next((i for i, kinds in enumerate(_ORDER) if isinstance(law, kinds)), None)


def _found(x: Bounds) -> Distance:
    return Distance(max(Fraction(0), x[0]), x[1], "closed form")
