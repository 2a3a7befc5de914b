"""sort: the entries in rising order.

Stability.  Over the reals 1 in every L_p: pairing the k-th smallest entries is the cheapest way to
pair two lists.  Over discrete entries any function: one changed entry may shift all others, so
n^(1/p) in L_p, a constant.  Tight: move the largest entry up; over discrete entries a new smallest
value pushes every other one along.
Source: rearrangement inequality; rules of vectors.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cmp_to_key
from typing import Any

from metricdp.expr import D, num
from metricdp.primitives import _exact
from metricdp.primitives._common import discrete, spread
from metricdp.primitives._witnesses import step_all
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness, refuse
from metricdp.spaces import Matrix, Records, Vector
from metricdp.spaces.norms import NORM_NAMES
from metricdp.spaces.vectors import Entries

example = "v: dp.Vector[dp.Real, dp.L1] = [3, 1, 2]; dp.sort(v)"

columnar = "rising"
spelling = Spelling(("sorted",), ("numpy.sort",))


def rule(x: Arg) -> Conclusion:
    """A private vector."""
    space = x.space
    if not x.private or not isinstance(space, Entries):
        raise refuse(
            "unsupported-call",
            f"`sort` orders the entries of one private vector, and {x.text} is none",
            need="a vector",
            help=f"dp.map_rows(lambda row: dp.sort(row), {x.text})"
            if isinstance(space, Matrix)
            else f"dp.private_quantile({x.text}, candidates, 0.5, epsilon=eps) for a median"
            if isinstance(space, Records)
            else "sort public values before they are compared with private ones",
        )
    if discrete(space):
        return Conclusion(space, {"x": {(space.norm, space.norm): spread(space, space.norm)}})
    return Conclusion(space, {"x": {(p, p): D for p in NORM_NAMES}})


def run(x: Any) -> Any:
    """Rising order; texts come after numbers."""
    return sorted(x, key=cmp_to_key(_order))


def _order(a: Any, b: Any) -> int:
    return -1 if _exact.before(a, b) else int(_exact.before(b, a))


def instances() -> Iterable[Instance]:
    for norm in NORM_NAMES:
        yield Instance({"x": Vector("Real", norm, num(3))})
        yield Instance({"x": Vector("Int", norm, num(3))}, tight="unknown")
        yield Instance({"x": Vector("Data", norm, num(4), num(0), num(9))})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """One entry moves; over discrete entries the largest becomes the smallest."""
    if instance.tight == "unknown":
        return None
    space = instance.private["x"]
    if discrete(space):
        return ({"x": [1, 2, 3, 4]}, {"x": [1, 2, 3, 0]}) if d == 1 else None
    return step_all(instance.private, d)
