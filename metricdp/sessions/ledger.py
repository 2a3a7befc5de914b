"""The ledger: what was opened, spent and released, in order, and nothing else.

A spend is decided and written in one step, before data are read: what is refused was not written,
what is written was counted.  An answer that was recorded can be given again for nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from metricdp.errors import BudgetError, LedgerError
from metricdp.sessions.budget import Budget, amounts, costs, left_of
from metricdp.sessions.encoding import NotStorableError, decode_release, encode_release
from metricdp.sessions.rows import OPEN, RELEASE, SPEND, Row, fractions, texts, verify
from metricdp.sessions.stores import Draft, File, Memory, Store

#: Sums are exact while their denominators have this many bits; longer ones are rounded up.
_LONGEST, _GRID = 512, 1 << 256


class Ledger:
    """A chain of rows in memory, or in a SQLite file.

    Args:
        path: the file, which processes and threads may share; None: in memory.
        create: make the file if it is missing; `Ledger(path, create=False)` reads one.

    Raises:
        LedgerError: a file that is no ledger, or whose chain is broken.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *, create: bool = True) -> None:
        self.path = None if path is None else os.fspath(path)
        self._store: Store = Memory() if path is None else File(path, create=create)
        self.verify()

    def rows(self) -> Iterator[Row]:
        """Every row, in order."""
        return self._store.rows()

    def __len__(self) -> int:
        return sum(1 for _ in self.rows())

    @property
    def head(self) -> str:
        """Hash of the last row: noted elsewhere, it shows later that no row was cut off."""
        head = ""
        for row in self.rows():
            head = row.hash
        return head

    def verify(self, head: str | None = None) -> int:
        """Check the whole chain; the number of rows.

        Args:
            head: a head that was noted earlier and must be in the chain.

        Raises:
            LedgerError: the first row that was changed, removed, inserted or miscounted.
        """
        return verify(self.rows(), head)

    def open(self, dataset: str, budget: Budget, facts: Mapping[str, str]) -> None:
        """Begin to count for a data set, or go on with it.

        Args:
            facts: unit, tables and what else must not change while the data set is counted.

        Raises:
            LedgerError: it was opened with another budget or other facts.
        """
        wanted = {**facts, "budget": budget.as_json()}
        limits = budget.limits()

        def decide(last: Row | None) -> Draft | None:
            if last is not None:
                return None
            zeros = texts(dict.fromkeys(limits, Fraction(0)))
            body = {"time": now(), "limits": texts(limits), "total": zeros, **wanted}
            return Draft(dataset, OPEN, "", body)

        if self._store.append(dataset, decide) is not None:
            return
        opened = self._opened(dataset)
        for name, value in wanted.items():
            if opened.get(name) != value:
                raise LedgerError(
                    f"the data set {dataset!r} was opened with another {name}",
                    place=self.path or "ledger",
                    remedy="open it with the same unit, tables and budget, or name other data",
                )

    def _opened(self, dataset: str) -> dict[str, Any]:
        row = self._store.found(dataset, OPEN, "")
        if row is None:
            raise LedgerError(f"the data set {dataset!r} was never opened", place="ledger")
        return row.data()

    def limits(self, dataset: str) -> dict[str, Fraction]:
        """What the spends of a data set may sum to."""
        return fractions(self._opened(dataset)["limits"])

    def left(
        self, dataset: str, limits: Mapping[str, Fraction] | None = None
    ) -> dict[str, Fraction]:
        """What the spends of a data set leave of its budget, exact."""
        last = self._store.last(dataset)
        limits = self.limits(dataset) if limits is None else limits
        return left_of(limits, last.total() if last is not None else {})

    def afford(
        self, dataset: str, limits: Mapping[str, Fraction], cost: Mapping[str, Fraction], name: str
    ) -> None:
        """Refuse a spend that is too large by now; `spend` decides for the others.

        Raises:
            BudgetError: more than what is left.
        """
        left = self.left(dataset, limits)
        if any(cost[unit] > left[unit] for unit in limits):
            raise _over(cost, left, name)

    def spend(
        self,
        dataset: str,
        limits: Mapping[str, Fraction],
        cost: Mapping[str, Fraction],
        key: str,
        facts: Mapping[str, Any],
    ) -> Row:
        """Record a spend.

        Raises:
            BudgetError: more than what is left; nothing was recorded.
        """

        def decide(last: Row | None) -> Draft:
            assert last is not None, "the data set is open"
            before = last.total()
            total = {unit: before[unit] + cost[unit] for unit in limits}
            if any(total[unit] > limits[unit] or cost[unit] < 0 for unit in limits):
                raise _over(cost, left_of(limits, before), str(facts.get("name", "")))
            total = {unit: _short(total[unit], limits[unit]) for unit in limits}
            charged = {unit: total[unit] - before[unit] for unit in limits}
            body = {"time": now(), "cost": texts(charged), "total": texts(total), **facts}
            return Draft(dataset, SPEND, key, body)

        row = self._store.append(dataset, decide)
        assert row is not None
        return row

    def record(self, dataset: str, spend: Row, release: Any) -> None:
        """Record what a spend released; a value that no ledger stores is left out."""
        try:
            stored: Any = encode_release(release)
        except NotStorableError:
            stored = None

        def decide(last: Row | None) -> Draft:
            assert last is not None
            body = {"time": now(), "spend": spend.number, "release": stored}
            return Draft(dataset, RELEASE, spend.key, {**body, "total": texts(last.total())})

        self._store.append(dataset, decide)

    def answer(self, dataset: str, key: str) -> tuple[Any, int] | None:
        """The release that was recorded under a key, and the number of its spend."""
        row = self._store.found(dataset, RELEASE, key) if key else None
        if row is None:
            return None
        found = row.data()
        if found["release"] is None:
            return None
        return decode_release(found["release"]), found["spend"]

    def __reduce__(self) -> Any:
        raise LedgerError(
            "a ledger is not copied: two copies would spend one budget twice",
            remedy="open the same file again: Ledger(path)",
        )

    def __str__(self) -> str:
        from metricdp.sessions.table import ledger_text

        return ledger_text(self)

    def __repr__(self) -> str:
        return f"<ledger of {len(self)} rows{f' in {self.path}' if self.path else ''}>"

    def _repr_html_(self) -> str:
        from metricdp.sessions.table import ledger_html

        return ledger_html(self)


def _short(total: Fraction, limit: Fraction) -> Fraction:
    """A sum whose denominator has grown long, rounded up to a grid, at most to the limit."""
    if total.denominator.bit_length() <= _LONGEST:
        return total
    return min(limit, Fraction(-(-total.numerator * _GRID // total.denominator), _GRID))


def now() -> str:
    """The time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _over(cost: Mapping[str, Fraction], left: Mapping[str, Fraction], name: str) -> BudgetError:
    error = BudgetError(
        f"this costs {costs(cost)}, and {amounts(left)} is left",
        place=name or "ledger",
        remedy="ask for less, or stop here",
    )
    error.left = dict(left)
    return error
