"""Kullback-Leibler and Renyi divergences and zCDP's rho: enclosures, for every pair with a formula.

Laws on finitely many outcomes and of steps: sums over outcomes or pieces.  On the line, with scales
s and t, centres m apart, u = m / s:
    Gaussian  KL = ln(t/s) + (s**2 + m**2) / (2 t**2) - 1/2;
              D_alpha = alpha m**2 / (2 v) + ln(t/s) + ln(t**2 / v) / (2 (alpha - 1)), where
              v = alpha t**2 + (1 - alpha) s**2, infinite for v <= 0 (Gil, Alajaji and Linder 2013);
              rho = u**2 / 2 for s = t;
    Laplace   KL = ln(t/s) + (m + s e**-u) / t - 1;
              D_alpha for s = t: ln(a e**((alpha - 1) u) + (1 - a) e**(-alpha u)) / (alpha - 1),
              a = alpha / (2 alpha - 1) (Mironov 2017); rho = u - 1 + e**-u for s = t, which is
              KL: D_alpha / alpha is largest as alpha goes to 1;
    Cauchy    KL = ln(((s + t)**2 + m**2) / (4 s t)) (Chyzak and Nielsen 2019).
"""

from __future__ import annotations

from fractions import Fraction
from math import inf
from typing import Any

from metricdp.errors import ParameterError
from metricdp.laws import divergence
from metricdp.laws.distances.distance import Distance, Extended
from metricdp.laws.distances.enclosed import aligned_laws
from metricdp.laws.distances.finite import one_sided_ratio
from metricdp.laws.distances.line_excess import singular
from metricdp.laws.distances.reading import not_available, read_laws
from metricdp.laws.distances.steps import compared
from metricdp.laws.finite import FiniteLaw
from metricdp.laws.interval import add, log, point, times
from metricdp.laws.law import LineLaw
from metricdp.laws.location import CauchyLaw, GaussianLaw, LaplaceLaw
from metricdp.laws.numbers import real
from metricdp.noise.enclose import Bounds
from metricdp.noise.kept import exp_bounds

#: Where D_alpha / alpha is looked at for a lower bound of its supremum.
_ORDERS = (Fraction(65, 64), Fraction(3, 2), Fraction(2), Fraction(4), Fraction(16))
_ZERO = Distance(Fraction(0), Fraction(0))
_INFINITE = Distance(inf, inf)


def kl_divergence(p: Any, q: Any) -> Distance:
    """E_P ln P/Q >= 0; infinite when P says what Q never does.

    Raises:
        ParameterError: no formula for the pair; samples.

    >>> kl_divergence({"a": "1/2", "b": "1/2"}, {"a": "1/4", "b": "3/4"})
    [0.14384103622..., 0.14384103622...]
    """
    p, q = read_laws("kl_divergence", p, q)
    pair = compared(p, q)
    if pair:
        here, there = pair
        if any(x not in there for x in here):
            return _INFINITE
        terms = [(mass, log(point(mass / there[x]))) for x, mass in here.items()]
        low = sum((mass * term[0] for mass, term in terms), Fraction(0))
        return _found((low, sum((mass * term[1] for mass, term in terms), Fraction(0))))
    if singular(p, q):
        return _INFINITE
    return _ZERO if p == q else _found(_kl_on_line(p, q))


def _kl_on_line(p: Any, q: Any) -> Bounds:
    match p, q:
        case GaussianLaw(), GaussianLaw():
            square = p.scale**2 + (p.center - q.center) ** 2
            rest = square / (2 * q.scale**2) - Fraction(1, 2)
            return add(log(point(q.scale / p.scale)), point(rest))
        case LaplaceLaw(), LaplaceLaw():
            m = abs(p.center - q.center)
            moved = add(point(m), times(point(p.scale), exp_bounds(-m / p.scale, 192)))
            low, high = moved[0] / q.scale - 1, moved[1] / q.scale - 1
            return add(log(point(q.scale / p.scale)), (low, high))
        case CauchyLaw(), CauchyLaw():
            square = (p.scale + q.scale) ** 2 + (p.center - q.center) ** 2
            return log(point(square / (4 * p.scale * q.scale)))
    raise not_available("kl_divergence", p, q)


