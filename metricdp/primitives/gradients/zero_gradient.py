"""zero_gradient: a gradient of zeros with the shape of another one.

Stability.  The shape is public and nothing else is read: 0.  Tight: nothing moves.
Source: gradients of different shapes are infinitely far apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.expr import ZERO, num
from metricdp.primitives._common import gradient_of
from metricdp.primitives._witnesses import step_all
from metricdp.primitives.gradients._entries import entries
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness
from metricdp.spaces import Gradient
from metricdp.spaces.norms import NORM_NAMES

example = "g: dp.Gradient[dp.Real, dp.L1] = [1, 2]; dp.zero_gradient(g)"

spelling = Spelling(seed=("zero_gradient",))


def rule(g: Arg) -> Conclusion:
    """A private gradient, real or discrete, or a public array."""
    if not g.private:
        return Conclusion()
    space = gradient_of(g, "zero_gradient")
    radius = tuple((p, ZERO) for p in NORM_NAMES)
    result = msgspec.structs.replace(space, lo=ZERO, hi=ZERO, radius=radius)
    if space.element == "Data":
        return Conclusion(result, {"g": {(space.norm, space.norm): ZERO}})
    return Conclusion(result, linear={"g": ZERO})


def run(g: Any) -> Any:
    """Zeros; of a number the number 0."""
    flat = entries(g)
    return [0 for _ in flat] if isinstance(flat, list) else 0


def instances() -> Iterable[Instance]:
    for norm in NORM_NAMES:
        yield Instance({"g": Gradient("Real", norm, num(3))})
        yield Instance({"g": Gradient("Data", norm, num(3))})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Any pair: the bound is 0."""
    return step_all(instance.private, d) if d == 1 else None


version = 2
