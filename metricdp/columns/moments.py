"""Dates and times of every row, as whole numbers: what may be asked of them.

A date is a number of days since 1970, a date with a time one of microseconds, and so is the time
between two.  Which year, month and day a number of days is, `days` says; all else is arithmetic of
whole numbers.  What lies beyond the first or the last date is that date.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import date
from functools import lru_cache
from typing import Any, Final

from metricdp.columns import language
from metricdp.columns.days import PARTS as OF_DAYS
from metricdp.columns.days import day_part
from metricdp.columns.language import (
    Node,
    Untraceable,
    absolute,
    add,
    by_value,
    clamp,
    constant,
    div,
    floordiv,
    le,
    mod,
    mul,
    select,
    sub,
)
from metricdp.spaces.moments import DAY, ends_of, kind_of_value, number_of, value_of

#: Microseconds of a second.
_SECOND: Final = 10**6
#: Whole numbers up to here are doubles, so that a quotient of two is rounded once.
_EXACT: Final = 2**53


class Instant:
    """A date, a date with a time, or the time between two, in every row.

    Attributes:
        kind: "date", "datetime" or "timedelta".
        number: its number, an integer within the ends of the kind.
    """

    __slots__ = ("kind", "number")
    __array_ufunc__ = None

    def __init__(self, kind: str, number: Node) -> None:
        self.kind, self.number = kind, number

    # Python would compare stand-ins, or look them up, where their values are meant.
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        raise Untraceable("a comparison that is no operator of a row")

    def __bool__(self) -> bool:
        raise Untraceable("the truth value of a date or time")

    def __repr__(self) -> str:
        return f"Instant({self.kind})"

    def value(self, number: int) -> Any:
        """What Python holds in a row with this number."""
        return value_of(self.kind, number)

    def numbers(self, keys: Iterable[Any]) -> list[int | None]:
        """The numbers of public values of its kind; None of any other, which no row equals."""
        return [number_of(key) if kind_of_value(key) == self.kind else None for key in keys]


def instant(x: Any) -> Instant:
    """A date or time of every row; a public one is the same in all.

    Raises:
        Untraceable: anything else.
    """
    if isinstance(x, Instant):
        return x
    kind = kind_of_value(x)
    if not kind:
        raise Untraceable("a value that is no date and no time")
    number = constant(number_of(x))
    number.range = number.public, number.public
    return Instant(kind, number)


def _two(x: Any, y: Any) -> tuple[Instant, Instant]:
    return instant(x), instant(y)


def _within(kind: str, number: Any) -> Instant:
    return Instant(kind, clamp(number, *ends_of(kind)))


# -- parts of one


def _written(number: int) -> str:
    return str(value_of("date", number).isoformat())


def part(x: Any, name: str) -> Any:
    """What `PARTS` calls this: an integer, a double, a text, or a date.

    Raises:
        Untraceable: no date or time, or no part of it.
    """
    whole = instant(x)
    number = whole.number
    if whole.kind == "timedelta":
        return _of_duration(number, name)
    days = number if whole.kind == "date" else floordiv(number, DAY)
    if name in OF_DAYS:
        return day_part(days, name)
    if name == "weekday":
        return mod(add(days, 3), 7)
    if name == "isoweekday":
        return add(mod(add(days, 3), 7), 1)
    if name == "toordinal":
        return add(days, date(1970, 1, 1).toordinal())
    if whole.kind == "date" and name == "isoformat":
        return by_value(_written, "text", days)
    if whole.kind == "datetime":
        if name == "date":
            return _within("date", days)
        size, count = _CLOCK.get(name, (0, 0))
        if size:
            return mod(floordiv(number, size), count)
    raise Untraceable(f"`{name}` of a {whole.kind}")


#: Part of a time of day -> its microseconds, and how many there are in the next larger one.
_CLOCK: Final = {
    "hour": (3600 * _SECOND, 24), "minute": (60 * _SECOND, 60), "second": (_SECOND, 60),
    "microsecond": (1, _SECOND),
}  # fmt: skip


def _of_duration(number: Node, name: str) -> Any:
    if name == "total_seconds":
        return _ratio(number, _SECOND)
    if name == "days":
        return floordiv(number, DAY)
    if name == "seconds":
        return floordiv(mod(number, DAY), _SECOND)
    if name == "microseconds":
        return mod(number, _SECOND)
    raise Untraceable(f"`{name}` of a timedelta")


def _ratio(number: Node, size: int) -> Node:
    """The double nearest to number / size, as Python divides whole numbers.

    Both are doubles exactly up to 2**53, and then one division rounds once; what is longer is left
    to Python, number by number.
    """
    if abs(size) > _EXACT:
        return by_value(_divided_by(size), "double", number)
    near = le(absolute(number), _EXACT)
    far = by_value(_divided_by(size), "double", select(near, 0, number))
    found: Node = select(near, div(number, size), far)
    return found


@lru_cache(64)
def _divided_by(size: int) -> Callable[[int], float]:
    return lambda number: number / size if size else 0.0


# -- two of them


def compared(operator: str, x: Any, y: Any) -> Node:
    """`x operator y`: lt, le, gt, ge, eq or ne.

    Raises:
        Untraceable: two of different kinds.
    """
    a, b = _two(x, y)
    if a.kind != b.kind:
        raise Untraceable(f"a comparison of a {a.kind} with a {b.kind}")
    found: Node = getattr(language, operator)(a.number, b.number)
    return found


def between(x: Any, y: Any) -> Instant:
    """x - y of two dates, or of two with times: the time between them.

    Raises:
        Untraceable: two of different kinds, or the time between two.
    """
    a, b = _two(x, y)
    if a.kind != b.kind or a.kind == "timedelta":
        raise Untraceable(f"the time between a {a.kind} and a {b.kind}")
    apart = sub(a.number, b.number)
    if a.kind == "date":
        apart = mul(apart, DAY)
    low, high = ends_of(a.kind)
    size = (high - low) * (DAY if a.kind == "date" else 1)
    apart.range = -size, size
    return Instant("timedelta", apart)


def shifted(x: Any, by: Any, back: bool) -> Instant:
    """x + by, or x - by if `back`; of dates by whole days, as Python does.

    Raises:
        Untraceable: no date, or what is added is no time between two.
    """
    start, moved = _two(x, by)
    if moved.kind != "timedelta" or start.kind == "timedelta":
        raise Untraceable(f"a {start.kind} and a {moved.kind} added up")
    step = moved.number
    if start.kind == "date":
        public = step.operator == "constant"
        step = constant(step.public // DAY) if public else floordiv(step, DAY)
    return _within(start.kind, (sub if back else add)(start.number, step))


def ratio(x: Any, size: Any) -> Node:
    """x / size of the time between two and a public time; 0.0 where that is no time at all."""
    return _ratio(*_of_times(x, size))


def quotient(x: Any, size: Any) -> Any:
    """x // size of the same; 0 where that is no time at all."""
    return floordiv(*_of_times(x, size))


def _of_times(x: Any, size: Any) -> tuple[Node, int]:
    a, b = _two(x, size)
    if (a.kind, b.kind) != ("timedelta", "timedelta") or b.number.operator != "constant":
        raise Untraceable("a quotient of other values than two times")
    return a.number, int(b.number.public)


def contained(x: Instant, items: Any) -> Node:
    """Whether it is one of these public values; of another kind none is."""
    if not isinstance(items, list | tuple | set | frozenset | dict):
        raise Untraceable("what holds a date")
    known = [number for number in x.numbers(items) if number is not None]
    return language.contained(x.number, known)


def chosen(test: Any, x: Any, y: Any) -> Instant:
    """x where a condition holds, else y.

    Raises:
        Untraceable: two of different kinds.
    """
    a, b = _two(x, y)
    if a.kind != b.kind:
        raise Untraceable("a branch whose sides are of two kinds")
    number = select(test, a.number, b.number)
    if number.range is None:
        number.range = ends_of(a.kind)
    return Instant(a.kind, number)
