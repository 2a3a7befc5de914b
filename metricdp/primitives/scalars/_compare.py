"""What the six comparisons share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, D, num
from metricdp.primitives import _exact
from metricdp.primitives._common import (
    discrete,
    discrete_conversion,
    kind_of,
    no_bound,
    numbers_only,
    spread,
)
from metricdp.primitives._entrywise import common_shape, reshaped
from metricdp.primitives.times._times import kind_of as time_kind
from metricdp.primitives.times._times import not_both, private
from metricdp.record import ONE_METRIC, Arg, Conclusion, Instance, Moves, Parts, Witness, infinite
from metricdp.spaces import Matrix, Moment, Scalar, Space, Vector
from metricdp.spaces.moments import value_of
from metricdp.spaces.norms import NORM_NAMES, norm_of
from metricdp.spaces.vectors import Entries


def compared(x: Arg, y: Arg, operator: str) -> Conclusion:
    """`x operator y` as a Bool, or as Bools entry by entry."""
    if not x.private and not y.private:
        return Conclusion()
    if time_kind(x) or time_kind(y):
        if time_kind(x) != time_kind(y):
            raise not_both("a comparison", x, operator, y)
        return Conclusion(Scalar("Bool"), private(x=x, y=y))
    kinds = {kind_of(x), kind_of(y)}
    known = all(not a.private or isinstance(a.space, Scalar | Entries | Matrix) for a in (x, y))
    text = kinds == {"str"} or (operator in ("==", "!=") and "str" in kinds)
    if not (known and text):
        numbers_only(operator, *(a for a in (x, y) if a.private), x, y)
    template, requires = common_shape(x, y, operator)
    assert isinstance(template, (Scalar, Entries, Matrix))
    space = reshaped(template, "Bool", (num(0), num(1)))
    moved = {name: arg for name, arg in (("x", x), ("y", y)) if arg.private}
    real = [arg for arg in moved.values() if getattr(arg.space, "element", "") == "Real"]
    if real:
        why = no_bound(
            "real-comparison",
            f"an arbitrarily small step of {real[0].text} can turn this comparison around",
            "an integer or discrete value, or arithmetic instead of a comparison",
            f"declare {real[0].text} as Int or Data, or use dp.clamp({real[0].text}, lower, upper)",
        )
        return infinite(why, space, *moved)
    maps = {name: _moves(arg.space, space) for name, arg in moved.items() if arg.space}
    return Conclusion(space, maps, requires=requires)


def _moves(space: Space, result: Space) -> Moves:
    """Integers and data at distance >= 1; the result moves by at most 1 per entry."""
    if not isinstance(result, (Entries, Matrix)):
        return {(ONE_METRIC, ONE_METRIC): ONE}
    if isinstance(space, Scalar):
        return {(ONE_METRIC, q): spread(result, q) for q in NORM_NAMES}
    assert isinstance(space, (Entries, Matrix))
    if not discrete(space):
        return {(q, q): D for q in NORM_NAMES}
    return {(space.norm, q): discrete_conversion(space.norm, q, result) for q in NORM_NAMES}


def comparison_instances() -> Iterable[Instance]:
    """Integers, data, Booleans and reals, against public and private values."""
    yield Instance({"x": Scalar("Int")}, {"y": 1}, tight="attained")
    yield Instance({"x": Scalar("Data", kind="int")}, {"y": 1})
    yield Instance({"x": Scalar("Bool")}, {"y": True}, tight="unknown")
    yield Instance({"x": Scalar("Data", kind="str")}, {"y": "a"}, tight="unknown")
    for kind in ("date", "datetime", "timedelta"):
        yield Instance({"x": Moment(kind)}, {"y": value_of(kind, 1)})
    yield Instance({"x": Moment("date"), "y": Moment("date")}, tight="unknown")
    yield Instance({"x": Scalar("Int"), "y": Scalar("Int")}, tight="unknown")
    yield Instance({"x": Scalar("Real")}, {"y": 1}, tight="unknown")
    for norm in NORM_NAMES:
        yield Instance({"x": Vector("Data", norm, num(4))}, {"y": 1})
        yield Instance({"x": Vector("Int", norm, num(4))}, {"y": 1}, tight="unknown")


def in_columns(name: str) -> Callable[[Any, Any], Any]:
    """A comparison of values of every row: of dates and times, or of anything else."""

    def columnar(x: Any, y: Any) -> Any:
        from metricdp.columns import language, moments

        dates = isinstance(x, moments.Instant) or isinstance(y, moments.Instant)
        return moments.compared(name, x, y) if dates else getattr(language, name)(x, y)

    return columnar


def comparison(operator: str, test: Callable[[Any, Any], bool]) -> Parts:
    """Rule, reference function, instances and tight pairs of one comparison."""

    def rule(x: Arg, y: Arg) -> Conclusion:
        return compared(x, y, operator)

    def run(x: Any, y: Any) -> Any:
        return _exact.pairwise(test, x, y)

    def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
        if instance.tight == "unknown":
            return None
        for low, high in ((0, 1), (1, 2), (0, 2)):
            if test(low, 1) != test(high, 1):
                break
        space = instance.private["x"]
        if isinstance(space, Moment):
            ends = {"x": value_of(space.kind, low)}, {"x": value_of(space.kind, high)}
            return ends if d == 1 else None
        if isinstance(space, Scalar):
            if space.element == "Data" and d > 1:
                return None
            return {"x": low}, {
                "x": high + (d - 1 if test(high, 1) == test(high + d - 1, 1) else 0)
            }
        assert isinstance(space, Vector)
        changed = norm_of(space.norm).changes(d, 4)
        if changed > 4 or (space.norm == "LInf" and d > 1):
            return None
        return {"x": [low] * 4}, {"x": [high] * changed + [low] * (4 - changed)}

    return rule, run, comparison_instances, tight
