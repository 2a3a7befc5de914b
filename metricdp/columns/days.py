"""Years, months, days and ISO weeks of numbers of days, as Python's own calendar says.

The Gregorian calendar comes again every 400 years, with the days of the week: 146,097 days are
20,871 weeks.  So the first 400 years are asked of Python once, and any day is looked up there.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import cache
from typing import Any, Final

from metricdp.columns.language import Node

#: Days and years after which the calendar comes again.
_DAYS, _YEARS = 146_097, 400
#: Number of the first day of the year 1.
_FIRST: Final = date.min.toordinal() - date(1970, 1, 1).toordinal()
#: Part -> what it is of a date, and where it lies.
PARTS: Final[dict[str, tuple[Callable[[date], int], int, int]]] = {
    "year": (lambda day: day.year, 1, 9999),
    "month": (lambda day: day.month, 1, 12),
    "day": (lambda day: day.day, 1, 31),
    "iso_year": (lambda day: day.isocalendar()[0], 1, 9999),
    "iso_week": (lambda day: day.isocalendar()[1], 1, 53),
    "iso_weekday": (lambda day: day.isocalendar()[2], 1, 7),
}


class DayPart:
    """A part of the date that a number of days since 1970 is.

    Args:
        name: one of `PARTS`.

    Attributes:
        name: the same.
    """

    __slots__ = ("_years", "name")

    def __init__(self, name: str) -> None:
        self.name, self._years = name, _YEARS if name.endswith("year") else 0

    def row(self, x: int) -> int:
        """Of an integer of Python."""
        cycles, place = divmod(x - _FIRST, _DAYS)
        return PARTS[self.name][0](date.fromordinal(place + 1)) + self._years * cycles

    def rows(self, x: Any) -> Any:
        """Of an array."""
        import numpy as np

        cycles, place = np.divmod(np.asarray(x, np.int64) - _FIRST, _DAYS)
        found = _table(self.name)[place]
        return found + self._years * cycles if self._years else found


@cache
def _table(name: str) -> Any:
    """The part of every day of the first 400 years."""
    import numpy as np

    days = map(date.fromordinal, range(1, _DAYS + 1))
    return np.fromiter(map(PARTS[name][0], days), np.int64, _DAYS)


def day_part(days: Node, name: str) -> Node:
    """A part of a number of days, which is one of the years 1 to 9999."""
    _, low, high = PARTS[name]
    made = Node("position", (days,), "integer", None, DayPart(name), float(high))
    made.range = low, high
    return made
