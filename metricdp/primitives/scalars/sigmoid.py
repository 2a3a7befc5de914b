"""sigmoid: 1/(1 + e^-x), of a number or of every entry.

Stability.  The derivative s (1 - s) is at most 1/4: 1/4-stable in every norm; results lie in
[0, 1].  Approached near 0 by small steps.  On discrete entries 1.
Source: mean value theorem.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, ZERO, Expr, num
from metricdp.expr import tanh as tanh_of
from metricdp.primitives.scalars._smooth import decreasing_exponential, rising, smooth
from metricdp.record import Spelling

example = "x: dp.Real = 0; dp.sigmoid(x)"

__all__ = ["reference"]

columnar = "sigmoid"
spelling = Spelling(numpy=("scipy.special.expit",))


def reference(x: Any) -> Fraction:
    """1/(1 + u) or u/(1 + u) with u = e^-|x|."""
    u = decreasing_exponential(x)
    return 1 / (1 + u) if x >= 0 else u / (1 + u)


def _value(x: Expr) -> Expr:
    return (1 + tanh_of(x / 2)) / 2


rule, run, instances, tight = smooth(
    "sigmoid", num(Fraction(1, 4)), reference, rising(_value, ZERO, ONE)
)
