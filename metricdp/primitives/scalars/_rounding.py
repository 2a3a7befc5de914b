"""What floor, ceil, trunc and round share: whole numbers from reals, and how far they move."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, D, Expr, ceil, floor, maximum, num
from metricdp.primitives import _exact
from metricdp.primitives._common import Range, discrete, range_of, spread, whole
from metricdp.primitives._entrywise import EntryRule, entrywise
from metricdp.primitives._witnesses import step_all
from metricdp.record import Arg, Instance, Moves, Parts, Witness, refuse, scalar_moves
from metricdp.spaces import Matrix, Scalar, Space, Vector
from metricdp.spaces.norms import NORM_NAMES
from metricdp.spaces.vectors import Entries

Outward = Callable[[Range], Range]


def outward(a: Range) -> Range:
    """Whole numbers that enclose the result of any rounding; ends of unknown value stay whole."""
    return floor(a[0]), ceil(a[1])


def rounding(
    verb: str, step: Callable[[Any], int], bound: Expr, image: Callable[[Range], Range]
) -> Parts:
    """Rule, reference function, instances and tight pairs of one rounding.

    In L1 every further entry of a vector may cross a jump for almost nothing: ceil(d) + n - 1.

    Args:
        step: the rounding of one rational.
        bound: map of one number, ceil(d) or more.
        image: range of the result on a range.
    """

    def entry(x: Arg) -> EntryRule:
        """A number or a vector; the result is Int."""
        if isinstance(x.space, Matrix):
            raise refuse(
                "unsupported-call",
                f"`{verb}` works on numbers and vectors, and {x.text} is a matrix",
                need="a number or a vector",
                help=f"dp.map_rows(lambda row: dp.{verb}(row), {x.text})",
            )
        if whole(x) and not discrete(x.space):
            return EntryRule(range_of(x), {"x": ONE}, whole=True, in_float=False, linear=True)
        moves = None if discrete(x.space) else _moves(x.space, bound)
        bounds = image(range_of(x))
        return EntryRule(bounds, {"x": ONE}, whole=True, kind="int", in_float=False, moves=moves)

    rule, run = entrywise(
        verb,
        entry,
        lambda v: step(_exact.rational(v)),
        value=lambda x: x if x.is_integer() else None,
    )

    def instances() -> Iterable[Instance]:
        yield Instance({"x": Scalar("Real")})
        yield Instance({"x": Scalar("Real", num("-3/2"), num("9/2"))})
        yield Instance({"x": Scalar("Int", num(0), num(9))})
        yield Instance({"x": Scalar("Data", kind="float")})
        for norm in NORM_NAMES:
            how = "unknown" if norm == "L2" else "attained"
            yield Instance({"x": Vector("Real", norm, num(3))}, tight=how)
            yield Instance({"x": Vector("Data", norm, num(4))})

    def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
        if instance.tight == "unknown":
            return None
        space = instance.private["x"]
        if discrete(space) or (isinstance(space, Scalar) and space.element == "Int"):
            return step_all({"x": space}, d)
        halves = verb == "round"
        if isinstance(space, Scalar) or space.norm == "LInf":  # type: ignore[attr-defined]
            if halves and d % 2 == 0:
                return None  # half to even: an even step between halves moves by d only
            a = Fraction(1, 2 if halves else 1)
            return (
                ({"x": a}, {"x": a + d})
                if isinstance(space, Scalar)
                else ({"x": [a] * 3}, {"x": [a + d] * 3})
            )
        # Two entries cross a jump for 1/4 each; the first one crosses d jumps with the rest.
        low, high = (Fraction(3, 8), Fraction(5, 8)) if halves else (Fraction(7, 8), Fraction(9, 8))
        first = low if halves else Fraction(3, 4)
        return {"x": [first, low, low]}, {"x": [first + d - Fraction(1, 2), high, high]}

    return rule, run, instances, tight


def _moves(space: Space | None, bound: Expr) -> Moves:
    if isinstance(space, Scalar):
        return scalar_moves(bound)
    assert isinstance(space, Entries)
    together = ceil(D) + spread(space, "L1") - 1
    return {
        ("L1", "L1"): together if bound == ceil(D) else maximum(bound, together),
        ("L2", "L2"): D + spread(space, "L2"),
        ("LInf", "LInf"): bound,
    }
