"""subtract_gradient: a gradient taken from parameters of its shape, public or private.

Stability.  1 in each private argument in every norm; the conclusion is linear.  Discrete
entries stay discrete: 1 per argument in their norm.
Tight: move one argument.
Source: as `sub`.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import num
from metricdp.primitives._common import gradients_or_public
from metricdp.primitives._witnesses import step_all
from metricdp.primitives.gradients._entries import entries
from metricdp.primitives.scalars.sub import rule as sub_rule
from metricdp.primitives.scalars.sub import run as sub_run
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness
from metricdp.spaces import Gradient
from metricdp.spaces.norms import NORM_NAMES

example = (
    "theta: dp.Gradient[dp.Real, dp.L1] = [5, 5]; "
    "g: dp.Gradient[dp.Real, dp.L1] = [1, 2]; "
    "dp.subtract_gradient(theta, g)"
)

spelling = Spelling(seed=("subtract_gradient",))


def rule(x: Arg, y: Arg) -> Conclusion:
    """Parameters and a gradient; each of them is a private gradient, or public."""
    return sub_rule(*gradients_or_public("subtract_gradient", x, y))


def run(x: Any, y: Any) -> Any:
    """Entry by entry, exactly.

    Raises:
        SpaceError: the (public) numbers of entries differ.
    """
    return sub_run(entries(x), entries(y))


def instances() -> Iterable[Instance]:
    for norm in NORM_NAMES:
        real = Gradient("Real", norm, num(3))
        yield Instance({"x": real, "y": real}, tight="unknown")
        yield Instance({"y": real}, {"x": 2})
        data = Gradient("Data", norm, num(3))
        yield Instance({"x": data, "y": data}, tight="unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Every private argument moves in one entry."""
    if instance.tight == "unknown":
        return None
    return step_all(instance.private, d)


version = 2
