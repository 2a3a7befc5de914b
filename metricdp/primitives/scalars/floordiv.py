"""floordiv: x // c with a public divisor.

Stability.  floor(x / c): map ceil(d / |c|), on reals and integers; the constant 1/|c| would be
wrong (2 // 3 = 0, 3 // 3 = 1).  Discrete values: 1.  Tight: x a multiple of c.
Source: floor after division.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, D, absolute, ceil, floor, num
from metricdp.primitives import _exact
from metricdp.primitives._common import (
    EVERYTHING,
    discrete,
    in_floats,
    range_of,
    scalar_only,
    scale_range,
)
from metricdp.primitives._witnesses import step_all
from metricdp.primitives.scalars.div import nonzero
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness, refuse, scalar_moves
from metricdp.spaces import Scalar

example = "x: dp.Int = 17; dp.floordiv(x, 5)"

columnar = "floordiv"
spelling = Spelling(("//",), ("numpy.floor_divide",))


def rule(x: Arg, y: Arg) -> Conclusion:
    """A private number by a public one; the result is Int, in a float where one of them is one."""
    if not x.private and not y.private:
        known = x.value is not None and y.value is not None and not y.value.is_zero
        value = floor(x.value / y.value) if known else None  # type: ignore[operator]
        return Conclusion(value=value, requires=nonzero(y) if known else ())
    scalar_only("//", x, y)
    if y.private or y.value is None:
        raise refuse(
            "private-divisor",
            f"`//` needs a divisor that is a public number, and {y.text} is none",
            need="a public divisor",
            help=f"dp.floor({x.text} / {y.text}) with {y.text} >= 1",
        )
    kind = "float" if in_floats(x, y) else ""
    if y.value.is_zero:
        return Conclusion(Scalar("Int", kind=kind), {"x": scalar_moves(ONE)}, requires=nonzero(y))
    lo, hi = scale_range(range_of(x), ONE / y.value)
    bounds = (floor(lo), floor(hi)) if not (lo.is_infinite and hi.is_infinite) else EVERYTHING
    if discrete(x.space):
        space = Scalar("Data", *bounds, kind="int")
        return Conclusion(space, {"x": scalar_moves(ONE)}, requires=nonzero(y))
    map_ = ceil(D / absolute(y.value))
    return Conclusion(
        Scalar("Int", *bounds, kind=kind), {"x": scalar_moves(map_)}, requires=nonzero(y)
    )


def run(x: Any, y: Any) -> Any:
    """Exact quotient rounded down; x // 0 is 0."""
    return _exact.pairwise(lambda a, b: _exact.divide(a, b).__floor__(), x, y)


def instances() -> Iterable[Instance]:
    for c in (1, 3, -2):
        yield Instance({"x": Scalar("Int")}, {"y": c})
        yield Instance({"x": Scalar("Real", num(-9), num(20))}, {"y": c})
    yield Instance({"x": Scalar("Data", kind="int")}, {"y": 1})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """From a multiple of the divisor downwards."""
    space = instance.private["x"]
    if discrete(space):
        return step_all({"x": space}, d)
    c = instance.public["y"]
    start = 6 * abs(c)
    return {"x": start}, {"x": start - d if c > 0 else start + d}
