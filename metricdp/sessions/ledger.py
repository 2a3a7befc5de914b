"""The ledger: what was opened, spent and released, in order, and nothing else.

A spend is decided and written in one step, before data are read: what is refused was not written,
what is written was counted.  An answer that was recorded can be given again for nothing.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from fractions import Fraction
from secrets import token_hex
from typing import Any

from metricdp.errors import BudgetError, LedgerError, ParameterError
from metricdp.sessions.budget import Budget, amounts, costs, left_of
from metricdp.sessions.chain import OPEN, RELEASE, SPEND, Account, LedgerRow, texts, verify
from metricdp.sessions.encoding import decode_release, storable
from metricdp.sessions.files import File
from metricdp.sessions.places import path_of
from metricdp.sessions.stores import DraftRow, Memory, Store

#: Sums are exact while their denominators have this many bits; longer ones are rounded up.
_LONGEST, _GRID = 512, 1 << 256
#: Letters in the name of a data set.
_NAME = 200
#: Letters and marks without a picture; what is not printable is not seen either.
_BLANK = frozenset(
    "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
    + "".join(map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))))
)


class Ledger:
    """A chain of rows in memory, or in a SQLite file.

    Args:
        path: the file, which processes and threads may share; None: in memory.
        create: make the file if it is missing; `Ledger(path, create=False)` reads one.

    Raises:
        LedgerError: a file that is no ledger, or whose chain is broken.
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *, create: bool = True) -> None:
        self.path = None if path is None else path_of(path)
        self._store: Store = Memory() if self.path is None else File(self.path, create=create)

    def rows(self) -> Iterator[LedgerRow]:
        """Every row, in order, as it is found; `verify` says whether they are whole."""
        return self._store.rows()

    def __len__(self) -> int:
        return len(self._store.chain().hashes)

    @property
    def head(self) -> str:
        """Hash of the last row: noted elsewhere, it shows later that no row was cut off."""
        hashes = self._store.chain().hashes
        return hashes[-1] if hashes else ""

    def hashes(self) -> tuple[str, ...]:
        """Hash of every row, in order."""
        return tuple(self._store.chain().hashes)

    def row(self, number: int) -> LedgerRow:
        """One row.

        Raises:
            LedgerError: there is none, or not the one that was there.
        """
        if not 0 < number <= len(self):
            raise LedgerError(f"there is no row {number}", place=self.path or "ledger")
        return self._store.row(number)

    def verify(self, head: str | None = None) -> int:
        """Read every row once more and check the whole chain; the number of rows.

        Args:
            head: a head that was noted earlier and must be in the chain.

        Raises:
            LedgerError: the first row that was changed, removed, inserted or miscounted.
        """
        self._store.chain()
        return verify(self.rows(), head)

    def open(self, dataset: str, budget: Budget, facts: Mapping[str, str]) -> None:
        """Begin to count for a data set, or go on with it.

        Args:
            facts: unit, tables and what else must not change while the data set is counted.

        Raises:
            LedgerError: it was opened with another budget or other facts.
            ParameterError: a name that is no text; see `named`.
        """
        if type(dataset) is not str or dataset not in self._store.chain().accounts:
            dataset = named(dataset)
        wanted = {**facts, "budget": budget.as_json()}
        limits = budget.limits()
        found: list[Mapping[str, Any]] = []

        def decide(account: Account | None) -> DraftRow | None:
            if account is not None:
                found.append(account.opened)
                return None
            zeros = texts(dict.fromkeys(limits, Fraction(0)))
            # The number tells two ledgers apart that would begin with the same words.
            body = {"time": now(), "ledger": token_hex(16), "limits": texts(limits)}
            return DraftRow(dataset, OPEN, "", {**body, "total": zeros, **wanted})

        if self._store.append(dataset, decide) is not None:
            return
        for name, value in wanted.items():
            if found[0].get(name) != value:
                raise LedgerError(
                    f"the data set {dataset!r} was opened with another {name}",
                    place=self.path or "ledger",
                    remedy="open it with the same unit, tables and budget, or name other data",
                )

    def _account(self, dataset: str, *, fresh: bool = True) -> Account:
        account = self._store.chain(fresh=fresh).accounts.get(dataset)
        if account is None and not fresh:
            return self._account(dataset)
        if account is None:
            raise LedgerError(f"the data set {dataset!r} was never opened", place="ledger")
        return account

    def opened(self, dataset: str) -> Mapping[str, Any]:
        """What a data set was opened with: unit, tables, budget, time."""
        return self._account(dataset, fresh=False).opened

    def limits(self, dataset: str) -> dict[str, Fraction]:
        """What the spends of a data set may sum to."""
        return dict(self._account(dataset, fresh=False).limits)

    def left(
        self, dataset: str, limits: Mapping[str, Fraction] | None = None
    ) -> dict[str, Fraction]:
        """What the spends of a data set leave of its budget, exact."""
        account = self._account(dataset)
        return left_of(account.limits if limits is None else limits, account.total)

    def afford(
        self, dataset: str, limits: Mapping[str, Fraction], cost: Mapping[str, Fraction], name: str
    ) -> None:
        """Refuse a spend that is too large for what this process knows; `spend` decides.

        Raises:
            BudgetError: more than what is left.
        """
        left = left_of(limits, self._account(dataset, fresh=False).total)
        if any(cost[unit] > left[unit] for unit in limits):
            raise _over(cost, left, name)

    def spend(
        self,
        dataset: str,
        limits: Mapping[str, Fraction],
        cost: Mapping[str, Fraction],
        key: str,
        facts: Mapping[str, Any],
    ) -> LedgerRow:
        """Record a spend.

        Raises:
            BudgetError: more than what is left; nothing was recorded.
            LedgerError: it cannot be written; nothing was recorded.
        """

        def decide(account: Account | None) -> DraftRow:
            if account is None:
                raise LedgerError(f"the data set {dataset!r} was never opened", place="ledger")
            before = account.total
            # A limit that the caller holds never widens the one that the rows hold.
            most = {unit: min(limit, limits[unit]) for unit, limit in account.limits.items()}
            total = {unit: before[unit] + cost[unit] for unit in most}
            if any(total[unit] > most[unit] or cost[unit] < 0 for unit in most):
                raise _over(cost, left_of(most, before), str(facts.get("name", "")))
            total = {unit: _short(total[unit], most[unit]) for unit in most}
            charged = {unit: total[unit] - before[unit] for unit in most}
            # The nonce tells two spends apart that copies of a ledger make in the same second.
            body = {**facts, "time": now(), "nonce": token_hex(8)}
            return DraftRow(
                dataset, SPEND, key, {**body, "cost": texts(charged), "total": texts(total)}
            )

        row = self._store.append(dataset, decide)
        assert row is not None
        return row

    def record(self, dataset: str, spend: LedgerRow, release: Any) -> None:
        """Record what a spend released; a value that no ledger stores is left out.

        Raises:
            LedgerError: it cannot be written; the spend stays without a release.
        """
        body: dict[str, Any] = {"time": now(), "spend": spend.number}
        stored, reason = storable(release)
        body |= {"release": stored} if not reason else {"release": None, "not stored": reason}
        draft = DraftRow(dataset, RELEASE, spend.key, body)
        try:
            self._store.append(dataset, lambda account: draft, durable=False)
        except LedgerError as error:
            # There may be room for the reason where there is none for the release.
            short = DraftRow(
                dataset, RELEASE, spend.key, {**body, "release": None, "not stored": error.fact}
            )
            with suppress(LedgerError):
                self._store.append(dataset, lambda account: short, durable=False)
            raise error from None

    def answer(self, dataset: str, key: str) -> tuple[Any, LedgerRow] | None:
        """The release that was recorded under a key, and the row of its spend."""
        number = self._account(dataset).answers.get(key) if key else None
        if number is None:
            return None
        row = self._store.row(number)
        body = row.data()
        release = row.read(lambda: decode_release(body["release"]))
        return release, self._store.row(body["spend"])

    def __reduce__(self) -> Any:
        raise LedgerError(
            "a ledger is not copied: two copies would spend one budget twice",
            remedy="open the same file again: Ledger(path)",
        )

    def __str__(self) -> str:
        from metricdp.sessions.views import ledger_text

        return ledger_text(self)

    def __repr__(self) -> str:
        return f"<ledger of {len(self)} rows{f' in {self.path}' if self.path else ''}>"

    def _repr_html_(self) -> str:
        from metricdp.sessions.views import ledger_html

        return ledger_html(self)


def named(dataset: Any) -> str:
    """The name of a data set, as a plain text that looks like no other.

    Raises:
        ParameterError: no text, an empty or a long one, or characters that nobody sees.
    """
    name = str.__str__(dataset) if isinstance(dataset, str) else ""
    if not isinstance(dataset, str):
        fact = f"a {type(dataset).__name__} is no name of a data set"
    elif not 0 < len(name) <= _NAME:
        fact = f"the name of a data set has 1 to {_NAME} characters"
    elif any(not c.isprintable() or c in _BLANK for c in name):
        fact = "the name of a data set has characters that cannot be seen"
    elif name.strip() != name or unicodedata.normalize("NFC", name) != name:
        fact = "the name of a data set could be taken for another one"
    else:
        return name
    raise ParameterError(
        fact,
        place="dataset",
        remedy='dataset="visits-2026": letters without spaces around them, accents composed (NFC)',
    )


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
