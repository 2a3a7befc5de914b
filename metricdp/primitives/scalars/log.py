"""log: the natural logarithm of a number with a positive lower bound.

Stability.  On [a, oo) the derivative is at most 1/a: 1/a-stable, entry by entry in every norm;
without a positive lower bound infinite.  At run time log of a number <= 0 is 0.  Tight: near a for
small steps.  The reference gives a rational within 2^-100.
Source: mean value theorem.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from metricdp.expr import INF, ONE, num
from metricdp.expr import log as log_of
from metricdp.primitives import _exact
from metricdp.primitives._common import EVERYTHING, no_bound, positive, range_of
from metricdp.primitives._entrywise import EntryRule, entrywise
from metricdp.record import Arg, Instance, Spelling, Witness
from metricdp.spaces import Scalar, Vector
from metricdp.spaces.norms import NORM_NAMES

example = "x: dp.Real = 0.5; dp.log(dp.clamp(x, 1, 10))"

columnar = "log"
spelling = Spelling(numpy=("numpy.log", "math.log"))

TRUST = "logarithms of private numbers are real numbers (computed to 2**-100)"
#: Absolute error of the reference function.
ROUNDING = num(Fraction(1, 2**100))


def _entry(x: Arg) -> EntryRule:
    """A number or container with a positive lower bound."""
    lo, hi = range_of(x)
    away = positive(lo)
    bounds = (log_of(lo) - ROUNDING, log_of(hi) + ROUNDING) if away else EVERYTHING
    why = None
    if not away:
        why = no_bound(
            "infinite-stability",
            f"{x.text} may be near 0, where the logarithm is infinitely steep",
            f"a positive lower bound of {x.text}",
            f"dp.log(dp.clamp({x.text}, 1, upper))",
        )
    slopes = {"x": ONE / lo if away else INF}
    return EntryRule(bounds, slopes, rounding=ROUNDING, rests_on=(TRUST,), why_infinite=why)


rule, run = entrywise(
    "log", _entry, _exact.logarithm, value=lambda x: log_of(x) if positive(x) else None
)


def instances() -> Iterable[Instance]:
    yield Instance({"x": Scalar("Real", num(1000), num(9000))}, tight="approached")
    yield Instance({"x": Scalar("Real")}, tight="unknown")
    for norm in NORM_NAMES:
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
