"""b_ary_tree: the counts of the leaves, and above them the sums of b children each, as one vector.

Breadth first, the root first; missing leaves count 0, and of the last level only the leaves that
there are is kept.  h is the number of levels, s_1, s_2, ... are the sizes of the groups of leaves
below the nodes of a level, at most m = min(b^level, leaves).
Stability.  From L1: a leaf is in h sums: h in L1, sqrt(h) in L2, 1 in LInf.
From L2: a level is a sum over disjoint groups, sqrt(m) in L2, so the root of the sum of m over the
levels in L2; h sqrt(leaves) in L1; sqrt(leaves) in LInf.
From LInf: h leaves in L1, the root of the sum of s_i^2 over all nodes in L2, leaves in LInf.
Tight: one leaf; all leaves alike.  From L2 to L2 with fewer than b^(h - 1) leaves: a bound.
Source: Hay et al. 2010; rules of norms.  Under L2 the height alone, as in OpenDP, is unsound.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import INF, ZERO, D, Expr, maximum, minimum, num, root
from metricdp.primitives._common import given, times
from metricdp.record import Arg, Conclusion, Instance, Requirement, Spelling, Witness, refuse
from metricdp.spaces import NEG_INF, Vector, implied_radius
from metricdp.spaces.norms import NORM_NAMES

example = "v: Annotated[dp.Vector[dp.Real, dp.L1], dp.Size(4)] = [1, 2, 3, 4]; dp.b_ary_tree(v, 2)"

spelling = Spelling(opendp=("make_b_ary_tree",))

NONE = Arg(literal=None)


def rule(x: Arg, branching: Arg, leaves: Arg = NONE) -> Conclusion:
    """A vector of numbers; `branching` at least 2 and, where its size is open, `leaves`."""
    space = x.space
    if not isinstance(space, Vector) or space.element == "Data":
        raise refuse(
            "unsupported-call",
            f"`b_ary_tree` adds up the entries of a vector, and {x.text} is none of numbers",
            need="a vector of counts",
            help="dp.b_ary_tree(dp.histogram(rows, categories=categories), 2)",
        )
    b, n = (
        _whole(None if branching.private else branching.value, "branching", 2),
        _leaves(space, leaves),
    )
    groups = _level_groups(n, b)
    h, size = len(groups), num(n)
    most = num(sum(max(level) for level in groups))
    squares = num(sum(s * s for level in groups for s in level))
    moves = {
        ("L1", "L1"): num(h) * D,
        ("L1", "L2"): root(num(h)) * D,
        ("L1", "LInf"): D,
        ("L2", "L1"): h * root(size) * D,
        ("L2", "L2"): root(most) * D,
        ("L2", "LInf"): root(size) * D,
        ("LInf", "L1"): h * size * D,
        ("LInf", "L2"): root(squares) * D,
        ("LInf", "LInf"): size * D,
    }
    requires = (
        ()
        if space.size is None or space.size == size
        else (Requirement(space.size, "==", size, remedy="give one leaf per entry"),)
    )
    nodes = sum(b**level for level in range(h - 1)) + n
    lo, hi = _range(space, size)
    element = "Int" if space.element in ("Int", "Bool") else "Real"
    result = Vector(element, space.norm, num(nodes), lo, hi)
    return Conclusion(result, {"x": moves}, requires=requires)


def _range(space: Vector, n: Expr) -> tuple[Expr, Expr]:
    lo = NEG_INF if space.lo.is_infinite else minimum(ZERO, times(n, space.lo))
    hi = INF if space.hi.is_infinite else maximum(ZERO, times(n, space.hi))
    if space.lo.sign() in ("0", "+", ">=0"):
        lo = ZERO
    if space.radius and not (ball := implied_radius(space, "L1")).is_infinite:
        lo, hi = maximum(lo, -ball), minimum(hi, ball)
    return lo, hi


def _leaves(space: Vector, leaves: Arg) -> int:
    if given(leaves):
        return _whole(None if leaves.private else leaves.value, "leaves", 1)
    return _whole(space.size, "leaves", 1)


def _whole(value: Expr | None, name: str, least: int) -> int:
    known = None if value is None else value.as_fraction()
    if known is None or known.denominator != 1 or known < least:
        raise refuse(
            "size-mismatch",
            f"`b_ary_tree` has a shape of its own for every `{name}`, and it is no written number",
            need=f"`{name}` as a whole number of at least {least}",
            help=f"write a number of at least {least} for `{name}`",
        )
    return int(known)


def _level_groups(leaves: int, branching: int) -> list[list[int]]:
    """Per level, the root first, the number of leaves below each node that has any."""
    groups, size = [[1] * leaves], 1
    while size < leaves:
        size *= branching
        full, rest = divmod(leaves, size)
        groups.append([size] * full + ([rest] if rest else []))
    return groups[::-1]


def run(x: Any, branching: Any, leaves: Any = None) -> list[Any]:
    """Node sums in breadth-first order; a longer vector is cut, a shorter one filled with 0."""
    n = len(x) if leaves is None else int(leaves)
    level = [*x][:n] + [0] * (n - len(x))
    levels = [level]
    size = 1
    while size < n:
        size *= int(branching)
    while size > 1:
        level = level + [0] * (size - len(level))
        size //= int(branching)
        level = [sum(level[i * branching : (i + 1) * branching], Fraction(0)) for i in range(size)]
        levels.append(level)
    return [node for each in reversed(levels) for node in each]


def instances() -> Iterable[Instance]:
    for norm in NORM_NAMES:
        yield Instance({"x": Vector("Real", norm, num(4))}, {"branching": 2})
    yield Instance({"x": Vector("Int", "L1", num(5), ZERO)}, {"branching": 2})
    yield Instance({"x": Vector("Real", "L2", num(5))}, {"branching": 3}, tight="unknown")
    yield Instance({"x": Vector("Int", "L1", num(1))}, {"branching": 2, "leaves": 1})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """One leaf moves; or all alike."""
    space = instance.private["x"]
    assert isinstance(space, Vector)
    n = int(str(space.size))
    return {"x": [Fraction(0)] * n}, {"x": space.geometry.widest(Fraction(d), n)}
