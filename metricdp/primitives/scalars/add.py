"""add: x + y, for numbers, vectors and matrices of one shape.

Stability.  |x + y - x' - y'| <= |x - x'| + |y - y'|: 1-stable in each private argument, in every
norm; a public argument is free.  Tight: move one argument.  A private number that is added to every
entry of an n-vector moves it by n in L1, sqrt(n) in L2 and 1 in LInf.  On discrete entries the sum
is any function of its arguments: 1 per argument, whatever the values.
The conclusion is linear, so the checker keeps x + y as a form: (a + x) - a is 1-stable.
Source: triangle inequality.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, num
from metricdp.primitives import _exact
from metricdp.primitives._common import add_ranges
from metricdp.primitives._entrywise import linear_pair
from metricdp.primitives._witnesses import step_all
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness
from metricdp.spaces import Matrix, Scalar, Vector
from metricdp.spaces.norms import NORM_NAMES

example = "x: dp.Real = 3; y: dp.Real = 4; dp.add(x, y)"

columnar = "add"
spelling = Spelling(("+",), ("numpy.add",), ("+",))


def rule(x: Arg, y: Arg) -> Conclusion:
    """Two numbers, two containers of one shape, or a number added to every entry."""
    return linear_pair(x, y, ONE, ONE, add_ranges, "+")


def run(x: Any, y: Any) -> Any:
    """Exact sum; two texts are joined."""
    return _exact.pairwise(_exact.add, x, y)


def instances() -> Iterable[Instance]:
    yield Instance({"x": Scalar("Real"), "y": Scalar("Real")})
    yield Instance({"x": Scalar("Int"), "y": Scalar("Int")})
    yield Instance({"x": Scalar("Real")}, {"y": Fraction(7, 2)})
    yield Instance(
        {"x": Scalar("Data", kind="int"), "y": Scalar("Data", kind="int")}, tight="unknown"
    )
    for norm in NORM_NAMES:
        pair = Vector("Real", norm, num(4))
        yield Instance({"x": pair, "y": pair})
        yield Instance({"x": pair}, {"y": 2})
        yield Instance(
            {"x": Scalar("Real"), "y": pair}, tight="unknown" if norm != "LInf" else "attained"
        )
        yield Instance({"x": Vector("Data", norm, num(4))}, {"y": 2})
    matrix = Matrix("Real", "L1", num(2), num(2))
    yield Instance({"x": matrix, "y": matrix})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Every private argument moves by d in the same direction."""
    if instance.tight == "unknown":
        return None
    return step_all(instance.private, d)
