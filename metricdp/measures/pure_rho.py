"""The zCDP that every pure cost implies; light, because every mechanism's rule reads it."""

from __future__ import annotations

from fractions import Fraction

from metricdp.expr import Expr, num, tanh

Number = Expr | int | Fraction


def pure_to_zcdp(epsilon: Number) -> Expr:
    """rho = epsilon tanh(epsilon / 2), the least that holds for every epsilon-DP mechanism.

    Source: the KL divergence of randomized response; Bun and Steinke (2016), Proposition 3.3 show
    epsilon^2 / 2, which is above it.
    """
    e = num(epsilon)
    return e * tanh(e / 2)
