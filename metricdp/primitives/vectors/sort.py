"""sort: the entries in rising order, or in falling order with `reverse=True`.

Stability.  Over the reals 1 in every L_p: pairing the k-th smallest entries is the cheapest way to
pair two lists.  Over discrete entries any function: one changed entry may shift all others, so
n^(1/p) in L_p, a constant.  Falling order is the same list from its end, a permutation that no
data choose.  Tight: move the largest entry up; over discrete entries a new smallest
value pushes every other one along.
Source: rearrangement inequality; rules of vectors.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cmp_to_key
from typing import Any

from metricdp.columns.language import Node, Untraceable, between, rising
from metricdp.expr import D, num
from metricdp.primitives import _exact
from metricdp.primitives._common import discrete, spread
from metricdp.primitives._witnesses import step_all
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness, refuse
from metricdp.spaces import Matrix, Records, Vector
from metricdp.spaces.norms import NORM_NAMES
from metricdp.spaces.vectors import Entries

example = "v: dp.Vector[dp.Real, dp.L1] = [3, 1, 2]; dp.sort(v)"

spelling = Spelling(("sorted",), ("numpy.sort",))


RISING = Arg(literal=False)


def rule(x: Arg, reverse: Arg = RISING) -> Conclusion:
    """A private vector; `reverse` is True or False."""
    space = x.space
    known = reverse.value is not None or reverse.literal is not None
    if reverse.private or (known and type(reverse.literal) is not bool):
        raise refuse(
            "wrong-arguments",
            f"`reverse` of sorted values is {reverse.text}",
            need="True or False",
            help=f"sorted({x.text}, reverse=True)",
        )
    if not x.private or not isinstance(space, Entries):
        raise refuse(
            "unsupported-call",
            f"the first and the last of {x.text} in order are the exact values of persons"
            if isinstance(space, Records)
            else f"`sort` orders the entries of one private vector, and {x.text} is none",
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


def run(x: Any, reverse: Any = False) -> Any:
    """Rising order, or that order from its end; texts come after numbers."""
    found = sorted(x, key=cmp_to_key(_order))
    return found[::-1] if reverse else found


def columnar(x: Any, reverse: Any = False) -> Any:
    """The entries of a vector of a row in order."""
    if isinstance(reverse, Node):
        raise Untraceable("an order that the row chooses")
    found = rising(x)
    return between(found, None, None, -1) if reverse else found


def _order(a: Any, b: Any) -> int:
    return -1 if _exact.before(a, b) else int(_exact.before(b, a))


def instances() -> Iterable[Instance]:
    for norm in NORM_NAMES:
        yield Instance({"x": Vector("Real", norm, num(3))})
        yield Instance({"x": Vector("Int", norm, num(3))}, tight="unknown")
        yield Instance({"x": Vector("Data", norm, num(4), num(0), num(9))})
    yield Instance({"x": Vector("Real", "L1", num(3))}, {"reverse": True})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """One entry moves; over discrete entries the largest becomes the smallest."""
    if instance.tight == "unknown":
        return None
    space = instance.private["x"]
    if discrete(space):
        return ({"x": [1, 2, 3, 4]}, {"x": [1, 2, 3, 0]}) if d == 1 else None
    return step_all(instance.private, d)
