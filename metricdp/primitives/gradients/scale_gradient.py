"""scale_gradient: a gradient times a number.

Stability.  c * g with a public c: |c| in every norm; linear.  A private factor moves the result by
the norm of the gradient, which must be bounded, and the gradient pays the bound of the factor.  On
discrete entries 1, whatever the factor is.
Tight: move one argument.
Source: as `mul`.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import num
from metricdp.primitives._common import gradient_of, gradients_or_public
from metricdp.primitives._witnesses import step_all
from metricdp.primitives.gradients._entries import entries
from metricdp.primitives.scalars.mul import rule as mul_rule
from metricdp.primitives.scalars.mul import run as mul_run
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness
from metricdp.spaces import Gradient, Scalar
from metricdp.spaces.norms import NORM_NAMES

example = "g: dp.Gradient[dp.Real, dp.L1] = [1, 2]; dp.scale_gradient(0.5, g)"

spelling = Spelling(seed=("scale_gradient",))


def rule(x: Arg, y: Arg) -> Conclusion:
    """The factor first, then the gradient; where the factor is private, the gradient is too."""
    if x.private:
        gradient_of(y, "scale_gradient")
    (gradient,) = gradients_or_public("scale_gradient", y)
    return mul_rule(x, gradient)


def run(x: Any, y: Any) -> Any:
    """Entry by entry, exactly."""
    return mul_run(x, entries(y))


def instances() -> Iterable[Instance]:
    for norm in NORM_NAMES:
        real = Gradient("Real", norm, num(3))
        yield Instance({"y": real}, {"x": Fraction(-7, 2)})
        ball = Gradient("Real", norm, num(3), radius=((norm, num(2)),))
        factor = Scalar("Real", num(-3), num(3))
        yield Instance({"x": factor, "y": ball}, tight="unknown")
        yield Instance({"y": Gradient("Data", norm, num(4))}, {"x": Fraction(1, 2)})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Every private argument moves in one entry."""
    if instance.tight == "unknown":
        return None
    return step_all(instance.private, d)


version = 2
