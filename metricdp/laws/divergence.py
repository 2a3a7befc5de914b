"""Distances between output laws: the quantities that privacy maps bound.

All results are enclosures (low, high) of rationals, exact (equal ends) where a closed form is
rational; `math.inf` stands for an infinite max or Renyi divergence.  P is the law on one input, Q
on its neighbour; privacy needs both orders.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, inf
from typing import Any

from metricdp.errors import ParameterError
from metricdp.laws.discrete import DiscreteGaussianLaw, DiscreteLaplaceLaw, theta
from metricdp.laws.event import best_gain, likely_event, probability
from metricdp.laws.interval import (
    ONE,
    ZERO,
    add,
    hull,
    log,
    over,
    point,
    positive_part,
    subtract,
    times,
)
from metricdp.laws.law import Law, no_closed_form
from metricdp.laws.mixture import ProductLaw
from metricdp.laws.pairs import differing_parts, paired
from metricdp.laws.rounded import RoundedGaussianLaw, RoundedLaplaceLaw, comparable, renyi_rounded
from metricdp.laws.thresholded import LARGEST
from metricdp.laws.tulap import alike, gain_beyond, gain_within, largest_ratio, moved, on_lattice
from metricdp.noise.enclose import Bounds
from metricdp.noise.kept import exp_bounds, ln_above, ln_below


def max_divergence(p: Any, q: Any) -> Bounds | float:
    """sup over outcomes of ln P/Q: the least epsilon with P <= e**epsilon Q; inf if there is none.

    Raises ParameterError for a pair of laws without a formula.
    """
    p, q = paired(p, q, "max divergence", LARGEST)
    if p == q:
        return ZERO
    match p, q:
        case ProductLaw(parts=left), ProductLaw(parts=right):
            pieces = [max_divergence(a, b) for a, b in zip(left, right, strict=True)]
            return inf if inf in pieces else add(*(x for x in pieces if not isinstance(x, float)))
        case DiscreteLaplaceLaw(), DiscreteLaplaceLaw():
            if p.scale > q.scale:
                return inf
            # Piecewise linear and falling outwards: the maximum is at one of the two centres.
            return hull(p.log_ratio(q, p.center), p.log_ratio(q, q.center))
        case DiscreteGaussianLaw(), DiscreteGaussianLaw():
            if p.sigma2 >= q.sigma2:
                return inf
            # A concave parabola: its integer maximum is next to the vertex.
            vertex = floor((p.center * q.sigma2 - q.center * p.sigma2) / (q.sigma2 - p.sigma2))
            return hull(p.log_ratio(q, vertex), p.log_ratio(q, vertex + 1))
        case RoundedLaplaceLaw(), RoundedLaplaceLaw() if p.scale == q.scale:
            # Met by every outcome beyond both centres; no more, by post-processing.
            return point(abs(p.center - q.center) / p.scale)
        case RoundedGaussianLaw(), RoundedGaussianLaw() if p.scale == q.scale:
            return inf
    if alike(p, q):
        return largest_ratio(p, q)
    support = p.support()
    if support is None or q.support() is None:
        raise no_closed_form("max divergence", p, q)
    if any(not q.pmf(k)[1] for k in support):
        return inf
    result: Bounds = p.log_ratio(q, support[0])
    for k in support[1:]:
        result = hull(result, p.log_ratio(q, k))
    return result


def hockey_stick(p: Any, q: Any, epsilon: Fraction) -> Bounds:
    """delta(epsilon) = sup over events S of P(S) - e**epsilon Q(S), epsilon >= 0.

    Raises ParameterError for a pair of laws without a formula.
    """
    p, q = differing_parts(*paired(p, q, "hockey stick", epsilon))
    if comparable(p, q):
        return best_gain(p, q, epsilon)
    if alike(p, q):
        gain = gain_beyond(p, q, epsilon) or (None if p.support() else gain_within(p, q, epsilon))
        if gain is not None:
            return gain
    if hasattr(p, "density") and hasattr(q, "density"):
        raise no_closed_form("hockey stick", p, q)
    event = likely_event(p, q, epsilon)
    factor = exp_bounds(epsilon, 192)
    support = p.support()
    if support is not None:
        return add(ZERO, *(_excess(p, q, k, epsilon, factor) for k in support))
    if event is None:
        return ZERO
    mass, other = probability(p, event), probability(q, event)
    low, high = positive_part(subtract(mass, times(factor, other)))
    return low, min(Fraction(1), high)


def _excess(p: Law, q: Law, outcome: Any, epsilon: Fraction, factor: Bounds) -> Bounds:
    """max(0, P - e**epsilon Q) at one outcome of P; exactly 0 where the log ratio shows it."""
    other = q.pmf(outcome)
    if other[0] and p.log_ratio(q, outcome)[1] <= epsilon:
        return ZERO
    return positive_part(subtract(p.pmf(outcome), times(factor, other)))


def total_variation(p: Law, q: Law) -> Bounds:
    """sup over events of P(S) - Q(S)."""
    return hockey_stick(p, q, Fraction(0))


def renyi(p: Any, q: Any, alpha: Fraction) -> Bounds | float:
    """D_alpha(P, Q) = ln(sum P**alpha Q**(1 - alpha)) / (alpha - 1), alpha > 1.

    Exact for discrete Gaussians of one sigma2 and integer alpha.  Raises ParameterError for
    alpha <= 1 and for a pair of laws without a formula.
    """
    if alpha <= 1:
        raise ParameterError("must be above 1", place="alpha")
    p, q = paired(p, q, "Renyi divergence")
    if p == q:
        return ZERO
    match p, q:
        case ProductLaw(parts=left), ProductLaw(parts=right):
            pieces = [renyi(a, b, alpha) for a, b in zip(left, right, strict=True)]
            return inf if inf in pieces else add(*(x for x in pieces if not isinstance(x, float)))
        case DiscreteLaplaceLaw(), DiscreteLaplaceLaw() if p.scale == q.scale:
            return _renyi_laplace(abs(p.center - q.center), p.scale, alpha)
        case DiscreteGaussianLaw(), DiscreteGaussianLaw() if p.sigma2 == q.sigma2:
            return _renyi_gaussian(abs(p.center - q.center), p.sigma2, alpha)
    if comparable(p, q):
        return renyi_rounded(p, q, alpha)
    if alike(p, q) and not p.delta:
        return _renyi_tulap(p, q, alpha)
    support = p.support()
    if support is None or q.support() is None:
        raise no_closed_form("Renyi divergence", p, q)
    if any(not q.pmf(k)[1] for k in support):
        return inf
    terms = []
    for k in support:
        low, high = p.log_ratio(q, k)
        powers = exp_bounds((alpha - 1) * low)[0], exp_bounds((alpha - 1) * high)[1]
        terms.append(times(p.pmf(k), powers))
    low, high = log(add(*terms))
    return max(Fraction(0), low / (alpha - 1)), high / (alpha - 1)


def _renyi_laplace(d: int, scale: Fraction, alpha: Fraction) -> Bounds:
    """Geometric sums left of both centres, between them, and right of both.

    With a = exp(-1/scale): ((a**((1-alpha) d) + a**(alpha d)) / (1 - a) + a**((1-alpha) d)
    (c - c**d) / (1 - c)) (1 - a) / (1 + a), c = a**(2 alpha - 1).
    """

    def power(exponent: Fraction) -> Bounds:
        return exp_bounds(-exponent / scale, 256 + scale.numerator.bit_length())

    a, c = power(Fraction(1)), power(2 * alpha - 1)
    left = power((1 - alpha) * d)
    outer = over(add(left, power(alpha * d)), add(ONE, a))
    middle = over(positive_part(subtract(c, power((2 * alpha - 1) * d))), subtract(ONE, c))
    inner = times(times(left, middle), over(subtract(ONE, a), add(ONE, a)))
    low, high = log(add(outer, inner))
    return max(Fraction(0), low / (alpha - 1)), high / (alpha - 1)


def _renyi_tulap(p: Any, q: Any, alpha: Fraction) -> Bounds:
    """The mean over the places in a cell of the moments of discrete Laplace noise; see `tulap`."""
    t = moved(p, q)
    k = ceil(t)

    def moment(steps: int) -> Bounds:
        low, high = _renyi_laplace(steps, 1 / p.epsilon, alpha) if steps else ZERO
        return exp_bounds((alpha - 1) * low)[0], exp_bounds((alpha - 1) * high)[1]

    share = t - k + 1
    low, high = log(add(times(point(share), moment(k)), times(point(1 - share), moment(k - 1))))
    return (max(Fraction(0), low / (alpha - 1)) if on_lattice(p, q) else Fraction(0)), high / (
        alpha - 1
    )


def _renyi_gaussian(d: int, sigma2: Fraction, alpha: Fraction) -> Bounds:
    """alpha d**2 / (2 sigma2) + ln(theta(alpha d) / theta(0)) / (alpha - 1) (complete the square).

    theta is largest at integers, so the continuous formula bounds it, and is exact for integers.
    """
    smooth = alpha * d * d / (2 * sigma2)
    shift = alpha * d
    if shift.denominator == 1:
        return smooth, smooth
    low = log(over(theta(sigma2, shift), theta(sigma2)))[0]
    return max(Fraction(0), smooth + low / (alpha - 1)), smooth


def zcdp_rho(p: Any, q: Any) -> Bounds | float:
    """sup over alpha > 1 of D_alpha(P, Q) / alpha.

    Exact for discrete Gaussians of one sigma2; the upper end is that of the continuous law for
    rounded laws, m - 1 + e^-m for Laplace at m scales.  Otherwise it is epsilon tanh(epsilon / 2),
    epsilon the larger max divergence of the two orders, and the lower end the best of a few orders.
    """
    p, q = paired(p, q, "zCDP bound")
    match p, q:
        case DiscreteGaussianLaw(), DiscreteGaussianLaw() if p.sigma2 == q.sigma2:
            return point(Fraction((p.center - q.center) ** 2) / (2 * p.sigma2))
        case RoundedGaussianLaw(), RoundedGaussianLaw() if p.scale == q.scale:
            high = (p.center - q.center) ** 2 / (2 * p.scale**2)
            return min(high, _best_order(p, q)), high
        case RoundedLaplaceLaw(), RoundedLaplaceLaw() if p.scale == q.scale:
            m = abs(p.center - q.center) / p.scale
            high = m - 1 + exp_bounds(-m)[1]
            return min(high, _best_order(p, q)), high
    if p != q and hasattr(p, "density") and hasattr(q, "density"):
        raise no_closed_form("zCDP bound", p, q)
    there, back = max_divergence(p, q), max_divergence(q, p)
    if isinstance(there, float) or isinstance(back, float):
        raise no_closed_form("zCDP bound", p, q)
    epsilon = max(there[1], back[1])
    shrunk = exp_bounds(-epsilon)
    high = epsilon * over(subtract(ONE, shrunk), add(ONE, shrunk))[1]
    return min(_best_order(p, q), high), high


def _best_order(p: Any, q: Any) -> Fraction:
    """A lower bound of rho: the best of a few orders."""
    low = Fraction(0)
    for alpha in (Fraction(65, 64), Fraction(3, 2), Fraction(2), Fraction(4), Fraction(16)):
        value = renyi(p, q, alpha)
        if not isinstance(value, float):
            low = max(low, value[0] / alpha)
    return low


def log_of_ratio(p: Bounds, q: Bounds) -> Bounds:
    """ln(p / q) for positive probabilities: the epsilon that an event witnesses."""
    ratio = over(p, q)
    return ln_below(ratio[0]), ln_above(ratio[1])
