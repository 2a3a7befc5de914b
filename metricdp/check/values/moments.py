"""Public dates and times: what a program builds, compares and adds up outside of the data.

A date that check knows is the term ("date", e) of its days since 1970, one with a time ("datetime",
e) of its microseconds, and so is a timedelta.  A term is exact or there is none: only whole
numbers, and sums of them, make one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from metricdp.check.values import public
from metricdp.check.values.objects import UNKNOWN, Obj, Value
from metricdp.expr import ZERO, Expr, compare, floor, num, sym
from metricdp.primitives.times._times import METHODS
from metricdp.spaces import Moment
from metricdp.spaces.moments import CLASSES, DAY, ends_of, kind_of_value, number_of, value_of

#: Dotted name of a class -> kind of what it makes.
MAKERS: Mapping[str, str] = {f"datetime.{kind}": kind for kind in CLASSES}
#: Dotted names of values of these classes that never change.
FIXED: Mapping[str, Any] = {
    f"datetime.{kind}.{end}": getattr(known, end)
    for kind, known in CLASSES.items()
    for end in ("min", "max")
}
#: Unit of a timedelta -> its microseconds, in the order of the arguments.
_UNITS = {
    "days": DAY, "seconds": 10**6, "microseconds": 1, "milliseconds": 1000,
    "minutes": 60 * 10**6, "hours": 3600 * 10**6, "weeks": 7 * DAY,
}  # fmt: skip
_PARTS = ("year", "month", "day", "hour", "minute", "second", "microsecond")


def kind(value: Obj) -> str:
    """ "date", "datetime" or "timedelta" of a value, private or public; "" of any other."""
    space = value.space if isinstance(value, Value) else None
    return space.kind if isinstance(space, Moment) else ""


def known(value: Any) -> Value:
    """A date or time that is written in the program."""
    held = kind_of_value(value)
    return _value("public", held, num(number_of(value)), value)


def several(kind: str) -> str:
    """What `Value.holds` says of a public sequence of dates, or of dates with times."""
    return f"{kind}s" if kind in CLASSES else ""


def one_of(sequence: Obj) -> Value | None:
    """One of such a sequence; None of any other."""
    held = sequence.holds if isinstance(sequence, Value) and not sequence.private else ""
    kind = held.removesuffix("s")
    if kind == held or kind not in CLASSES:
        return None
    return Value(public.origin(sequence), Moment(kind), source="computed")


def parameter(kind: str, name: str) -> Value:
    """A public parameter: it is one date or time in the whole run."""
    return msgspec.structs.replace(
        _value("public", kind, sym(name, integer=True)), source="parameter"
    )


def _value(origin: str, kind: str, number: Expr | None, literal: Any = UNKNOWN) -> Value:
    """A public date or time, with the number of days or microseconds that it certainly is."""
    exact = number is not None and number.is_integer() is True
    term = (kind, number) if exact and origin == "public" else None
    if literal is UNKNOWN and exact and number is not None:
        constant = number.as_fraction()
        low, high = ends_of(kind)
        if constant is not None:
            if not low <= constant <= high:
                return Value(origin, Moment(kind), source="computed")  # Python raises
            literal = value_of(kind, int(constant))
    return Value(origin, Moment(kind), literal=literal, source="computed", term=term)


def made(kind: str, values: Sequence[Obj], keywords: Mapping[str, Obj]) -> Value:
    """`date(...)`, `datetime(...)` or `timedelta(...)` of public values."""
    origin = public.origin(*values, *keywords.values())
    names = tuple(_UNITS) if kind == "timedelta" else _PARTS[: 3 if kind == "date" else 7]
    given: dict[str, Obj] = {**dict(zip(names, values, strict=False)), **keywords}
    if len(given) < len(values) + len(keywords) or not set(given) <= set(names):
        # A zone, or an error of Python.
        zone = "tzinfo" in keywords or "fold" in keywords
        return Value(origin, None if zone or kind == "datetime" else Moment(kind),
                     source="computed")  # fmt: skip
    numbers = {name: _whole(value) for name, value in given.items()}
    if kind == "timedelta":
        if None in numbers.values():
            return _value(origin, kind, None)
        return _value(origin, kind, sum((num(_UNITS[n]) * x for n, x in numbers.items()), ZERO))  # type: ignore[operator]
    constants = {name: n.as_fraction() for name, n in numbers.items() if n is not None}
    if len(constants) == len(given) and None not in constants.values():
        try:
            whole = CLASSES[kind](
                **{name: int(n) for name, n in constants.items() if n is not None}
            )
        except (ValueError, OverflowError, TypeError):
            return Value(origin, Moment(kind), source="computed")
        return _value(origin, kind, num(number_of(whole)), whole)
    return Value(origin, Moment(kind), source="computed")


def _whole(value: Obj) -> Expr | None:
    """A whole number that a run has exactly; None where nothing says so."""
    if not isinstance(value, Value) or public.kind(value) not in ("int", "exact"):
        return None
    exact = public.is_exact(value) and value.expr is not None and value.expr.is_integer() is True
    return value.expr if exact else None


def read(dotted: str, values: Sequence[Obj]) -> Value | None:
    """`date.fromisoformat(text)` and `datetime.combine(day, ...)`; None of anything else."""
    head, _, method = dotted.rpartition(".")
    if head not in MAKERS or method != "fromisoformat" or len(values) != 1:
        return None
    text = getattr(values[0], "literal", UNKNOWN)
    if not isinstance(text, str):
        return None
    try:
        found = CLASSES[MAKERS[head]].fromisoformat(text)  # type: ignore[attr-defined]
    except ValueError:
        return None
    return known(found) if kind_of_value(found) else None


def attribute(value: Value, name: str) -> Value:
    """`day.year` of a public date or time."""
    constant = getattr(value.literal, name, UNKNOWN) if kind(value) else UNKNOWN
    if type(constant) is int and value.literal is not UNKNOWN:
        return msgspec.structs.replace(public.literal(constant), origin=value.origin)
    return Value(value.origin, source="computed")


def called(value: Obj, name: str) -> Value | None:
    """`day.weekday()` of a public date or time that is known; None of anything else."""
    if not isinstance(value, Value) or value.literal is UNKNOWN:
        return None
    if name not in METHODS.get(kind(value), {}):
        return None
    made = getattr(value.literal, name)()
    found = known(made) if kind_of_value(made) else public.literal(made)
    return msgspec.structs.replace(found, origin=value.origin)


def binary(operator: str, a: Value, b: Value) -> Value:
    """`a operator b` of two public values, of which one is a date or time."""
    origin, kinds = public.origin(a, b), (kind(a), kind(b))
    x, y = _number(a), _number(b)
    if operator in ("<", "<=", ">", ">=", "==", "!="):
        same = kinds[0] == kinds[1] and x is not None and y is not None
        verdict = compare(x, operator, y) if same else None  # type: ignore[arg-type]
        held = "bool" if all(kinds) else ""
        result: Any = UNKNOWN if verdict is None else verdict
        return Value(origin, literal=result, source="computed", holds=held)
    if operator == "-" and kinds[0] == kinds[1] != "":
        apart = None if x is None or y is None else x - y
        if kinds[0] == "date" and apart is not None:
            apart = num(DAY) * apart
        return _value(origin, "timedelta", apart)
    if operator == "+" and kinds[0] == "timedelta" != kinds[1] != "":
        kinds, x, y = (kinds[1], kinds[0]), y, x
    if operator in ("+", "-") and kinds[1] == "timedelta" and kinds[0]:
        if kinds[0] == "date" and y is not None:
            y = floor(y / num(DAY))
        total = None if x is None or y is None else (x + y if operator == "+" else x - y)
        return _value(origin, kinds[0], total)
    if operator == "*" and "timedelta" in kinds:
        times = _whole(b if kinds[0] else a)
        size = x if kinds[0] else y
        return _value(origin, "timedelta", None if times is None or size is None else times * size)
    return Value(origin, source="computed")


def _number(value: Value) -> Expr | None:
    term = value.term
    return None if term is None or term[0] != kind(value) else term[1]


def total(operator: str, a: Obj, b: Obj) -> bool:
    """Whether `a operator b` certainly has a value."""
    kinds = (kind(a), kind(b))
    if operator in ("==", "!="):
        return all(public.kind(each) for each in (a, b))
    if operator in ("<", "<=", ">", ">="):
        return kinds[0] == kinds[1] != ""
    if operator == "-" and kinds[0] == kinds[1] != "timedelta":
        return kinds[0] != ""
    if not (isinstance(a, Value) and isinstance(b, Value)):
        return False
    return operator in ("+", "-", "*") and binary(operator, a, b).literal is not UNKNOWN
