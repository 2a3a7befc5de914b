"""softplus: log(1 + e^x), of a number or of every entry.

Stability.  The derivative is the sigmoid, below 1: 1-stable in every norm; results are at least 0.
Approached near 1000, where the derivative is 1 - e^-1000.  On discrete entries 1.
Source: mean value theorem.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.expr import INF, ONE, ZERO, Expr, log, maximum, num
from metricdp.primitives import _exact
from metricdp.primitives.scalars._smooth import decreasing_exponential, rising, smooth

example = "x: dp.Real = 0; dp.softplus(x)"

columnar = "softplus"


def _reference(x: Any) -> Fraction:
    """max(x, 0) + log(1 + e^-|x|)."""
    return max(Fraction(x), Fraction(0)) + _exact.logarithm(1 + decreasing_exponential(x))


def _above(x: Expr) -> Expr:
    return maximum(x, ZERO) + log(num(2))


def _image(a: tuple[Expr, Expr]) -> tuple[Expr, Expr]:
    lo = ZERO if a[0].is_infinite else maximum(a[0], ZERO)
    return lo, rising(_above, ZERO, INF)(a)[1]


rule, run, instances, tight = smooth("softplus", ONE, _reference, _image, start=1000)
