"""What the six comparisons share."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import msgspec

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
from metricdp.primitives.times._times import not_both, one_clock, private
from metricdp.record import (
    ONE_METRIC,
    Arg,
    Conclusion,
    Instance,
    Moves,
    Parts,
    Witness,
    infinite,
    refuse,
)
from metricdp.spaces import Matrix, Maybe, Moment, Scalar, Space, Vector
from metricdp.spaces.moments import value_of
from metricdp.spaces.norms import NORM_NAMES, norm_of
from metricdp.spaces.vectors import Entries


def compared(x: Arg, y: Arg, operator: str) -> Conclusion:
    """`x operator y` as a Bool, or as Bools entry by entry."""
    if not x.private and not y.private:
        return Conclusion()
    if operator in ("==", "!="):
        x, y = _with_missing(x, y)
    if time_kind(x) or time_kind(y):
        if time_kind(x) != time_kind(y):
            raise not_both("a comparison", x, operator, y)
        one_clock("a comparison", x, y)
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


def _with_missing(x: Arg, y: Arg) -> tuple[Arg, Arg]:
    """Two values that are asked whether they are equal, as if both were there.

    One that is missing equals no other, so that Python has an answer for every row, under the
    discrete metric of a value that may be missing like under that of one that is there.
    """
    for arg, other in ((x, y), (y, x)):
        if not (arg.private and isinstance(arg.space, Maybe)):
            continue
        one = isinstance(other.space, Scalar | Moment | Maybe)
        if other.private and getattr(other.space, "element", "") == "Real":
            one = False
        elif not other.private and other.space is None:
            one = not isinstance(other.literal, tuple | list | dict)
        if not one:
            raise refuse(
                "unsupported-call",
                f"{arg.text} may be missing, and {other.text} is not known to be one value like it",
                need="a public number, text or date, or another field of the row",
                help=f"{arg.text} is not None",
            )
    return _there(x), _there(y)


def _there(x: Arg) -> Arg:
    if not (x.private and isinstance(x.space, Maybe)):
        return x
    return msgspec.structs.replace(x, space=x.space.inner)


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


def equality_instances() -> Iterable[Instance]:
    """Those of every comparison, and values that may be missing."""
    yield from comparison_instances()
    for kind, value in (("int", 1), ("float", Fraction(1, 2)), ("str", "a"), ("bool", 0)):
        yield Instance({"x": Maybe(Scalar("Data", kind=kind))}, {"y": value})
    yield Instance({"x": Maybe(Moment("date"))}, {"y": value_of("date", 1)})
    whole, day = Maybe(Scalar("Data", kind="int")), Maybe(Moment("date"))
    yield Instance({"x": whole, "y": whole}, tight="unknown")
    yield Instance({"x": Scalar("Data", kind="int"), "y": whole}, tight="unknown")
    yield Instance({"x": day, "y": day}, tight="unknown")


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
    """A comparison of values of every row: that may be missing, of times, or of anything else."""

    def columnar(x: Any, y: Any) -> Any:
        from metricdp.columns import language, moments, nullable

        if isinstance(x, nullable.Nullable) or isinstance(y, nullable.Nullable):
            return nullable.compared(name, x, y)
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
        if isinstance(space, Maybe):
            return ({"x": None}, {"x": instance.public["y"]}) if d == 1 else None
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

    equality = operator in ("==", "!=")
    return rule, run, equality_instances if equality else comparison_instances, tight
