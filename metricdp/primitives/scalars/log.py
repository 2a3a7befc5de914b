"""log: the natural logarithm of a number with a positive lower bound.

Stability.  On [a, oo) the derivative is at most 1/a: 1/a-stable, entry by entry in every norm;
without a positive lower bound infinite.  At run time log of a number <= 0 is 0.  Tight: near a for
small steps.  The reference gives a rational within 2^-100.
Source: mean value theorem.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import INF, ONE, num
from metricdp.expr import log as log_of
from metricdp.primitives import _exact
from metricdp.primitives._common import (
    EVERYTHING,
    discrete,
    no_bound,
    numbers_only,
    positive,
    range_of,
)
from metricdp.primitives._linear import entrywise_moves, reshaped
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness
from metricdp.spaces import Matrix, Scalar, Vector
from metricdp.spaces.vectors import Entries

spelling = Spelling(numpy=("numpy.log", "math.log"))

TRUST = "logarithms of private numbers are real numbers (computed to 2**-100)"
#: Absolute error of the reference function.
ROUNDING = num(Fraction(1, 2**100))


def rule(x: Arg) -> Conclusion:
    """A number or container with a positive lower bound."""
    if not x.private:
        known = x.value is not None and positive(x.value)
        return Conclusion(value=log_of(x.value) if known else None)  # type: ignore[arg-type]
    numbers_only("log", x)
    assert isinstance(x.space, (Scalar, Entries, Matrix))
    lo, hi = range_of(x)
    away = positive(lo)
    bounds = (log_of(lo) - ROUNDING, log_of(hi) + ROUNDING) if away else EVERYTHING
    if discrete(x.space):
        space = reshaped(x.space, "Data", bounds, "float")
        return Conclusion(space, {"x": entrywise_moves(x.space, space, ONE)})
    space = reshaped(x.space, "Real", bounds)
    why = None
    if not away:
        why = no_bound(
            "infinite-stability",
            f"{x.text} may be near 0, where the logarithm is infinitely steep",
            f"a positive lower bound of {x.text}",
            f"dp.log(dp.clamp({x.text}, 1, upper))",
        )
    maps = {"x": entrywise_moves(x.space, space, ONE / lo if away else INF)}
    return Conclusion(space, maps, rests_on=(TRUST,), rounding=ROUNDING, why_infinite=why)


def run(x: Any) -> Any:
    """A rational within 2**-100 of the logarithm."""
    return _exact.entrywise(_exact.logarithm, x)


def instances() -> Iterable[Instance]:
    yield Instance({"x": Scalar("Real", num(1000), num(9000))}, tight="approached")
    yield Instance({"x": Scalar("Real")}, tight="unknown")
    for norm in ("L1", "L2", "LInf"):
        yield Instance(
            {"x": Vector("Real", norm, num(2), num(1000), num(9000))}, tight="approached"
        )


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """From the smallest value upwards."""
    if instance.tight == "unknown":
        return None
    low = Fraction(1000)
    if isinstance(instance.private["x"], Vector):
        return {"x": [low, low]}, {"x": [low + d, low]}
    return {"x": low}, {"x": low + d}
