"""d_DP between laws on the line with a density: closed forms of sup ln p(x)/q(x).

With scales s and t, distance m of the centres (starts for the exponential law):
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
from metricdp.laws.distances.line_excess import singular
from metricdp.laws.distances.refusals import not_available
from metricdp.laws.exponential import ExponentialLaw
from metricdp.laws.interval import add, log, point, root
from metricdp.laws.location import CauchyLaw, GaussianLaw, LaplaceLaw
from metricdp.laws.piecewise import PiecewiseLaw, UniformLaw
from metricdp.noise.enclose import Bounds

_INFINITE = Distance(inf, inf, "closed form")
_ORDER = ((UniformLaw, PiecewiseLaw), (GaussianLaw,), (LaplaceLaw, ExponentialLaw), (CauchyLaw,))


def one_sided(p: Any, q: Any) -> Distance:
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


def symmetric(p: Any, q: Any) -> Distance:
    """The larger of both directions; infinite between families."""
    left, right = _tail(p), _tail(q)
    if singular(p, q):
        return _INFINITE
    if left is not None and right is not None and (left != right or type(p) is not type(q)):
        # Of Laplace and exponential laws one has a half-line to which the other gives nothing.
        return _INFINITE
    there, back = one_sided(p, q), one_sided(q, p)
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
