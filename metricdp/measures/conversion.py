"""From rho (zero-concentrated privacy) to (epsilon, delta), as a formula and as a best number.

For every alpha > 1, rho-zCDP implies (epsilon, delta)-privacy with
  epsilon = alpha rho + (ln(1/delta) + alpha ln(1 - 1/alpha) - ln(alpha - 1)) / (alpha - 1)
(Canonne, Kamath and Steinke 2020, Proposition 12, with Renyi divergence alpha rho).  Any alpha is
valid, so alpha is searched in doubles, and only the value at the alpha found is rounded upwards.
The formula epsilon = rho + 2 sqrt(rho ln(1/delta)) (Bun and Steinke 2016, Proposition 1.3) is
larger, and is printed where parameters are symbolic.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction

from metricdp.expr import Expr, log, num, root

_DIGITS = 60
_CONTEXT = Context(_DIGITS)
#: Relative to the terms of the sum: far above the rounding of 60 digits.
_MARGIN = Decimal("1e-40")


def symbolic_epsilon(rho: Expr, delta: Fraction) -> Expr:
    """rho + 2 sqrt(rho ln(1/delta)), for 0 < delta < 1."""
    return rho + 2 * root(rho * log(num(1 / delta)))


def best_epsilon(rho: Fraction, delta: Fraction) -> Fraction:
    """The least epsilon of the bound above at a rho, never rounded down.

    Args:
        rho: >= 0.
        delta: between 0 and 1.
    """
    if rho <= 0:
        return Fraction(0)
    alpha = _best_alpha(float(rho), -math.log(float(delta)))
    return max(Fraction(0), _upper(rho, delta, Fraction(alpha)))


def _best_alpha(rho: float, size: float) -> float:
    """The alpha that nearly minimises the bound; golden section over log(alpha - 1)."""

    def bound(t: float) -> float:
        above = math.exp(t)
        alpha = 1 + above
        return alpha * rho + (size + alpha * math.log1p(-1 / alpha) - t) / above

    low, high = -20.0, 40.0
    ratio = (math.sqrt(5) - 1) / 2
    for _ in range(90):
        a, b = high - ratio * (high - low), low + ratio * (high - low)
        if bound(a) < bound(b):
            high = b
        else:
            low = a
    return 1 + math.exp((low + high) / 2)


def _upper(rho: Fraction, delta: Fraction, alpha: Fraction) -> Fraction:
    c = _CONTEXT
    above = alpha - 1
    logs = [
        c.ln(_decimal(1 / delta)),
        c.multiply(_decimal(alpha), c.ln(_decimal(above / alpha))),
        c.minus(c.ln(_decimal(above))),
    ]
    total = c.add(c.add(logs[0], logs[1]), logs[2])
    slack = c.multiply(_MARGIN, sum((abs(term) for term in logs), Decimal(1)))
    exact = Fraction(c.add(total, slack)) / above
    return alpha * rho + exact


def _decimal(value: Fraction) -> Decimal:
    return _CONTEXT.divide(Decimal(value.numerator), Decimal(value.denominator))
