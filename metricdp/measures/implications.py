"""What a bound under one measure implies under another.

Functions on expressions take and return `Expr` (numbers are accepted); evaluate with `.upper`.
Functions named `..._epsilon` and `..._delta` take rationals and return a rational rounded up.
A bound that holds only under a condition returns the condition beside it.

Nothing turns (epsilon, delta) with delta > 0 into a pure, Renyi or concentrated bound.
"""

from __future__ import annotations

from fractions import Fraction

from metricdp.accounting.costs import Number, pure_to_zcdp
from metricdp.accounting.orders import AtOrder, delta_at, epsilon_at
from metricdp.accounting.renyi import LinearCurve, TruncatedCurve
from metricdp.errors import ParameterError
from metricdp.expr import Expr, Relation, log, minimum, num, root


def bounded_range_to_zcdp(epsilon: Number) -> Expr:
    """rho = epsilon^2 / 8 for epsilon-bounded-range mechanisms (exponential mechanism); a bound.

    False for permute-and-flip, which is epsilon-DP but has no bounded range of epsilon.
    Source: Cesar and Rogers (2021), Lemma 3.4; Dong, Durfee, Rogers (2020).
    """
    return num(epsilon) ** 2 / 8


def pure_to_renyi(epsilon: Number, alpha: Number) -> Expr:
    """min(epsilon, alpha epsilon tanh(epsilon / 2)); `renyi.PureCurve` is exact in numbers.

    Source: D_alpha <= D_oo and `pure_to_zcdp`.
    """
    return minimum(num(epsilon), num(alpha) * pure_to_zcdp(epsilon))


def zcdp_to_approx(rho: Number, delta: Number) -> Expr:
    """epsilon = rho + 2 sqrt(rho ln(1 / delta)), for 0 < delta < 1; readable, not the least.

    Source: Bun and Steinke (2016), Proposition 1.3.
    """
    r = num(rho)
    return r + 2 * root(r * log(1 / num(delta)))


def zcdp_epsilon(rho: Fraction, delta: Fraction) -> AtOrder:
    """The least epsilon at delta over all orders, below `zcdp_to_approx`; see `orders`."""
    return epsilon_at(LinearCurve(Fraction(rho)), delta)


def zcdp_delta(rho: Fraction, epsilon: Fraction) -> AtOrder:
    """The least delta at epsilon over all orders."""
    return delta_at(LinearCurve(Fraction(rho)), epsilon)


def renyi_to_approx(alpha: Number, epsilon: Number, delta: Number) -> Expr:
    """epsilon + ln((alpha - 1)/alpha) - (ln delta + ln alpha)/(alpha - 1), at one order alpha > 1.

    May fall below 0, where 0 holds.  Source: Canonne, Kamath, Steinke (2020), Proposition 12.
    """
    a = num(alpha)
    return num(epsilon) + log((a - 1) / a) + (log(1 / num(delta)) - log(a)) / (a - 1)


def tcdp_to_approx(rho: Number, omega: Number, delta: Number) -> tuple[Expr, Relation]:
    """rho + 2 sqrt(rho ln(1/delta)), and what it requires: ln(1/delta) <= (omega - 1)^2 rho.

    Without the requirement the best order 1 + sqrt(ln(1/delta)/rho) exceeds omega; then
    `tcdp_at_omega` holds.  Source: Bun, Dwork, Rothblum, Steinke (2018), Lemma 6.
    """
    need = Relation(log(1 / num(delta)), "<=", (num(omega) - 1) ** 2 * num(rho))
    return zcdp_to_approx(rho, delta), need


def tcdp_at_omega(rho: Number, omega: Number, delta: Number) -> Expr:
    """rho omega + ln(1/delta) / (omega - 1): the order omega itself; always valid for omega > 1."""
    w = num(omega)
    return num(rho) * w + log(1 / num(delta)) / (w - 1)


def tcdp_epsilon(rho: Fraction, omega: Fraction, delta: Fraction) -> AtOrder:
    """The least epsilon at delta over the orders up to omega.

    Raises:
        ParameterError: omega <= 1, or delta outside (0, 1).
    """
    if omega <= 1:
        raise ParameterError(f"omega is {omega}", place="omega", remedy="choose omega > 1")
    return epsilon_at(TruncatedCurve(Fraction(rho), Fraction(omega)), delta)
