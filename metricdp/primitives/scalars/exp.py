"""exp: the exponential of a number with an upper bound.

Stability.  On (-oo, b] the derivative is at most e^b: e^b-stable, entry by entry in every norm;
without an upper bound infinite.  Tight: near b for small steps.
The reference gives a rational within 2^-100, which is never negative.
Source: mean value theorem.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from metricdp.expr import INF, ZERO, compare, num
from metricdp.expr import exp as exp_of
from metricdp.primitives import _exact
from metricdp.primitives._common import no_bound, range_of
from metricdp.primitives._entrywise import EntryRule, entrywise
from metricdp.record import Arg, Instance, Spelling, Witness
from metricdp.spaces import NEG_INF, Scalar

example = "x: dp.Real = 9; dp.exp(dp.clamp(x, 0, 1))"

columnar = "exp"
spelling = Spelling(numpy=("numpy.exp", "math.exp"))

TRUST = "exponentials of private numbers are real numbers (computed to 2**-100)"
#: Absolute error of the reference function.
ROUNDING = num(Fraction(1, 2**100))


def _entry(x: Arg) -> EntryRule:
    """A number or container with an upper bound."""
    lo, hi = range_of(x)
    least = ZERO if lo == NEG_INF else exp_of(lo) - ROUNDING
    bounds = (ZERO if compare(least, "<", ZERO) is True else least, exp_of(hi) + ROUNDING)
    why = None
    if hi == INF:
        why = no_bound(
            "infinite-stability",
            f"{x.text} has no upper bound, and the exponential grows without limit",
            f"an upper bound of {x.text}",
            f"dp.exp(dp.clamp({x.text}, lower, upper))",
        )
    slopes = {"x": exp_of(hi)}
    return EntryRule(bounds, slopes, rounding=ROUNDING, rests_on=(TRUST,), why_infinite=why)


rule, run = entrywise("exp", _entry, _exact.exponential, value=exp_of)


def instances() -> Iterable[Instance]:
    yield Instance({"x": Scalar("Real", num(-1), num(1))}, tight="unknown")
    yield Instance({"x": Scalar("Real", num("-1/100"), num("1/100"))}, tight="approached")
    yield Instance({"x": Scalar("Real", num(-3))}, tight="unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """The bound is the slope at the upper end: approached by small steps only, here 1/100."""
    if instance.tight == "unknown":
        return None
    return {"x": Fraction(1, 100)}, {"x": Fraction(1, 100) - Fraction(1, 100)}
