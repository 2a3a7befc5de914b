"""add: x + y, for numbers, vectors and matrices of one shape.

Stability.  |x + y - x' - y'| <= |x - x'| + |y - y'|: 1-stable in each private argument, in every
norm; a public argument is free.  Tight: move one argument.  On discrete entries the sum is any
function of its arguments: 1 per argument, whatever the values.
The conclusion is linear, so the checker keeps x + y as a form: (a + x) - a is 1-stable.
Source: triangle inequality.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, num
from metricdp.primitives._common import add_ranges
from metricdp.primitives._linear import linear_pair
from metricdp.record import Arg, Conclusion, Instance, Record, Spelling, register
from metricdp.spaces import Matrix, Scalar, Vector


def rule(x: Arg, y: Arg) -> Conclusion:
    """Two numbers, two containers of one shape, or a number added to every entry."""
    return linear_pair(x, y, ONE, ONE, add_ranges, "+")


def run(x: Any, y: Any) -> Any:
    """Exact sum."""
    return x + y


def instances() -> Iterable[Instance]:
    yield Instance({"x": Scalar("Real"), "y": Scalar("Real")})
    yield Instance({"x": Scalar("Real")}, {"y": Fraction(7, 2)})
    for norm in ("L1", "L2", "LInf"):
        pair = Vector("Real", norm, num(3))
        yield Instance({"x": pair, "y": pair})
    yield Instance({"x": Matrix("Real", "L1", num(2), num(2)), "y": Matrix("Real", "L1", num(2), num(2))})


def tight(instance: Instance, d: int, tol: Fraction) -> tuple[dict[str, Any], dict[str, Any]]:
    """Every private argument moves by d in the same direction."""
    from metricdp.primitives._linear import zero_and_step

    pairs = {name: zero_and_step(space, d) for name, space in instance.private.items()}
    return {n: a for n, (a, _) in pairs.items()}, {n: b for n, (_, b) in pairs.items()}


record = register(
    Record(
        name="add",
        kind="transformation",
        rule=rule,
        run=run,
        instances=instances,
        tight=tight,
        proof=__doc__ or "",
        spelling=Spelling(("+",), ("numpy.add",), ("+",)),
    )
)
