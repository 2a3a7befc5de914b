"""From a Renyi curve to (epsilon, delta): the best order, with a certificate at that order.

If D_alpha <= e then the hockey-stick divergence obeys, for every epsilon,
  delta(epsilon) <= e^((alpha - 1)(e - epsilon)) (1 - 1/alpha)^alpha / (alpha - 1),
which, solved for epsilon, is e + ln((alpha - 1)/alpha) - (ln delta + ln alpha)/(alpha - 1).
Source: Canonne, Kamath, Steinke (2020), Proposition 12; Asoodeh et al. (2020).

Any order gives a valid number, so the search works in doubles and only the result is rounded
outward.  The set of orders that reach a given epsilon is an interval, because ln of the bound is
convex in alpha; golden sections over ln(alpha - 1) therefore find the best one.

The rho of a curve for the orders up to some omega is that of truncated concentrated privacy.
D_alpha grows with alpha, so on [a, b] D_alpha / alpha is at most D_b / a; the orders are cut into
intervals of a few percent.  Sampling amplifies this rho, and not that of all orders.
Source: Bun, Dwork, Rothblum, Steinke (2018), Definition 1.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import exp, inf, log, log1p, sqrt

import msgspec

from metricdp.accounting.renyi import Curve, LinearCurve
from metricdp.accounting.rounded import exp_up, ln_down, ln_up, short_up
from metricdp.errors import ParameterError

_GOLDEN = (sqrt(5) - 1) / 2
_STEPS = 18
#: ln(alpha - 1) is searched in this range.
_NEAREST, _FARTHEST = -12.0, 60.0


class AtOrder(msgspec.Struct, frozen=True):
    """A certified number (epsilon or delta, rounded up) and the order that proves it."""

    value: Fraction
    order: Fraction


def epsilon_of_order(alpha: Fraction, divergence: Fraction, delta: Fraction) -> Fraction:
    """epsilon at delta from one bound D_alpha <= divergence, rounded up; see the module.

    Args:
        alpha: above 1.
        delta: in (0, 1).
    """
    logs = ln_down(delta) + ln_down(alpha)
    value = divergence + ln_up((alpha - 1) / alpha) - logs / (alpha - 1)
    return max(Fraction(0), short_up(value))


def delta_of_order(alpha: Fraction, divergence: Fraction, epsilon: Fraction) -> Fraction:
    """delta at epsilon from one bound D_alpha <= divergence, rounded up, at most 1."""
    exponent = (alpha - 1) * (divergence - epsilon + ln_up((alpha - 1) / alpha)) - ln_down(alpha)
    return Fraction(1) if exponent >= 0 else short_up(min(Fraction(1), exp_up(exponent)))


def epsilon_at(curve: Curve, delta: Fraction) -> AtOrder:
    """The least epsilon that an order of the curve proves at delta.

    Raises:
        ParameterError: delta outside (0, 1).
    """
    delta = checked_delta(delta)
    ln_delta = float(ln_up(delta))

    def found(alpha: Fraction) -> float:
        a = float(alpha)
        gap = float(alpha - 1)
        value = _divergence(curve, alpha) - log1p(1 / gap) - (ln_delta + log(a)) / gap
        return max(value, 0.0)

    alpha = _best(curve, found, -ln_delta)
    return AtOrder(epsilon_of_order(alpha, curve.divergence(alpha)[1], delta), alpha)


def delta_at(curve: Curve, epsilon: Fraction) -> AtOrder:
    """The least delta that an order of the curve proves at epsilon >= 0."""
    target = float(epsilon)

    def found(alpha: Fraction) -> float:
        gap = float(alpha - 1)
        return gap * (_divergence(curve, alpha) - target - log1p(1 / gap)) - log(float(alpha))

    alpha = _best(curve, found, target)
    return AtOrder(delta_of_order(alpha, curve.divergence(alpha)[1], Fraction(epsilon)), alpha)


def checked_delta(delta: Fraction) -> Fraction:
    """delta in (0, 1); ParameterError otherwise."""
    if not 0 < delta < 1:
        raise ParameterError(f"delta is {delta}", place="delta", remedy="choose 0 < delta < 1")
    return Fraction(delta)


@lru_cache(maxsize=8192)
def _divergence(curve: Curve, alpha: Fraction) -> float:
    """The bound as a double; one search after the other tries the same orders of a curve."""
    try:
        return float(curve.divergence(alpha)[1])
    except OverflowError:
        return inf


def _best(curve: Curve, value: Callable[[Fraction], float], scale: float) -> Fraction:
    """An order whose value is near the least one."""
    top = _FARTHEST if curve.largest is None else log(float(curve.largest - 1))
    known: dict[float, float] = {}

    def at(x: float) -> float:
        if x not in known:
            known[x] = value(_order(curve, x))
        return known[x]

    start = 0.0
    if isinstance(curve, LinearCurve) and curve.rho and scale > 0:
        # The simple form's best order is near: 1 + sqrt(ln(1/delta) / rho).
        start = log(scale / float(curve.rho)) / 2
    middle, step = min(max(start, _NEAREST), top), 1.0
    # Walk downhill until the value grows on both sides.
    low, high = max(middle - step, _NEAREST), min(middle + step, top)
    while high < top and at(high) <= at(middle):
        low, middle, high = middle, high, min(high + step, top)
    while low > _NEAREST and at(low) <= at(middle):
        low, middle, high = max(low - step, _NEAREST), low, middle
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    for _ in range(_STEPS):
        if at(left) <= at(right):
            high, right = right, left
            left = high - _GOLDEN * (high - low)
        else:
            low, left = left, right
            right = low + _GOLDEN * (high - low)
    return _nearby(curve, at, value, min(known, key=at))


def _nearby(
    curve: Curve, at: Callable[[float], float], value: Callable[[Fraction], float], x: float
) -> Fraction:
    """The order at x, or an integer next to it that is better: sampled curves bend there."""
    alpha = _order(curve, x)
    best, least = alpha, at(x)
    for whole in (alpha.__floor__(), alpha.__ceil__()):
        if whole > 1 and (found := value(Fraction(whole))) < least:
            best, least = Fraction(whole), found
    return best


def _order(curve: Curve, x: float) -> Fraction:
    """1 + e^x as a rational of few digits, not above the largest order."""
    gap = Fraction(exp(x))
    shift = 30 - gap.numerator.bit_length() + gap.denominator.bit_length()
    alpha = 1 + Fraction(round(gap * Fraction(2) ** shift)) / Fraction(2) ** shift
    return alpha if curve.largest is None else min(alpha, curve.largest)


#: The most intervals.
_MOST = 400


def rho_up_to(curve: Curve, omega: Fraction) -> Fraction:
    """At least the largest D_alpha / alpha over 1 < alpha <= omega.

    Raises:
        ParameterError: omega <= 1, or an order that the curve has no bound at.
    """
    if omega <= 1:
        raise ParameterError(f"omega is {omega}", place="omega", remedy="choose omega > 1")
    rho = curve.zcdp_rho
    if curve.largest is not None and omega > curve.largest:
        if rho is None:
            raise ParameterError(f"no bound is known at order {omega}", place="omega")
        return rho
    worst, low = Fraction(0), Fraction(1)
    for i in range(_MOST):
        high = omega if i == _MOST - 1 else min(omega, low * Fraction(33, 32))
        worst = max(worst, curve.divergence(high)[1] / low)
        low = high
        if low >= omega:
            break
    return worst if rho is None else min(worst, rho)
