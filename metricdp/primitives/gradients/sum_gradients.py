"""sum_gradients: the sum of two gradients of one shape.

Stability.  1 in each argument in every norm; the conclusion is linear.  Discrete entries stay
discrete: 1 per argument in their norm, whatever the values.
Tight: move one argument.
Source: as `add`.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import num
from metricdp.primitives._common import gradient_of
from metricdp.primitives._witnesses import step_all
from metricdp.primitives.scalars.add import rule as add_rule
from metricdp.primitives.scalars.add import run as add_run
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness
from metricdp.spaces import Gradient
from metricdp.spaces.norms import NORM_NAMES

example = (
    "g: dp.Gradient[dp.Real, dp.L1] = [1, 2]; "
    "h: dp.Gradient[dp.Real, dp.L1] = [3, 4]; "
    "dp.sum_gradients(g, h)"
)

spelling = Spelling(seed=("sum_gradients",))


def rule(x: Arg, y: Arg) -> Conclusion:
    """Two private gradients of one shape."""
    gradient_of(x, "sum_gradients")
    gradient_of(y, "sum_gradients")
    return add_rule(x, y)


def run(x: Any, y: Any) -> Any:
    """Entry by entry, exactly."""
    return add_run(x, y)


def instances() -> Iterable[Instance]:
    for norm in NORM_NAMES:
        real = Gradient("Real", norm, num(3))
        yield Instance({"x": real, "y": real})
        data = Gradient("Data", norm, num(3))
        yield Instance({"x": data, "y": data}, tight="unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Every private argument moves in one entry."""
    if instance.tight == "unknown":
        return None
    return step_all(instance.private, d)
