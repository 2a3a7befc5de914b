"""The rho of a Renyi curve for the orders up to some omega: truncated concentrated privacy.

D_alpha grows with alpha, so on [a, b] D_alpha / alpha is at most D_b / a; the orders are cut into
intervals of a few percent.  Sampling amplifies this rho, and not that of all orders.
Source: Bun, Dwork, Rothblum, Steinke (2018), Definition 1.
"""

from __future__ import annotations

from fractions import Fraction

from metricdp.errors import ParameterError
from metricdp.measures.facts import zcdp_rho
from metricdp.measures.renyi import Curve

#: The most intervals.
_MOST = 400


def rho_up_to(curve: Curve, omega: Fraction) -> Fraction:
    """At least the largest D_alpha / alpha over 1 < alpha <= omega.

    Raises:
        ParameterError: omega <= 1, or an order that the curve has no bound at.
    """
    if omega <= 1:
        raise ParameterError(f"omega is {omega}", place="omega", remedy="choose omega > 1")
    rho = zcdp_rho(curve)
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
