"""relu: max(x, 0), of a number or of every entry.

Stability.  1-stable in every norm, entry by entry.  Tight: move on the positive side.  Where the
sign is known it is x or 0.  On discrete entries 1.
Source: projection on a half-line; the L_p norms grow with the absolute values of the entries.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from metricdp.expr import INF, ONE, ZERO, maximum, num
from metricdp.primitives import _exact
from metricdp.primitives._common import joint_kind, kind_of, nonnegative, range_of, whole
from metricdp.primitives._entrywise import EntryRule, entrywise
from metricdp.primitives._witnesses import step_all
from metricdp.record import Arg, Instance, Witness
from metricdp.spaces import Matrix, Scalar, Vector
from metricdp.spaces.norms import NORM_NAMES

example = "x: dp.Real = -3; dp.relu(x)"

columnar = "relu"


def _entry(x: Arg) -> EntryRule:
    """A number or a container of numbers."""
    lo, hi = range_of(x)
    bounds = (
        ZERO if lo.is_infinite else maximum(lo, ZERO),
        INF if hi.is_infinite else maximum(hi, ZERO),
    )
    return EntryRule(
        bounds,
        {"x": ONE},
        whole=whole(x),
        kind=joint_kind({kind_of(x), "int"}),
        linear=nonnegative(lo),
        keeps_balls=True,
    )


rule, run = entrywise(
    "relu", _entry, lambda v: max(_exact.rational(v), 0), value=lambda x: maximum(x, ZERO)
)


def instances() -> Iterable[Instance]:
    yield Instance({"x": Scalar("Real")})
    yield Instance({"x": Scalar("Int", num(0), num(9))})
    yield Instance({"x": Scalar("Data", num(-9), num(4), "int")}, tight="unknown")
    for norm in NORM_NAMES:
        yield Instance({"x": Vector("Real", norm, num(3))})
        yield Instance({"x": Vector("Data", norm, num(4), num(0), num(9))})
    yield Instance({"x": Matrix("Real", "L2", num(2), num(2))})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """The argument moves by d above 0."""
    return None if instance.tight == "unknown" else step_all(instance.private, d)
