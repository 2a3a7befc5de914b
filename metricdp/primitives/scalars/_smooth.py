"""Functions of one number with a Lipschitz constant on all reals, entry by entry."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, Expr, num
from metricdp.primitives import _exact
from metricdp.primitives._common import Range, discrete, numbers_only, range_of
from metricdp.primitives._linear import entrywise_moves, reshaped
from metricdp.record import Arg, Conclusion, Instance, Parts, Witness
from metricdp.spaces import Matrix, Scalar, Vector
from metricdp.spaces.vectors import Entries

#: Absolute error of the reference functions.
ROUNDING = num(Fraction(1, 2**98))


def smooth(
    name: str,
    constant: Expr,
    reference: Callable[[Any], Fraction],
    image: Callable[[Range], Range],
    start: int = 0,
) -> Parts:
    """Rule, reference function, instances and tight pairs of an irrational function.

    Args:
        constant: its Lipschitz constant on the reals.
        reference: rational within 2**-98 of it, inside `image`.
        image: range of the function on a range.
        start: a whole number near which the constant is approached by small steps.
    """
    trust = f"`{name}` of private numbers is a real number (computed to 2**-98)"

    def rule(x: Arg) -> Conclusion:
        if not x.private:
            return Conclusion()
        numbers_only(name, x)
        assert isinstance(x.space, (Scalar, Entries, Matrix))
        bounds = image(range_of(x))
        if discrete(x.space):
            space = reshaped(x.space, "Data", bounds, "float")
            return Conclusion(space, {"x": entrywise_moves(x.space, space, ONE)})
        space = reshaped(x.space, "Real", bounds)
        maps = {"x": entrywise_moves(x.space, space, constant)}
        return Conclusion(space, maps, rests_on=(trust,), rounding=_total(x))

    def run(x: Any) -> Any:
        return _exact.entrywise(lambda v: reference(_exact.rational(v)), x)

    def instances() -> Iterable[Instance]:
        near = Scalar("Real", num(start) - Fraction(1, 100), num(start) + Fraction(1, 100))
        yield Instance({"x": near}, tight="approached")
        yield Instance({"x": Scalar("Real")}, tight="unknown")
        yield Instance({"x": Scalar("Data", kind="float")}, tight="unknown")
        for norm in ("L1", "L2", "LInf"):
            yield Instance({"x": Vector("Real", norm, num(3))}, tight="unknown")
            yield Instance({"x": Vector("Data", norm, num(3))}, tight="unknown")

    def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
        if instance.tight == "unknown":
            return None
        step = Fraction(1, 100)
        return {"x": start - step}, {"x": start + step}

    return rule, run, instances, tight


def _total(x: Arg) -> Expr:
    """Error of a whole container in L1, which bounds the other norms."""
    if isinstance(x.space, Matrix):
        assert x.space.rows is not None and x.space.cols is not None
        return x.space.rows * x.space.cols * ROUNDING
    if isinstance(x.space, Entries):
        assert x.space.size is not None
        return x.space.size * ROUNDING
    return ROUNDING


def rising(f: Callable[[Expr], Expr], lowest: Expr, highest: Expr) -> Callable[[Range], Range]:
    """Image of a range under an increasing function, widened by the error of the reference."""

    def image(a: Range) -> Range:
        lo = lowest if a[0].is_infinite else f(a[0]) - ROUNDING
        hi = highest if a[1].is_infinite else f(a[1]) + ROUNDING
        return lo, hi

    return image


def decreasing_exponential(x: Any) -> Fraction:
    """e**-|x|, in [0, 1], within 2**-100: by way of e**|x|, whose digits are all significant."""
    size = abs(Fraction(_exact.rational(x)))
    if size > 100:
        return Fraction(0)  # e**-100 < 2**-100
    return min(1 / _exact.exponential(size), Fraction(1))
