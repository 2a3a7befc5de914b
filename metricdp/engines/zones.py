"""What the clock of a zone shows, in SQL of our own: an engine's tz database may be another one.

What is written is the table of `spaces.transitions`: the instants at which the clock was set,
halved until one is left, and the rule of later years by the kind of a year.
"""

from __future__ import annotations

from typing import Final

from metricdp.columns.zones import LATEST
from metricdp.engines.dialect import Dialect
from metricdp.spaces.moments import DAY, ends_of
from metricdp.spaces.transitions import Transitions, start_of, transitions

_SECOND: Final = 10**6
#: Years of the rule are written out before this one, so that most rows are compared and no more.
_WRITTEN_OUT: Final = 2100


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
        self._instants, self._offsets = known.until(_WRITTEN_OUT)

    def offset(self) -> str:
        before = self._part(0, len(self._instants))
        if not self._known.rule:
            return before
        later = self._later(start_of(max(self._known.tail, _WRITTEN_OUT)))
        return f"CASE WHEN {later} THEN {self._ruled()} ELSE {before} END"

    def _part(self, low: int, high: int) -> str:
        """What is added where the clock was last set by one of these."""
        if low == high:
            return self._seconds(self._offsets[low])
        middle = (low + high) // 2
        return (
            f"CASE WHEN {self._later(self._instants[middle])} "
            f"THEN {self._part(middle + 1, high)} ELSE {self._part(low, middle)} END"
        )

    def _ruled(self) -> str:
        """What is added in a year of the rule, between its two changes and outside of them."""
        sql, whole = self._sql, self._sql.whole
        last = whole(ends_of("datetime")[1])
        days = sql.quotient(f"least({self._instant}, {last})", whole(DAY), float(LATEST))
        year = sql.day_part("year", f"({days})")
        before = f"({year} - 1)"
        past = [f"({self._div(before, each)})" for each in (4, 100, 400)]
        # Days from the first one of the year 1 to that of this year, and from 1970 on.
        since = f"(365 * {before} + {past[0]} - {past[1]} + {past[2]})"
        first = f"({since} - {whole(-start_of(1) // 86_400)})"
        leap = (
            f"CASE WHEN {year} % 4 = 0 AND ({year} % 100 <> 0 OR {year} % 400 = 0) "
            f"THEN {whole(7)} ELSE {whole(0)} END"
        )
        kind = f"({since} % 7 + {leap})"  # the year 1 began on a Monday
        changes = [
            sql.entry([self._seconds(each[at]) for each in self._known.rule], kind, "integer")
            for at in (0, 1)
        ]
        within = f"({self._instant} - {first} * {whole(DAY)})"
        return (
            f"CASE WHEN {within} >= {changes[0]} AND {within} < {changes[1]} "
            f"THEN {self._seconds(self._known.between)} "
            f"ELSE {self._seconds(self._known.offsets[-1])} END"
        )

    def _div(self, x: str, y: int) -> str:
        return self._sql.quotient(x, self._sql.whole(y), 1e4)

    def _later(self, second: int) -> str:
        return f"{self._moment} >= {self._sql.moment(second * _SECOND)}"

    def _seconds(self, count: int) -> str:
        return self._sql.whole(count * _SECOND)
