"""Dates, dates with a time of day, and the time between two of them.

A date is a whole number of days, and anything else here a whole number of microseconds: columns
hold these numbers, and nothing is lost.  Times of day are what a clock on the wall shows; a zone
says on which wall it hangs (`Zone`), and values have none.
Rules test for the spaces that they know, so a rule that does not speak of dates refuses them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from metricdp.errors import SpaceError
from metricdp.spaces.base import Space
from metricdp.spaces.lengths import Length, rational

if TYPE_CHECKING:
    from random import Random

#: Kind -> the class of its values.
CLASSES: Final[dict[str, type]] = {"date": date, "datetime": datetime, "timedelta": timedelta}
TIMES: Final = frozenset(CLASSES.values())
#: Kinds that a field of a row may have.
FIELDS: Final = frozenset({"date", "datetime"})
DAY: Final = 86_400_000_000
_ONE: Final = timedelta(microseconds=1)
_FIRST_DAY: Final = date(1970, 1, 1).toordinal()
_START: Final = datetime(1970, 1, 1)


def kind_of_class(item: Any) -> str:
    """ "date", "datetime" or "timedelta" for the class itself; "" for anything else."""
    return next((kind for kind, known in CLASSES.items() if item is known), "")


def kind_of_value(value: Any) -> str:
    """The kind of a value that is one of these, and of no subclass, without a zone; else ""."""
    kind = kind_of_class(type(value))
    return "" if kind == "datetime" and value.tzinfo is not None else kind


def number_of(value: Any) -> int:
    """Days since 1970 of a date, microseconds since 1970 of one with a time, microseconds."""
    if type(value) is date:
        return value.toordinal() - _FIRST_DAY
    since = value - _START if type(value) is datetime else value
    return int(since // _ONE)


_ENDS: Final = {
    "date": (number_of(date.min), number_of(date.max)),
    "datetime": (number_of(datetime.min), number_of(datetime.max)),
    "timedelta": (number_of(timedelta.min), number_of(timedelta.max)),
}


def ends_of(kind: str) -> tuple[int, int]:
    """The least and the greatest number of a kind."""
    return _ENDS[kind]


def value_of(kind: str, number: int) -> Any:
    """The date or time of a number; the first or the last one beyond the ends of their range."""
    low, high = ends_of(kind)
    number = min(max(number, low), high)
    if kind == "date":
        return date.fromordinal(number + _FIRST_DAY)
    since = timedelta(number // DAY, 0, number % DAY)
    return since if kind == "timedelta" else _START + since


#: Ends of the range, leap days, the last day of a year and of a week of the year before.
_SPECIAL: Final[dict[str, tuple[Any, ...]]] = {
    "date": (
        date(1970, 1, 1), date(2024, 2, 29), date(2023, 12, 31), date(2024, 1, 1), date.min,
        date.max, date(1969, 12, 31), date(1900, 3, 1), date(2000, 2, 29), date(2021, 1, 3),
    ),
    "datetime": (
        _START, datetime(2024, 2, 29, 23, 59, 59, 999_999), datetime(2024, 1, 1), datetime.min,
        datetime.max, datetime(1969, 12, 31, 23, 59, 59, 999_999), datetime(2000, 2, 29, 12),
    ),
    "timedelta": (
        timedelta(0), timedelta(1), _ONE, -_ONE, timedelta(-1), timedelta(seconds=1),
        datetime.max - datetime.min, datetime.min - datetime.max, timedelta(hours=-1),
    ),
}  # fmt: skip


class Moment(Space, frozen=True):
    """A date, a date with a time of day, or the time between two, under the discrete metric.

    Attributes:
        kind: "date", "datetime" or "timedelta"; values are of these classes, without a zone.
        zone: of a datetime, the zone whose clock shows it; "" where nothing says so.
    """

    kind: str
    zone: str = ""

    def __str__(self) -> str:
        return f'Annotated[{self.kind}, Zone("{self.zone}")]' if self.zone else self.kind

    @property
    def unit(self) -> str:
        return "one value replaced"

    def _facts(self) -> list[str]:
        return [f"on the clock of {self.zone}"] if self.zone else []

    def contains(self, value: Any) -> bool:
        return kind_of_value(value) == self.kind

    def row_key(self, value: Any) -> Hashable:
        return (value,)

    def length(self, x: Any, y: Any) -> Length:
        return rational(int(x != y))

    def nearest_zero(self) -> Any:
        """The value whose number is 0."""
        return value_of(self.kind, 0)

    def sample(self, rng: Random, size_hint: int = 4) -> Any:
        """A value: special ones, those of a few years around 1970, and any."""
        draw = rng.random()
        if draw < 0.5:
            return rng.choice(_SPECIAL[self.kind])
        low, high = ends_of(self.kind)
        if draw < 0.8:
            near = 366 * 60 * (1 if self.kind == "date" else DAY)
            low, high = max(low, -near), min(high, near)
        return value_of(self.kind, rng.randint(low, high))

    def extremes(self) -> list[Any]:
        return list(_SPECIAL[self.kind][:6])

    def other(self, x: Any, rng: Random) -> Any:
        """Another value; `x` itself if none was found."""
        for _ in range(6):
            y = self.sample(rng)
            if y != x:
                return y
        return x

    def neighbours(self, x: Any, d: int, rng: Random) -> Any:
        return self.other(x, rng) if d >= 1 else x

    def shrink(self, x: Any) -> Iterator[Any]:
        number = number_of(x)
        for simpler in (0, number // 2 if number >= 0 else -(-number // 2)):
            if abs(simpler) < abs(number):
                yield value_of(self.kind, simpler)


def field_moment(item: Any) -> Moment | None:
    """The space of a field of a record that is a date, or a date with a time; None of any other.

    Raises:
        SpaceError: a time of day alone, or the time between two dates.
    """
    if isinstance(item, Moment):
        return item
    if isinstance(item, str):
        kind = item.removeprefix("datetime.")
        kind = kind if kind in CLASSES else ""
    else:
        kind = kind_of_class(item)
    if kind and kind not in FIELDS:
        raise SpaceError(
            f"a field of a row is no {kind}",
            remedy="write float, and pass its seconds: x.total_seconds()",
        )
    return Moment(kind) if kind else None
