"""Earth mover's and Prokhorov distances between laws on the line with densities.

On the line moving by quantiles is optimal (Vallender 1974), so between centre + scale Z and another
of the same Z the earth mover's distance is E |m + s Z|, m and s the differences of centres and
scales: for s = 0 it is |m|; else, for m >= 0 and s > 0 (both may change sign together, and Z is
symmetric),
    Gaussian     m (1 - 2 P(Z >= m/s)) + 2 s phi(m/s)           (the folded normal's mean),
    Laplace      m + s e**(-m/s),
    Cauchy       infinite,
    exponential  m + s when m and s have one sign, else |m| - |s| + 2 |s| e**(-|m/s|).

Prokhorov, for symmetric unimodal laws of one scale at distance m: the root of x = TV(m - x), where
TV(y) is the total variation at distance y.  Moving everything by x leaves a total variation TV(m -
x) to be moved farther; and the half-line on which P is ahead shows that no plan does better.  For
x = 0 and x = m the two sides are in order, so there is one root, in [0, m].  Laws of one family and
two scales: `prokhorov_densities`.
"""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any

from metricdp.laws.distances.distance import Distance
from metricdp.laws.distances.prokhorov_densities import prokhorov_densities
from metricdp.laws.distances.refusals import not_available
from metricdp.laws.exponential import ExponentialLaw
from metricdp.laws.interval import add, point, subtract, times
from metricdp.laws.location import CauchyLaw, GaussianLaw, LaplaceLaw, LocationLaw
from metricdp.noise.enclose import Bounds, exp_bounds

_HALVINGS = 100


def earth_mover(p: Any, q: Any) -> Distance:
    """E |m + s Z|; ParameterError for laws of two families."""
    if type(p) is not type(q) or not isinstance(p, LocationLaw | ExponentialLaw):
        from metricdp.laws.distances.line_areas import area

        return area(p, q)
    where = "start" if isinstance(p, ExponentialLaw) else "center"
    m, s = getattr(p, where) - getattr(q, where), p.scale - q.scale
    if not s:
        return Distance(abs(m), abs(m), "closed form")
    if isinstance(p, CauchyLaw):
        return Distance(inf, inf, "closed form")
    return Distance(*_mean(p, m, s), "closed form")


def _mean(p: Any, m: Fraction, s: Fraction) -> Bounds:
    if isinstance(p, ExponentialLaw):
        if m * s >= 0:
            return point(abs(m + s))
        rest = times(point(2 * abs(s)), exp_bounds(-abs(m / s), 192))
        return add(point(abs(m) - abs(s)), rest)
    m, s = abs(m), abs(s)
    if isinstance(p, LaplaceLaw):
        return add(point(m), times(point(s), exp_bounds(-m / s, 192)))
    unit = GaussianLaw(Fraction(0), Fraction(1))
    inside = subtract(point(1), times(point(2), unit.tail(m / s)))
    return add(times(point(m), inside), times(point(2 * s), unit.density(m / s)))


def prokhorov(p: Any, q: Any) -> Distance:
    """The root, enclosed; ParameterError for laws that are not known here."""
    if p == q:
        return Distance(Fraction(0), Fraction(0))
    if type(p) is not type(q) or not isinstance(p, LocationLaw) or p.scale != q.scale:
        found = prokhorov_densities(p, q)
        if found is None:
            raise not_available(
                "d_wc",
                p,
                q,
                "take finite laws near both, clamp(rounded(law, step), lower, upper): that moves"
                " either by at most half a step, or by what lies outside",
            )
        return found
    m = abs(p.center - q.center)
    low, high = Fraction(0), min(m, Fraction(1))
    for _ in range(_HALVINGS):
        x = (low + high) / 2
        # 1 - 2 P(Z >= y / 2): the half-line from the middle.
        tail = p.tail(p.center + (m - x) / 2)
        variation = subtract(point(1), times(point(2), tail))
        if variation[0] > x:
            low = x
        elif variation[1] <= x:
            high = x
        else:
            break
    return Distance(low, high, "certified root")