def renyi_divergence(p: Any, q: Any, alpha: Any) -> Distance:
    """D_alpha(P, Q) = ln(E_Q (P/Q)**alpha) / (alpha - 1), alpha > 1; rational alpha.

    Raises:
        ParameterError: alpha <= 1; no formula for the pair; samples.
    """
    p, q = read_laws("renyi_divergence", p, q)
    order = real(alpha, "alpha")
    if order <= 1:
        raise ParameterError("must be above 1", place="alpha", remedy="kl_divergence is its limit")
    pair = compared(p, q)
    if pair:
        p, q = FiniteLaw(pair[0]), FiniteLaw(pair[1])
    elif singular(p, q):
        return _INFINITE
    elif isinstance(p, LineLaw) or isinstance(q, LineLaw):
        return _ZERO if p == q else _renyi_on_line(p, q, order)
    return _either(divergence.renyi(*aligned_laws(p, q), order))


def _renyi_on_line(p: Any, q: Any, alpha: Fraction) -> Distance:
    match p, q:
        case GaussianLaw(), GaussianLaw():
            s, t, m = p.scale, q.scale, p.center - q.center
            v = alpha * t * t + (1 - alpha) * s * s
            if v <= 0:
                return _INFINITE
            low, high = log(point(t * t / v))
            shape = low / (2 * (alpha - 1)), high / (2 * (alpha - 1))
            return _found(add(point(alpha * m * m / (2 * v)), log(point(t / s)), shape))
        case LaplaceLaw(), LaplaceLaw() if p.scale == q.scale:
            u = abs(p.center - q.center) / p.scale
            a = alpha / (2 * alpha - 1)
            up = times(point(a), exp_bounds((alpha - 1) * u, 192))
            low, high = log(add(up, times(point(1 - a), exp_bounds(-alpha * u, 192))))
            return _found((low / (alpha - 1), high / (alpha - 1)))
    raise not_available("renyi_divergence", p, q)


def zcdp(p: Any, q: Any) -> Distance:
    """rho = sup over alpha > 1 of D_alpha(P, Q) / alpha.

    Raises:
        ParameterError: no formula for the pair; samples.
    """
    p, q = read_laws("zcdp", p, q)
    pair = compared(p, q)
    if pair:
        if any(x not in pair[1] for x in pair[0]):
            return _INFINITE
        p, q = FiniteLaw(pair[0]), FiniteLaw(pair[1])
        if any(x not in pair[0] for x in pair[1]):
            # D_alpha <= D_inf, and alpha > 1.
            low = max(renyi_divergence(p, q, a).low / a for a in _ORDERS)
            return Distance(low, max(low, one_sided_ratio(*pair).high), "enclosure")
    elif singular(p, q):
        return _INFINITE
    elif isinstance(p, LineLaw) or isinstance(q, LineLaw):
        if p == q:
            return _ZERO
        if type(p) is not type(q) or getattr(p, "scale", 0) != getattr(q, "scale", 0):
            raise not_available("zcdp", p, q)
        if isinstance(p, GaussianLaw):
            return _found(point((p.center - q.center) ** 2 / (2 * p.scale**2)))
        if isinstance(p, LaplaceLaw):
            u = abs(p.center - q.center) / p.scale
            return _found(add(point(u - 1), exp_bounds(-u, 192)))
        raise not_available("zcdp", p, q)
    return _either(divergence.zcdp_rho(*aligned_laws(p, q)))


def _either(found: Bounds | float) -> Distance:
    return _found(found) if isinstance(found, tuple) else _INFINITE


def _found(x: Bounds) -> Distance:
    low: Extended = max(Fraction(0), x[0])
    return Distance(low, max(low, x[1]), "closed form")
