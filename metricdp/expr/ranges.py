"""Ranges [lo, hi] of expressions under multiplication by a public factor."""

from __future__ import annotations

from metricdp.expr.core import INF, ZERO, Expr
from metricdp.expr.functions import maximum, minimum


def scaled_range(factor: Expr, lo: Expr, hi: Expr) -> tuple[Expr, Expr]:
    """Range of factor * x for x in [lo, hi]; either end may be infinite.

    A factor of unknown sign times an infinite end gives an infinite range.
    """
    sign = factor.sign()
    if sign in ("+", ">=0"):
        return factor * lo, factor * hi
    if sign in ("-", "<=0"):
        return factor * hi, factor * lo
    if sign == "0":
        return ZERO, ZERO
    if lo.inf or hi.inf:
        return -INF, INF
    ends = factor * lo, factor * hi
    return minimum(*ends), maximum(*ends)
