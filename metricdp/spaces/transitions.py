"""When the clocks of a zone are set, from the tz database of this machine.

A file of the database lists the instants at which the clock was set, and a rule for all years after
the last of them.  Which instants these are is read from the file (RFC 9636), and what the clock
shows is asked of Python's `zoneinfo`, which reads the same bytes.  A year of the rule is one of 14,
by its length and the day of the week on which it begins.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING, Final

import msgspec

from metricdp.spaces.tz_files import file_of, instants_of, unread

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

_DAY: Final = 86_400
_START: Final = datetime(1970, 1, 1, tzinfo=UTC)
#: A year of the rule begins and ends so far from any change, for its own year to decide.
_FAR: Final = 8 * _DAY
#: Years after which the calendar comes again, with the days of the week.
CYCLE: Final = 400
_FROM, _UNTIL = 1800, 9000


class Transitions(msgspec.Struct, frozen=True):
    """What the clock of a zone adds to UTC, in seconds, at every instant.

    Attributes:
        instants: seconds since 1970 in UTC at which this changes, in order, before `tail`.
        offsets: what is added before, between and after them: one more.
        tail: the first year of the rule.
        rule: for each kind of a year (`kind_of_year`) the seconds from its beginning to its first
            and second change; empty where none changes.
        between: what is added between both; before and after it is the last of `offsets`.
    """

    instants: tuple[int, ...]
    offsets: tuple[int, ...]
    tail: int
    rule: tuple[tuple[int, int], ...] = ()
    between: int = 0

    def until(self, year: int) -> tuple[list[int], list[int]]:
        """The same with the years of the rule written out, before a year: instants and offsets."""
        instants, offsets = list(self.instants), list(self.offsets)
        for each in range(self.tail, year) if self.rule else ():
            instants += [start_of(each) + at for at in self.rule[kind_of_year(each)]]
            offsets += [self.between, self.offsets[-1]]
        return instants, offsets


def start_of(year: int) -> int:
    """Seconds from 1970 to the beginning of a year, in UTC."""
    return (date(year, 1, 1).toordinal() - date(1970, 1, 1).toordinal()) * _DAY


def kind_of_year(year: int) -> int:
    """0 to 6 for a common year that begins on a Monday to Sunday, 7 to 13 for a leap year."""
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return date(year, 1, 1).weekday() + 7 * leap


@cache
def transitions(name: str) -> Transitions:
    """Those of a zone, as the database has them when it is asked first.

    Raises:
        SpaceError: a file that is none of the format, or a rule that is not read here.
    """
    from zoneinfo import ZoneInfo

    data = file_of(name)
    try:
        written = instants_of(data)
        zone = ZoneInfo.from_file(BytesIO(data), key=name)
    except (ValueError, IndexError, OSError):
        raise unread(name) from None
    return _Asked(name, zone).all(written)


class _Asked:
    """A zone that is asked what its clock shows."""

    def __init__(self, name: str, zone: ZoneInfo) -> None:
        self._name, self._zone = name, zone

    def offset(self, second: int) -> int:
        """What the clock adds to UTC; zoneinfo knows whole seconds."""
        shown = (_START + timedelta(seconds=second)).astimezone(self._zone).utcoffset()
        assert shown is not None
        return shown // timedelta(seconds=1)

    def all(self, written: list[int]) -> Transitions:
        low, high = start_of(_FROM), start_of(_UNTIL)
        known = [each for each in written if low <= each < high]
        if len(known) < sum(each >= low for each in written) or known != sorted(known):
            raise unread(self._name)
        last = (_START + timedelta(seconds=known[-1])).year if known else _FROM
        # The rest of the last year that is written follows the rule already.
        tail = last + 2
        if known:
            known += self.changes(known[-1], start_of(tail))
        known = [each for each in known if self.offset(each) != self.offset(each - 1)]
        rule, offsets = self.rule(tail)
        while rule and self._follows(tail - 1, known, rule, offsets):
            tail -= 1
        instants = tuple(each for each in known if each < start_of(tail))
        shown = [self.offset(instants[0] - 1 if instants else low), *map(self.offset, instants)]
        if shown[-1] != offsets[0]:
            raise unread(self._name)
        return Transitions(instants, tuple(shown), tail, rule, offsets[1])

    def _follows(
        self, year: int, known: list[int], rule: tuple[tuple[int, int], ...], offsets: list[int]
    ) -> bool:
        """Whether a year is one of the rule, though it is written."""
        start, end = start_of(year), start_of(year + 1)
        mine = [each for each in known if start <= each < end]
        wanted = [start + each for each in rule[kind_of_year(year)]]
        return mine == wanted and [self.offset(start), *map(self.offset, mine)] == [
            offsets[0], offsets[1], offsets[0],
        ]  # fmt: skip

    def rule(self, tail: int) -> tuple[tuple[tuple[int, int], ...], list[int]]:
        """The changes of each kind of a year, and what is added at its start and between them."""
        kinds: dict[int, list[int]] = {}
        offsets: list[int] = []
        for year in range(tail, tail + CYCLE):
            if (kind := kind_of_year(year)) in kinds:
                continue
            start, end = start_of(year), start_of(year + 1)
            found = self.changes(start, end)
            kinds[kind] = [each - start for each in found]
            now = [self.offset(each) for each in (start, *found)]
            offsets = offsets or now
            inside = all(_FAR < each - start < end - start - _FAR for each in found)
            if now != offsets or len(found) not in (0, 2) or now[0] != now[-1] or not inside:
                raise unread(self._name)
        if not kinds[0]:
            return (), [offsets[0], offsets[0]]
        return tuple((kinds[at][0], kinds[at][1]) for at in range(14)), offsets[:2]

    def changes(self, start: int, end: int) -> list[int]:
        """When the clock is set after one instant and up to before another: looked for day by
        day, as the rule of a zone sets no clock twice in one."""
        found = []
        days = [*range(start, end, _DAY), end - 1]
        shown = [self.offset(each) for each in days]
        for at in range(1, len(days)):
            if shown[at] == shown[at - 1]:
                continue
            low, high = days[at - 1], days[at]
            while high - low > 1:
                middle = (low + high) // 2
                if self.offset(middle) == shown[at - 1]:
                    low = middle
                else:
                    high = middle
            found.append(high)
        return found
