"""sqrt: the square root; of negative numbers 0, so that it is total.

Stability.  sqrt(y) - sqrt(x) <= sqrt(y - x): map sqrt(d) on all reals (no constant near 0).  On
[a, oo) with a > 0 the derivative is at most 1/(2 sqrt(a)).  Tight: 0 -> d; near a for small steps.
Entry by entry in a vector where a > 0.  The reference gives a rational within 2^-120 below.
Source: concavity; mean value theorem.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from metricdp.expr import INF, ONE, ZERO, D, maximum, minimum, num, root
from metricdp.primitives import _exact
from metricdp.primitives._common import Range, discrete, nonnegative, positive, range_of
from metricdp.primitives._entrywise import EntryRule, entrywise
from metricdp.record import Arg, Instance, Spelling, Witness, refuse, scalar_moves
from metricdp.spaces import Scalar, Vector
from metricdp.spaces.norms import NORM_NAMES

example = "x: dp.Real = 9; dp.sqrt(dp.clamp(x, 1, 100))"

columnar = "sqrt"
spelling = Spelling(numpy=("numpy.sqrt", "math.sqrt"))

TRUST = "square roots of private numbers are real numbers (computed to 2**-120)"
#: Absolute error of the reference function.
ROUNDING = num(Fraction(1, 2**118))


def _entry(x: Arg) -> EntryRule:
    """A number, or a container whose entries keep away from 0."""
    lo, hi = range_of(x)
    bounds: Range = (
        root(lo) - ROUNDING if positive(lo) else ZERO,
        INF if hi == INF else root(hi if nonnegative(hi) else maximum(hi, ZERO)),
    )
    steepest = ONE / (2 * root(lo)) if positive(lo) else INF
    moves = None
    if isinstance(x.space, Scalar):
        moves = scalar_moves(root(D) if steepest == INF else minimum(root(D), steepest * D))
    elif steepest == INF and not discrete(x.space):
        raise refuse(
            "unsupported-call",
            f"the entries of {x.text} may be 0, where the root is infinitely steep",
            need="a positive lower bound",
            help=f"dp.sqrt(dp.clamp({x.text}, 1, upper))",
        )
    return EntryRule(bounds, {"x": steepest}, moves=moves, rounding=ROUNDING, rests_on=(TRUST,))


rule, run = entrywise(
    "sqrt", _entry, _exact.root_below, value=lambda x: root(x) if nonnegative(x) else None
)


def instances() -> Iterable[Instance]:
    yield Instance({"x": Scalar("Real")}, tight="approached")
    yield Instance({"x": Scalar("Real", num(10000), num(20000))}, tight="approached")
    yield Instance({"x": Scalar("Data", kind="float")}, tight="unknown")
    for norm in NORM_NAMES:
        yield Instance({"x": Vector("Real", norm, num(2), num(10000))}, tight="approached")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """From the smallest value upwards."""
    if instance.tight == "unknown":
        return None
    space = instance.private["x"]
    low = space.lo.as_fraction() or Fraction(0)  # type: ignore[attr-defined]
    if isinstance(space, Vector):
        return {"x": [low, low]}, {"x": [low + d, low]}
    return {"x": low}, {"x": low + d}
