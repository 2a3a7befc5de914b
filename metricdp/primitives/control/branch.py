"""branch: one of two results, chosen by a condition.

Stability.  Equal conditions take the same branch: the result moves at most as far as that branch,
so at most the larger of the two.  When a private condition changes, the result goes from a value
of one branch to a value of the other: at most the distance between their ranges' far ends, and
nothing else is known.  Together, per source, the maximum.  What both branches share (the affine
part that is equal in both) never enters: only the residuals do, which is why
`if r > 18: total += clamp(r, 0, 20)` costs 20.  A public or released condition is the same in
both worlds, and costs nothing.  Tight: residuals at opposite ends.
A condition on real numbers is infinitely unstable: two reals as close as you like differ in it.
Source: case distinction; `if` with a private guard in rules of control flow.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.expr import INF, ONE, D, Expr, compare, maximum, minimum, num
from metricdp.record import Arg, Conclusion, Failure, Instance, Moves, Witness, refuse
from metricdp.spaces import Moment, Records, Scalar, Space, Vector, conversion, implied_radius
from metricdp.spaces.norms import NORM_NAMES
from metricdp.spaces.vectors import Entries

kind = "control"


def rule(condition: Arg, then: Arg, orelse: Arg) -> Conclusion:
    """`condition` is a truth value; `then` and `orelse` are residuals of one shape."""
    a, b = then.space, orelse.space
    assert a is not None and b is not None
    maps: dict[str, Moves] = {}
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        space: Space = Scalar(_element(a, b), minimum(a.lo, b.lo), maximum(a.hi, b.hi), _kind(a, b))
        cross = {"": _cross(a, b)}
        widths = [{"": _width(a)}, {"": _width(b)}]
    elif isinstance(a, Moment) and isinstance(b, Moment) and _of_one_clock(a, b):
        space = Moment(a.kind, a.zone or b.zone)
        cross, widths = {"": ONE}, [{"": ONE}, {"": ONE}]
    elif isinstance(a, Entries) and isinstance(b, Entries):
        space = msgspec.structs.replace(
            a, element=_element(a, b), lo=minimum(a.lo, b.lo), hi=maximum(a.hi, b.hi),
            radius=_radius(a, b),
        )  # fmt: skip
        if space.element == "Data":
            # Any two discrete vectors may differ in every entry, however close the numbers are.
            assert a.size is not None
            cross = {n: conversion("LInf", n, a.size) for n in NORM_NAMES}
            widths = [cross, cross]
        else:
            cross = {n: implied_radius(a, n) + implied_radius(b, n) for n in NORM_NAMES}
            widths = [{n: 2 * implied_radius(s, n) for n in NORM_NAMES} for s in (a, b)]
    else:
        space = _tables(a, b, condition)
        cross, widths = {"": INF}, [{"": INF}, {"": INF}]
    if condition.private:
        maps["condition"] = {("", norm): far * D for norm, far in cross.items()}
    for name, width in zip(("then", "orelse"), widths, strict=True):
        maps[name] = {
            (norm, norm): _within(cap, cross[norm], condition) for norm, cap in width.items()
        }
    why = None
    if condition.private and any(far.is_infinite for far in cross.values()):
        why = Failure(
            "unbounded-branch",
            "one person can switch this branch, and its result has no public bounds",
            need="finite public bounds on what the branches change",
            help="dp.clamp(value, lower, upper) inside the branch",
        )
    return Conclusion(space, maps, combine="max", why_infinite=why)


def _of_one_clock(a: Moment, b: Moment) -> bool:
    """Whether two dates or times are of one kind; a public time is a reading of any clock."""
    return a.kind == b.kind and (a.zone == b.zone or "" in (a.zone, b.zone))


def _tables(a: Space, b: Space, condition: Arg) -> Space:
    """Tables of one kind of row, chosen by a public or released condition."""
    if (
        not condition.private
        and isinstance(a, Records)
        and isinstance(b, Records)
        and (a.metric, a.size, type(a.row)) == (b.metric, b.size, type(b.row))
    ):
        if not (isinstance(a.row, Scalar) and isinstance(b.row, Scalar)):
            if a.row == b.row:
                return a
        elif a.row.kind == b.row.kind:
            lo, hi = minimum(a.row.lo, b.row.lo), maximum(a.row.hi, b.row.hi)
            return msgspec.structs.replace(a, row=msgspec.structs.replace(a.row, lo=lo, hi=hi))
    raise refuse(
        "unsupported-call",
        f"a branch chooses between {a} and {b}",
        need="numbers, vectors of one size, or tables of one kind chosen by a public condition",
        help="choose numbers, after dp.sum or dp.count of each table",
    )


def _element(a: Any, b: Any) -> str:
    if "Data" in (a.element, b.element):
        return "Data"
    return "Int" if {a.element, b.element} <= {"Int", "Bool"} else "Real"


def _kind(a: Scalar, b: Scalar) -> str:
    """The kind of discrete data that both branches give; a number has that of its values."""
    if "Data" not in (a.element, b.element):
        return "float" if _element(a, b) == "Int" and (a.in_float or b.in_float) else ""
    kinds = {each.kind or _KINDS.get(each.element, "") for each in (a, b)}
    return kinds.pop() if len(kinds) == 1 else ""


#: What the numbers of an element are as data.
_KINDS = {"Real": "float", "Int": "int", "Bool": "bool"}


def _radius(a: Entries, b: Entries) -> tuple[tuple[str, Expr], ...]:
    """The ball that holds the results of both branches, where one of them lies in a ball."""
    if not (a.radius or b.radius) or "Data" in (a.element, b.element):
        return ()
    radii = {n: maximum(implied_radius(a, n), implied_radius(b, n)) for n in NORM_NAMES}
    return tuple((norm, c) for norm, c in radii.items() if not c.is_infinite)


def _width(space: Scalar) -> Expr:
    return INF if space.lo.is_infinite or space.hi.is_infinite else space.hi - space.lo


def _cross(a: Scalar, b: Scalar) -> Expr:
    if "Data" in (a.element, b.element):
        return ONE
    if any(end.is_infinite for end in (a.lo, a.hi, b.lo, b.hi)):
        return INF
    return maximum(a.hi - b.lo, b.hi - a.lo)


def _within(width: Expr, cross: Expr, condition: Arg) -> Expr:
    """The branch's own movement, never more than its width."""
    if condition.private and compare(width, "<=", cross) is True and not width.is_infinite:
        return minimum(D, width)
    return D


