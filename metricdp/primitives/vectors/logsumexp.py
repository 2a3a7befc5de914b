"""logsumexp: log(sum of e^x_i) of a vector, a smooth maximum.

Stability.  The gradient is the softmax, nonnegative with sum 1, so its L1, L2 and LInf norms are at
most 1: 1-stable from every norm (Hoelder).  Approached when one entry is far above the others.
Results lie between the largest entry and that plus log n.
Source: mean value theorem; duality of norms.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import INF, ONE, D, Expr, log, num
from metricdp.primitives import _exact
from metricdp.primitives._common import discrete
from metricdp.primitives.scalars._smooth import decreasing_exponential
from metricdp.record import (
    ONE_METRIC,
    Arg,
    Conclusion,
    Instance,
    Requirement,
    Spelling,
    Witness,
    refuse,
)
from metricdp.spaces import NEG_INF, Scalar, Vector
from metricdp.spaces.norms import NORM_NAMES
from metricdp.spaces.vectors import Entries

example = "v: Annotated[dp.Vector[dp.Real, dp.L1], dp.Size(2)] = [0, 0]; dp.logsumexp(v)"

__all__ = ["TRUST", "UNIT", "numbers", "weights"]

columnar = "log_of_exponentials"
spelling = Spelling(numpy=("scipy.special.logsumexp",))

TRUST = "exponentials and logarithms of private numbers are real numbers (computed to 2**-98)"
UNIT = num(Fraction(1, 2**98))


def rule(x: Arg) -> Conclusion:
    """A private vector of at least one number."""
    space, n = numbers(x, "logsumexp")
    error = n * UNIT
    lo = NEG_INF if space.lo.is_infinite else space.lo - error
    hi = INF if space.hi.is_infinite else space.hi + log(n) + error
    moves = {(p, ONE_METRIC): D for p in NORM_NAMES}
    some = Requirement(n, ">=", ONE, remedy=f"give {x.text} at least one entry")
    return Conclusion(
        Scalar("Real", lo, hi), {"x": moves}, requires=(some,), rests_on=(TRUST,), rounding=error
    )


def numbers(x: Arg, verb: str) -> tuple[Entries, Expr]:
    """The space and the size of a private vector of numbers.

    Raises:
        Refusal: it is none.
    """
    space = x.space
    if not x.private or not isinstance(space, Entries) or discrete(space):
        raise refuse(
            "unsupported-call",
            f"`{verb}` reads a private vector of numbers, and {x.text} is none",
            need="a vector over the reals",
            help=f"dp.{verb}(dp.undisc(dp.clip({x.text}, dp.L2)))",
        )
    assert space.size is not None
    return space, space.size


def weights(x: Any) -> tuple[Any, list[Fraction]]:
    """The largest entry m, and e^(x_i - m) for every entry, each within 2**-100."""
    top = max(map(_exact.rational, x))
    return top, [decreasing_exponential(_exact.rational(v) - top) for v in x]


def run(x: Any) -> Any:
    """m + log(sum of e^(x_i - m)) with m the largest entry; 0 for no entries."""
    if not len(x):
        return Fraction(0)
    top, parts = weights(x)
    return top + _exact.logarithm(sum(parts, Fraction(0)))


def instances() -> Iterable[Instance]:
    for norm in NORM_NAMES:
        yield Instance({"x": Vector("Real", norm, num(3))}, tight="approached")
        boxed = Vector("Real", norm, num(2), num(-1), num(4))
        yield Instance({"x": boxed}, tight="unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """One entry, far above the others, moves up."""
    if instance.tight == "unknown":
        return None
    return {"x": [Fraction(1000), 0, 0]}, {"x": [Fraction(1000 + d), 0, 0]}
