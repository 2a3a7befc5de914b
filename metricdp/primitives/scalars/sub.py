"""sub: x - y, for numbers, vectors and matrices of one shape.

Stability.  |x - y - x' + y'| <= |x - x'| + |y - y'|: 1-stable in each private argument, in every
norm.  Tight: move the arguments in opposite directions.  A private number that is subtracted from
every entry of an n-vector moves it by n in L1, sqrt(n) in L2 and 1 in LInf.  On discrete entries:
1 per argument.  The conclusion is linear: x - x is 0-stable.
Source: triangle inequality.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, num
from metricdp.primitives import _exact
from metricdp.primitives._common import subtract_ranges
from metricdp.primitives._entrywise import linear_pair
from metricdp.primitives._witnesses import step_all
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness
from metricdp.spaces import Scalar, Vector
from metricdp.spaces.norms import NORM_NAMES

example = "x: dp.Real = 3; y: dp.Real = 4; dp.sub(x, y)"

columnar = "sub"
spelling = Spelling(("-",), ("numpy.subtract",), ("-",))


def rule(x: Arg, y: Arg) -> Conclusion:
    """Two numbers, two containers of one shape, or a number subtracted from every entry."""
    return linear_pair(x, y, ONE, -ONE, subtract_ranges, "-")


def run(x: Any, y: Any) -> Any:
    """Exact difference."""
    return _exact.pairwise(lambda a, b: _exact.rational(a) - _exact.rational(b), x, y)


def instances() -> Iterable[Instance]:
    yield Instance({"x": Scalar("Real"), "y": Scalar("Real")})
    yield Instance({"y": Scalar("Real")}, {"x": Fraction(7, 2)})
    yield Instance({"x": Scalar("Int")}, {"y": 3})
    for norm in NORM_NAMES:
        pair = Vector("Real", norm, num(3))
        yield Instance({"x": pair, "y": pair})
        yield Instance({"x": Vector("Data", norm, num(4))}, {"y": 2})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """x moves up by d while y moves down by d."""
    if instance.tight == "unknown":
        return None
    a, b = step_all(instance.private, d)
    if "y" in a:
        a["y"], b["y"] = b["y"], a["y"]
    return a, b
