"""contains: `x in y`, a private value among public ones, or one text in another.

Stability.  Different integers, Booleans, texts and data have distance at least 1, and the answer
moves by at most 1: 1 per private argument.  Of a real number infinite: an arbitrarily small step
leaves a set of points.  A value that is missing is one more value, a member where None is one.
Total: what can be no member is none, where Python would raise.
Tight: step from a value that is there to one that is not.
Source: any function from a space with least distance 1 into one of diameter 1 is 1-stable.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import num
from metricdp.primitives._common import no_bound
from metricdp.primitives.texts._texts import MOVES, TEXT, TRUTH, is_text
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness, infinite, refuse
from metricdp.spaces import Maybe, Moment, Scalar
from metricdp.spaces.moments import CLASSES, value_of
from metricdp.spaces.texts import Cells

example = "towns: dp.Records[str] = ['Rome', 'Lima']; [t in ('Oslo', 'Rome') for t in towns]"

spelling = Spelling(("in",))


def columnar(x: Any, y: Any) -> Any:
    """Which values of the rows lie in public ones, or in a text."""
    from metricdp.columns import nullable, words

    return nullable.member(x, y) if isinstance(x, nullable.Nullable) else words.lies_in(x, y)


def rule(x: Arg, y: Arg) -> Conclusion:
    """A value and what may hold it: public values, a private text, the parts of one."""
    if not x.private and not y.private:
        return Conclusion()
    parts = isinstance(y.space, Cells) or is_text(y)
    if y.private:
        if isinstance(y.space, Maybe):
            raise refuse(
                "unsupported-call",
                f"whether {x.text} lies in {y.text}, which may be missing",
                need="a text that is there",
                help=f"ask first whether it is there: if {y.text} is not None",
            )
        if not parts or (x.private and not (is_text(x) and is_text(y))):
            raise refuse(
                "unsupported-call",
                f"whether {x.text} lies in {y.text} has no rule",
                need="public values, or a text in a private text",
                help=f"{x.text} in (1, 2, 3)",
            )
    elif y.value is not None or isinstance(y.literal, bool):
        raise refuse(
            "wrong-arguments",
            f"{y.text} is no container",
            need="a tuple, a list, a set, a dictionary or a text",
            help=f"{x.text} in (1, 2, 3)",
        )
    if x.private:
        if not isinstance(x.space, Scalar | Moment | Maybe):
            raise refuse(
                "unsupported-call",
                f"{x.text} lies in {x.space}, and `in` needs one value",
                need="one value of a row",
                help=f"[row for row in rows if row.field in (1, 2, 3)] in place of {x.text}",
            )
        if isinstance(x.space, Scalar) and x.space.element == "Real":
            why = no_bound(
                "real-comparison",
                f"an arbitrarily small step of {x.text} can leave these values",
                "an integer or discrete value",
                f"declare {x.text} as Int or Data",
            )
            return infinite(why, TRUTH, "x")
    return Conclusion(TRUTH, {n: MOVES for n, arg in (("x", x), ("y", y)) if arg.private})


#: What can be a member: containers have no equality that is known here.
_SCALARS: tuple[type, ...] = (bool, int, float, Fraction, str, type(None), *CLASSES.values())


def run(x: Any, y: Any) -> bool:
    """Python's own answer; False where Python has none."""
    if isinstance(y, str):
        return isinstance(x, str) and x in y
    items = y.tolist() if hasattr(y, "tolist") else y
    if not isinstance(items, list | tuple | set | frozenset | dict):
        return False
    return any(isinstance(each, _SCALARS) and bool(x == each) for each in items)


def instances() -> Iterable[Instance]:
    for kind, items in (("int", (1, 2)), ("float", [Fraction(1, 2), 1]), ("str", ("a", "", 1))):
        yield Instance({"x": Scalar("Data", kind=kind)}, {"y": items})
    yield Instance({"x": Scalar("Int")}, {"y": tuple(range(0, 400, 2))})
    yield Instance({"x": Scalar("Bool")}, {"y": (True,)})
    yield Instance({"x": TEXT}, {"y": "abc"})
    for kind in ("date", "datetime"):
        yield Instance({"x": Moment(kind)}, {"y": (value_of(kind, 1), value_of("date", 5), 1)})
    for space in (Maybe(Scalar("Data", kind="int")), Maybe(TEXT), Maybe(Moment("date"))):
        inner = value_of("date", 1) if isinstance(space.inner, Moment) else 1
        yield Instance({"x": space}, {"y": (inner, "a")})
        yield Instance({"x": space}, {"y": (inner, "b", None)}, tight="unknown")
    yield Instance({"x": TEXT}, {"y": ()}, tight="unknown")
    yield Instance({"x": Scalar("Real", num(0), num(9))}, {"y": (1,)}, tight="unknown")
    yield Instance({"y": TEXT}, {"x": "a"})
    yield Instance({"y": Cells(1)}, {"x": "a"})
    yield Instance({"x": TEXT, "y": TEXT}, tight="unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """A value that is there, and one that is not."""
    space = instance.private.get("x", instance.private.get("y"))
    if instance.tight == "unknown" or d > 1:
        return None
    if "y" in instance.private:
        apart: Any = (("a",), ("b",)) if isinstance(space, Cells) else ("a", "b")
        return {"y": apart[0]}, {"y": apart[1]}
    if isinstance(space, Maybe):
        there = [item for item in instance.public["y"] if space.inner.contains(item)]
        return {"x": there[0]}, {"x": None}
    if isinstance(space, Moment):
        return {"x": value_of(space.kind, 1)}, {"x": value_of(space.kind, 2)}
    if isinstance(space, Scalar) and space.python_kind == "str":
        return {"x": "a"}, {"x": "z"}
    if isinstance(space, Scalar) and space.python_kind == "bool":
        return {"x": True}, {"x": False}
    return ({"x": 2}, {"x": 3}) if space == Scalar("Int") else ({"x": 1}, {"x": 7})
