"""reveal: the value itself; check says its space and bound, and nothing happens when it runs.

Stability.  The identity moves by exactly what its argument moves: 1-stable in every metric.
Tight: any pair.
Source: definition.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, D, num
from metricdp.primitives._witnesses import step_all
from metricdp.record import Arg, Conclusion, Instance, Witness
from metricdp.spaces import Scalar, Vector

example = "x: dp.Real = 3; dp.reveal(x)"

kind = "transformation"


def rule(x: Arg) -> Conclusion:
    """Any one value."""
    if getattr(x.space, "element", "") in ("Real", "Int"):
        return Conclusion(x.space, linear={"x": ONE}, value=x.value)
    norm = getattr(x.space, "norm", "")
    return Conclusion(x.space, {"x": {(norm, norm): D}}, value=x.value)


def run(x: Any) -> Any:
    """x."""
    return x


def instances() -> Iterable[Instance]:
    yield Instance({"x": Scalar("Real")})
    yield Instance({"x": Vector("Real", "L2", num(3))})
    yield Instance({"x": Scalar("Data")})
    yield Instance({"x": Vector("Data", "L1", num(3))})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """One step away."""
    return step_all(instance.private, d)