columnar = "select"


def run(condition: Any, then: Any, orelse: Any) -> Any:
    """The chosen value."""
    return then if condition else orelse


def instances() -> Iterable[Instance]:
    flag = Scalar("Bool")
    for lo, hi in ((0, 20), (-3, 5)):
        zero = Scalar("Real", num(0), num(0))
        yield Instance(
            {"condition": flag, "then": Scalar("Real", num(lo), num(hi)), "orelse": zero}
        )


def _corner(space: Vector, real: Fraction, discrete: Fraction) -> list[Fraction]:
    """A vector at the end of its ball, or with every entry alike under the discrete metric."""
    return [discrete] * 3 if space.element == "Data" else [real, Fraction(0)]


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """The condition changes with the residual at its far end."""
    space = instance.private["then"]
    if isinstance(space, Vector):
        then = _corner(space, Fraction(-3), Fraction(0))
        values = {"then": then, "orelse": _corner(space, Fraction(3), Fraction(1, 10))}
        return {"condition": False, **values}, {"condition": True, **values}
    assert isinstance(space, Scalar)
    ends = [space.lo.as_fraction() or Fraction(0), space.hi.as_fraction() or Fraction(0)]
    far = max(ends, key=lambda end: abs(end))
    zero = Fraction(0)
    return (
        {"condition": False, "then": far, "orelse": zero},
        {"condition": True, "then": far, "orelse": zero},
    )
