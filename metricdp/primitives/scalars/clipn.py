"""clipn: clamp with the upper bound first, `clipn(x, upper, lower)`.

Stability.  The same function as clamp: 1-stable on every entry.  Tight: move inside the interval.
Source: the proof note of clamp.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import num
from metricdp.primitives._witnesses import step_all
from metricdp.primitives.scalars import clamp
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness
from metricdp.spaces import Scalar, Vector

example = "x: dp.Real = 120; dp.clipn(x, 20, 0)"

columnar = "clamp_upper_first"
spelling = Spelling(seed=("clipn",))


def rule(x: Arg, upper: Arg, lower: Arg) -> Conclusion:
    """As for `clamp`, the upper bound first."""
    return clamp.rule(x, lower, upper)


def run(x: Any, upper: Any, lower: Any) -> Any:
    """max(lower, min(x, upper)), entry by entry."""
    return clamp.run(x, lower, upper)


def instances() -> Iterable[Instance]:
    yield Instance({"x": Scalar("Real")}, {"upper": 9, "lower": -1})
    yield Instance({"x": Vector("Data", "LInf", num(3))}, {"upper": 9, "lower": -1})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Values move inside the interval."""
    return step_all(instance.private, d)
