"""What floor, ceil, trunc and round share: whole numbers from reals, and how far they move."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, D, Expr, ceil, floor, maximum, num
from metricdp.primitives import _exact
from metricdp.primitives._common import Range, discrete, numbers_only, range_of, spread, whole
from metricdp.primitives._linear import entrywise_moves, reshaped
from metricdp.primitives._witnesses import step_all
from metricdp.record import (
    ONE_METRIC,
    Arg,
    Conclusion,
    Instance,
    Instances,
    Moves,
    Run,
    Tight,
    Witness,
    refuse,
)
from metricdp.spaces import Matrix, Scalar, Vector
from metricdp.spaces.vectors import Entries

Outward = Callable[[Range], Range]


def outward(a: Range) -> Range:
    """Whole numbers that enclose the result of any rounding; ends of unknown value stay whole."""
    return floor(a[0]), ceil(a[1])


def rounded(verb: str, x: Arg, bound: Expr, bounds: Range) -> Conclusion:
    """A whole number from a number.

    In L1 every further entry of a vector may cross a jump for almost nothing: ceil(d) + n - 1.

    Args:
        bound: map of one number, ceil(d) or more.
        bounds: range of the result.
    """
    if not x.private:
        return Conclusion(value=x.value if x.value is not None and x.value.is_integer() else None)
    numbers_only(verb, x)
    space = x.space
    if isinstance(space, Matrix):
        raise refuse(
            "unsupported-call",
            f"`{verb}` works on numbers and vectors, and {x.text} is a matrix",
            need="a number or a vector",
            help=f"dp.map_rows(lambda row: dp.{verb}(row), {x.text})",
        )
    assert isinstance(space, (Scalar, Entries))
    if discrete(space):
        result = reshaped(space, "Data", bounds, "int")
        return Conclusion(result, {"x": entrywise_moves(space, result, ONE)})
    if whole(x):
        return Conclusion(reshaped(space, "Int", range_of(x)), linear={"x": ONE})
    result = reshaped(space, "Int", bounds)
    if isinstance(space, Scalar):
        return Conclusion(result, {"x": {(ONE_METRIC, ONE_METRIC): bound}})
    together = ceil(D) + spread(space, "L1") - 1
    moves: Moves = {
        ("L1", "L1"): together if bound == ceil(D) else maximum(bound, together),
        ("L2", "L2"): D + spread(space, "L2"),
        ("LInf", "LInf"): bound,
    }
    return Conclusion(result, {"x": moves})


def rounding(name: str, step: Callable[[Any], int]) -> tuple[Run, Instances, Tight]:
    """Reference function, instances and tight pairs of one rounding.

    Args:
        step: the rounding of one rational.
    """

    def run(x: Any) -> Any:
        return _exact.entrywise(lambda v: step(_exact.rational(v)), x)

    def instances() -> Iterable[Instance]:
        yield Instance({"x": Scalar("Real")})
        yield Instance({"x": Scalar("Real", num("-3/2"), num("9/2"))})
        yield Instance({"x": Scalar("Int", num(0), num(9))})
        yield Instance({"x": Scalar("Data", kind="float")})
        for norm in ("L1", "L2", "LInf"):
            how = "unknown" if norm == "L2" else "attained"
            yield Instance({"x": Vector("Real", norm, num(3))}, tight=how)
            yield Instance({"x": Vector("Data", norm, num(4))})

    def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
        if instance.tight == "unknown":
            return None
        space = instance.private["x"]
        if discrete(space) or (isinstance(space, Scalar) and space.element == "Int"):
            return step_all({"x": space}, d)
        halves = name == "round"
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

    return run, instances, tight
