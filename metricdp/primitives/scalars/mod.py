"""mod: x % c with a public whole divisor.

Stability.  On integers the result lies in {0, ..., |c| - 1} (with the sign of c), so it moves by at
most |c| - 1, a constant.  On reals infinite: an arbitrarily small step wraps around.  Discrete
values: 1.  Where 0 <= x < c is known it is x itself.  Tight: c - 1 -> c at d = 1.
Source: a function from a space with least distance 1 to a range of diameter w is w-stable.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import INF, ONE, ZERO, absolute, compare, num
from metricdp.primitives import _exact
from metricdp.primitives._common import (
    Range,
    discrete,
    in_floats,
    no_bound,
    nonnegative,
    positive,
    range_of,
    scalar_only,
    whole,
)
from metricdp.primitives.scalars.div import nonzero
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness, refuse, scalar_moves
from metricdp.spaces import Scalar

example = "x: dp.Int = 17; dp.mod(x, 5)"

columnar = "mod"
spelling = Spelling(("%",), ("numpy.mod", "numpy.remainder"))


def rule(x: Arg, y: Arg) -> Conclusion:
    """A private integer by a public one."""
    if not x.private and not y.private:
        return Conclusion()
    scalar_only("%", x, y)
    if y.private or y.value is None:
        raise refuse(
            "private-divisor",
            f"`%` needs a divisor that is a public number, and {y.text} is none",
            need="a public divisor",
            help=f"{x.text} % 7",
        )
    c, integral = y.value, whole(x) and whole(y)
    last = absolute(c) - ONE if integral else absolute(c)
    bounds: Range = (
        (ZERO, last) if nonnegative(c) else (-last, ZERO) if nonnegative(-c) else (-last, last)
    )
    lo, hi = range_of(x)
    held = "float" if integral and in_floats(x, y) else ""
    if discrete(x.space):
        space = Scalar("Data", *bounds, kind="int" if integral else "float")
        return Conclusion(space, {"x": scalar_moves(ONE)}, requires=nonzero(y))
    if positive(c) and nonnegative(lo) and compare(hi, "<", c) is True:
        return Conclusion(Scalar("Int" if integral else "Real", lo, hi, held), linear={"x": ONE})
    if not integral:
        why = no_bound(
            "infinite-stability",
            f"an arbitrarily small step of {x.text} wraps around from {y.text} to 0",
            "an integer and a whole divisor",
            f"dp.floor({x.text}) % {y.text}",
        )
        maps = {"x": scalar_moves(INF)}
        return Conclusion(Scalar("Real", *bounds), maps, requires=nonzero(y), why_infinite=why)
    space = Scalar("Int", *bounds, kind=held)
    return Conclusion(space, {"x": scalar_moves(last)}, requires=nonzero(y))


def run(x: Any, y: Any) -> Any:
    """Exact remainder with the sign of the divisor; x % 0 is 0."""
    a, b = _exact.rational(x), _exact.rational(y)
    return a % b if b else 0


def instances() -> Iterable[Instance]:
    for c in (1, 2, 7, -3):
        yield Instance({"x": Scalar("Int")}, {"y": c})
    yield Instance({"x": Scalar("Data", kind="int")}, {"y": 5})
    yield Instance({"x": Scalar("Real")}, {"y": 5}, tight="unknown")
    yield Instance({"x": Scalar("Real", num(0), num(4))}, {"y": 5}, tight="unknown")
    yield Instance({"x": Scalar("Int", num(0), num(4))}, {"y": 5}, tight="unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Around a multiple of the divisor: one step moves by |c| - 1."""
    if instance.tight == "unknown":
        return None
    space = instance.private["x"]
    if discrete(space) and d > 1:
        return None
    c = abs(instance.public["y"])
    if instance.public["y"] < 0:
        return {"x": c}, {"x": c + 1}
    return {"x": c - 1}, {"x": c}
