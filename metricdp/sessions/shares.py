"""What the spends of one data set sum to by analyst, purpose and period, and what limits forbid.

The reader of a chain and whoever appends to it ask the same questions here, so a ledger in which a
limit was passed is as broken as one in which the budget was.

The time of a row is what a clock said, and clocks go back.  Spends are counted in the period of the
latest time that any row of the data set has had so far: a clock that goes back a month renews
nothing, one that goes ahead uses up the period that it is ahead in.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import msgspec

from metricdp.sessions.limits import EVER, PERIODS, QUESTION, Limit, period_of
from metricdp.sessions.part_names import PartName

Amounts = Mapping[str, Fraction]
#: Sums are exact while their denominators have this many bits; longer ones are rounded up.
_LONGEST, _GRID = 512, 1 << 256
#: How far a clock may be behind the last row without a word about it.
_BEHIND = timedelta(minutes=5)


class Asker(msgspec.Struct, frozen=True):
    """Who asks what.

    Attributes:
        analyst, purpose: names; None where none was given.
        key: of the question; "" where nothing tells it from others.
        part: of a divided table that is asked; None: whole tables are.
    """

    analyst: str | None = None
    purpose: str | None = None
    key: str = ""
    part: PartName | None = None


class SpendRefusal(msgspec.Struct, frozen=True):
    """Why a spend is not allowed.

    Attributes:
        fact, remedy: in words.
        left: unit -> the most that would be allowed; of all units of the budget.
        waits: whether an approval would allow it.
    """

    fact: str
    remedy: str
    left: Amounts
    waits: bool = False


class Request(msgspec.Struct, frozen=True):
    """A question that was put to the approvers.

    Attributes:
        asker: who asks what.
        cost: what was asked for.
        name: of what runs.
        by: who approved it; "" as long as nobody did.
    """

    asker: Asker
    cost: Amounts
    name: str
    by: str = ""


class Shares:
    """Sums of one data set.

    Attributes:
        latest: the latest time of a row; None where no row had one.
        limits: those in force, by scope.
        by_name: analyst, purpose -> unit -> sum of all spends.
        requests: number of the row -> a question that waits, or was approved and not yet asked.
    """

    def __init__(self, units: Iterable[str]) -> None:
        self._units = tuple(units)
        self.latest: datetime | None = None
        self.limits: dict[tuple[str | None, str | None, str], Limit] = {}
        self.by_name: dict[tuple[str | None, str | None], dict[str, Fraction]] = {}
        #: Kind of period -> the present one, and the sums in it by name.
        self._periods: dict[
            str, tuple[str, dict[tuple[str | None, str | None], dict[str, Fraction]]]
        ]
        self._periods = {}
        self.requests: dict[int, Request] = {}

    # -- rows ---------------------------------------------------------------------------------

    def see(self, time: str | None) -> None:
        """A row was written at a time (ISO 8601 with its offset); another text is no time."""
        moment = _read(time)
        if moment is not None and (self.latest is None or moment > self.latest):
            self.latest = moment

    def spend(self, asker: Asker, cost: Amounts) -> None:
        """Add a spend up."""
        name = asker.analyst, asker.purpose
        _add(self.by_name, name, cost)
        if self.latest is None:
            return
        for per in PERIODS:
            period = period_of(per, self.latest)
            known = self._periods.get(per)
            if known is None or known[0] != period:
                known = self._periods[per] = (period, {})
            _add(known[1], name, cost)

    # -- questions ----------------------------------------------------------------------------

    def moment(self, time: str | None) -> datetime:
        """The time in whose period a spend is counted: never before that of an earlier row.

        Raises:
            ValueError: no row had a time, and this one has none.
        """
        known = [moment for moment in (_read(time), self.latest) if moment is not None]
        return max(known)

    def spent(self, limit: Limit, moment: datetime) -> dict[str, Fraction]:
        """What the spends under a limit sum to, in the period of a moment."""
        found = dict.fromkeys(self._units, Fraction(0))
        sums = self.by_name
        if limit.per == QUESTION:
            return found
        if limit.per != EVER:
            period, sums = self._periods.get(limit.per, ("", {}))
            if period != period_of(limit.per, moment):
                return found
        for name, total in sums.items():
            if limit.covers(*name):
                for unit, value in total.items():
                    found[unit] += value
        return found

    def left(self, left: Amounts, asker: Asker, time: str | None) -> dict[str, Fraction]:
        """What limits leave of what the budget leaves, for all that is asked from now on."""
        moment, found = self.moment(time), dict(left)
        if self._unnamed(asker) is not None:
            return dict.fromkeys(found, Fraction(0))
        for limit in self._over(asker):
            if limit.per != QUESTION:
                spent = self.spent(limit, moment)
                for unit, most in limit.amounts.items():
                    found[unit] = min(found[unit], max(most - spent[unit], Fraction(0)))
        return found

    def refusal(
        self, cost: Amounts, left: Amounts, asker: Asker, time: str | None, approved: Request | None
    ) -> SpendRefusal | None:
        """Why limits refuse a spend that the budget allows; None: they do not.

        Args:
            cost: of the question.
            left: of the budget.
            approved: the request that was approved and would be used up, if there is one.
        """
        unnamed = self._unnamed(asker)
        if unnamed is not None:
            return SpendRefusal(*unnamed, dict.fromkeys(self._units, Fraction(0)))
        moment = self.moment(time)
        for limit in self._over(asker):
            if limit.per == QUESTION:
                continue
            spent = self.spent(limit, moment)
            if any(spent[unit] + cost[unit] > most for unit, most in limit.amounts.items()):
                what = f"the limit of {limit.describe()}"
                if limit.per != EVER:
                    what += f", in {period_of(limit.per, moment)} (UTC)"
                    what += self._behind(time)
                return SpendRefusal(
                    f"it passes {what}", _later(limit), self.left(left, asker, time)
                )
        passed = [
            limit for limit in self._over(asker) if limit.per == QUESTION and _above(cost, limit)
        ]
        if not passed:
            return None
        most = self.left(left, asker, time)
        for limit in passed:
            for unit, value in limit.amounts.items():
                most[unit] = min(most[unit], value)
        for limit in passed:
            if not limit.approvers:
                return SpendRefusal(
                    f"it passes the limit of {limit.describe()}", "ask for less", most
                )
        if approved is not None and self.may_approve(approved.asker, cost, approved.by):
            return None
        what = "; ".join(limit.describe() for limit in passed)
        return SpendRefusal(f"it waits for an approval: {what}", "ask for less", most, waits=True)

    def may_approve(self, asker: Asker, cost: Amounts, by: str) -> bool:
        """Whether somebody may approve a question: a name under every limit that it passes, and
        another one than the analyst's."""
        passed = [x for x in self._over(asker) if x.per == QUESTION and _above(cost, x)]
        return bool(by) and by != asker.analyst and all(by in limit.approvers for limit in passed)

    def approval(self, asker: Asker, cost: Amounts) -> int | None:
        """The row of a request that was approved, for this question at this cost or more."""
        for number, request in self.requests.items():
            if request.by and _is_for(request, asker, cost):
                return number
        return None

    def waiting(self, asker: Asker, cost: Amounts) -> int | None:
        """The row of the same request, if it waits."""
        for number, request in self.requests.items():
            if not request.by and request.asker == asker and request.cost == cost:
                return number
        return None

    def _over(self, asker: Asker) -> list[Limit]:
        return [x for x in self.limits.values() if x.covers(asker.analyst, asker.purpose)]

    def _unnamed(self, asker: Asker) -> tuple[str, str] | None:
        """Where limits name analysts, others may spend nothing; where limits on everybody, or on
        this analyst, name purposes, nothing may be spent for others."""
        over = self._over(asker)
        rosters = {
            "analyst": list(self.limits.values()),
            "purpose": [x for x in self.limits.values() if x.analyst in (None, asker.analyst)],
        }
        for field, limits in rosters.items():
            named = [x for x in limits if getattr(x, field) is not None]
            if named and not any(getattr(x, field) is not None for x in over):
                given = getattr(asker, field)
                who = f"the {field} {given!r}" if given is not None else f"a spend without {field}"
                known = ", ".join(dict.fromkeys(str(getattr(x, field)) for x in named))
                return f"no limit allows {who}", f"limits name the {field}s {known}"
        return None

    def _behind(self, time: str | None) -> str:
        now = _read(time)
        if self.latest is None or (now is not None and self.latest - now <= _BEHIND):
            return ""
        return ", the period of the last row: the clock is behind it"


