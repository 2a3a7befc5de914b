"""tanh: the hyperbolic tangent, of a number or of every entry.

Stability.  The derivative 1 - tanh(x)^2 is at most 1: 1-stable in every norm; results lie in
[-1, 1].  Approached near 0 by small steps.  On discrete entries 1.
Source: mean value theorem.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.expr import ONE
from metricdp.expr import tanh as tanh_of
from metricdp.primitives.scalars._smooth import decreasing_exponential, rising, smooth
from metricdp.record import Spelling

example = "x: dp.Real = 0; dp.tanh(x)"

columnar = "tanh"
spelling = Spelling(numpy=("numpy.tanh", "math.tanh"))


def _reference(x: Any) -> Fraction:
    """(1 - u^2)/(1 + u^2) with u = e^-|x|, and the sign of x."""
    u = decreasing_exponential(x)
    size = (1 - u * u) / (1 + u * u)
    return size if x >= 0 else -size


rule, run, instances, tight = smooth("tanh", ONE, _reference, rising(tanh_of, -ONE, ONE))
