"""What the clock of a zone shows, in SQL of our own: an engine's tz database may be another one.

What is written is the table of `spaces.transitions`: the instants at which the clock was set,
halved until one is left, and the changes of 400 years of the rule, after which they come again.
"""

from __future__ import annotations

from typing import Final

from metricdp.engines.dialect import Dialect
from metricdp.errors import InternalError
from metricdp.spaces.moments import DAY, ends_of
from metricdp.spaces.transitions import CYCLE, Transitions, kind_of_year, start_of, transitions

_SECOND: Final = 10**6
#: Microseconds of the years after which the calendar comes again, and of one of them on average.
#: A year begins within three days of a multiple of it, and no clock is set eight from its ends.
_YEARS: Final = 146_097 * DAY
_YEAR: Final = _YEARS // CYCLE


def clock(sql: Dialect, zone: str, moment: str, instant: str) -> str:
    """Microseconds since 1970 on the clock, within the years 1 to 9999; NULL of NULL.

    Args:
        moment: as the engine holds it.
        instant: the same in microseconds since 1970, within a day of these years.
    """
    first, last = (sql.whole(end) for end in ends_of("datetime"))
    shown = f"{instant} + {_Written(sql, transitions(zone), moment, instant).offset()}"
    return f"CASE WHEN {moment} IS NOT NULL THEN least(greatest({shown}, {first}), {last}) END"


class _Written:
    """The table of a zone, about one expression."""

    def __init__(self, sql: Dialect, known: Transitions, moment: str, instant: str) -> None:
        self._sql, self._known, self._moment, self._instant = sql, known, moment, instant

    def offset(self) -> str:
        before = self._part(0, len(self._known.instants))
        if not self._known.rule:
            return before
        later = self._later(start_of(self._known.tail))
        return f"CASE WHEN {later} THEN {self._ruled()} ELSE {before} END"

    def _part(self, low: int, high: int) -> str:
        """What is added where the clock was last set by one of these."""
        if low == high:
            return self._seconds(self._known.offsets[low])
        middle = (low + high) // 2
        return (
            f"CASE WHEN {self._later(self._known.instants[middle])} "
            f"THEN {self._part(middle + 1, high)} ELSE {self._part(low, middle)} END"
        )

    def _ruled(self) -> str:
        """What is added in a year of the rule, between its two changes and outside of them."""
        sql, start = self._sql, start_of(self._known.tail)
        place = f"(({self._instant} - {self._seconds(start)}) % {sql.whole(_YEARS)})"
        year = sql.quotient(place, sql.whole(_YEAR), float(_YEARS))
        first, second = (sql.entry(each, f"({year})", "integer") for each in self._changes())
        return (
            f"CASE WHEN {place} >= {first} AND {place} < {second} "
            f"THEN {self._seconds(self._known.between)} "
            f"ELSE {self._seconds(self._known.offsets[-1])} END"
        )

    def _changes(self) -> tuple[list[str], list[str]]:
        """When the clock is set first and second in each year, since the rule began."""
        known, found = self._known, ([], [])  # type: tuple[Transitions, tuple[list[str], list[str]]]
        start = start_of(known.tail)
        for at in range(CYCLE):
            year = known.tail + at
            for each, change in zip(found, known.rule[kind_of_year(year)], strict=True):
                since = (start_of(year) - start + change) * _SECOND
                if since // _YEAR != at:
                    raise InternalError("a clock that is set where a year begins")
                each.append(self._sql.whole(since))
        return found

    def _later(self, second: int) -> str:
        return f"{self._moment} >= {self._sql.moment(second * _SECOND)}"

    def _seconds(self, count: int) -> str:
        return self._sql.whole(count * _SECOND)