def _later(limit: Limit) -> str:
    return "ask for less" if limit.per == EVER else "ask for less, or in the next period"


def _read(time: str | None) -> datetime | None:
    """A time with its offset; None of any other text."""
    try:
        moment = datetime.fromisoformat(time or "")
    except ValueError:
        return None
    return None if moment.tzinfo is None else moment.astimezone(UTC)


def short(total: Fraction, limit: Fraction | None = None) -> Fraction:
    """A sum whose denominator has grown long, rounded up to a grid, at most to a limit."""
    if total.denominator.bit_length() <= _LONGEST:
        return total
    rounded = Fraction(-(-total.numerator * _GRID // total.denominator), _GRID)
    return rounded if limit is None else min(limit, rounded)


def _add(
    sums: dict[tuple[str | None, str | None], dict[str, Fraction]],
    name: tuple[str | None, str | None], cost: Amounts,
) -> None:  # fmt: skip
    total = sums.setdefault(name, dict.fromkeys(cost, Fraction(0)))
    for unit, value in cost.items():
        total[unit] = short(total[unit] + value)


def _above(cost: Amounts, limit: Limit) -> bool:
    return any(cost[unit] > most for unit, most in limit.amounts.items())


def _is_for(request: Request, asker: Asker, cost: Amounts) -> bool:
    return request.asker == asker and all(cost[u] <= most for u, most in request.cost.items())
