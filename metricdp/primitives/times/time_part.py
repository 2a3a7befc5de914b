"""time_part: a part of a date or time, `day.month`, `at.weekday()`, `(a - b).total_seconds()`.

Stability.  Dates that differ are at distance 1, and any function of one into a discrete space is
1-stable.  Ranges are those of the calendar: months 1 to 12, days of the week 0 to 6.
Tight: two dates that differ in this part.
Source: any function from a discrete space into one is 1-stable; the proleptic Gregorian calendar of
Python's `datetime`, ISO 8601 for weeks.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.primitives.times._times import ISO, MOVES, kind_of, part_of
from metricdp.record import Arg, Conclusion, Instance, Witness, refuse
from metricdp.spaces import Moment

example = (
    "days: dp.Records[date] = [date(2024, 5, 9), date(2024, 6, 1)]; [day.month for day in days]"
)

_OF_ISO = {name: place for place, name in enumerate(ISO.values())}


def rule(x: Arg, name: Arg) -> Conclusion:
    """A private date or time, and the name of an attribute or method."""
    kind, known = kind_of(x), name.literal
    space = part_of(kind, known) if kind and isinstance(known, str) else None
    if not x.private or space is None:
        raise refuse(
            "unsupported-call",
            f"{x.text} is no private date or time, or has no part `{known}` that is known here",
            need="a part that every date or time has",
            help=f"{x.text}.year, {x.text}.weekday()",
        )
    return Conclusion(space, {"x": MOVES})


def run(x: Any, name: Any) -> Any:
    """Python's own attribute, or what its method gives."""
    if name in _OF_ISO:
        return x.isocalendar()[_OF_ISO[name]]
    found = getattr(x, name)
    return found() if callable(found) else found


def columnar(x: Any, name: Any) -> Any:
    """The same of the dates of a column."""
    from metricdp.columns.moments import part

    return part(x, name)


_NAMES = {
    "date": ("year", "month", "day", "weekday", "toordinal", "iso_week", "isoformat"),
    "datetime": ("month", "hour", "minute", "second", "microsecond", "isoweekday", "date"),
    "timedelta": ("days", "seconds", "microseconds", "total_seconds"),
}


def instances() -> Iterable[Instance]:
    for kind, names in _NAMES.items():
        for name in names:
            yield Instance({"x": Moment(kind)}, {"name": name})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Two values that differ in this part."""
    if d > 1:
        return None
    space = instance.private["x"]
    assert isinstance(space, Moment)
    first, *others = space.extremes()
    for other in others:
        if run(first, **instance.public) != run(other, **instance.public):
            return {"x": first}, {"x": other}
    return None
