"""Group privacy: the cost at k units of distance, from the cost at one.

For a distance whose every k-step pair is joined by k unit steps inside the domain.  A mechanism's
own map at distance k is at least as good and is used where it exists.
"""

from __future__ import annotations

from fractions import Fraction

from metricdp.errors import ParameterError
from metricdp.expr import ONE, ZERO, Expr, exp, num, sum_over, sym
from metricdp.measures.pure_rho import Number


def group_pure(epsilon: Number, units: Number) -> Expr:
    """k epsilon: the triangle inequality of the max divergence."""
    return num(units) * num(epsilon)


def group_zcdp(rho: Number, units: Number) -> Expr:
    """k^2 rho.  Source: Bun and Steinke (2016), Proposition 1.9."""
    return num(units) ** 2 * num(rho)


def group_approx(epsilon: Number, delta: Number, units: Number) -> tuple[Expr, Expr]:
    """(k epsilon, delta (1 + e^epsilon + ... + e^((k - 1) epsilon))), tight; k delta is unsound.

    Source: iterate P(S) <= e^epsilon Q(S) + delta along a path of k unit steps; Vadhan (2017),
    Lemma 2.2.

    Args:
        units: a whole number of steps (an expression known to be one, or an int).
    """
    e, d, k = num(epsilon), num(delta), num(units)
    if k == ONE:
        return e, d
    step = sym("_step", nonneg=True, integer=True)
    return k * e, d * sum_over(exp(e * step), "_step", ZERO, k - 1)


def group_renyi(alpha: Fraction, epsilon: Fraction, doublings: int) -> tuple[Fraction, Fraction]:
    """(alpha / 2^c, 3^c epsilon): the order and the bound at 2^c units; not tight.

    Source: Mironov (2017), Proposition 2.

    Raises:
        ParameterError: alpha < 2^(c + 1), where the proposition does not apply.
    """
    if alpha < 2 ** (doublings + 1):
        raise ParameterError(
            f"order {alpha} is too small for {2**doublings} units",
            place="alpha",
            remedy=f"start from an order of at least {2 ** (doublings + 1)}",
        )
    return Fraction(alpha) / 2**doublings, 3**doublings * Fraction(epsilon)
