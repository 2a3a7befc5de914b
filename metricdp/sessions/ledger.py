"""The ledger: what was opened, spent and released, in order, and nothing else.

A spend is decided and written in one step, before data are read: what is refused was not written,
what is written was counted.  An answer that was recorded can be given again for nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from secrets import token_hex
from typing import Any

from metricdp.errors import LedgerError, ParameterError
from metricdp.sessions.budget import Budget, left_of
from metricdp.sessions.chain import (
    APPROVAL,
    DATA,
    LIMIT,
    MOVED,
    OPEN,
    RELEASE,
    REQUEST,
    SPEND,
    Account,
    LedgerRow,
    texts,
    verify,
)
from metricdp.sessions.decisions import (
    NOBODY,
    decided,
    is_same,
    known,
    most,
    names,
    require_change,
    require_no_likeness,
    waits,
)
from metricdp.sessions.encoding import decode_release, storable
from metricdp.sessions.files import File
from metricdp.sessions.limits import Limit
from metricdp.sessions.names import named, person
from metricdp.sessions.places import SCHEMES, path_of
from metricdp.sessions.shares import Asker, SpendRefusal, short
from metricdp.sessions.stores import DraftRow, Memory, Store


class Ledger:
    """A chain of rows in memory, in a SQLite file, or on a PostgreSQL server.

    Args:
        path: the file, which processes and threads may share, or the address of a server, which
            hosts may share ("postgresql://host/database"); None: in memory.
        create: make the file or table if it is missing; `Ledger(path, create=False)` reads one.

    Attributes:
        path: the file, or the address without its password.

    Raises:
        LedgerError: a file or server that has no ledger, or one whose chain is broken.
        MissingExtraError: psycopg is needed and not installed (`pip install 'metricdp[postgres]'`).
    """

    def __init__(self, path: str | os.PathLike[str] | None = None, *, create: bool = True) -> None:
        self.path: str | None
        self._store: Store
        if path is None:
            self.path, self._store = None, Memory()
        elif isinstance(path, str) and path.startswith(SCHEMES):
            from metricdp.sessions.servers import Server

            server = Server(path, create=create)
            self.path, self._store = server.name, server
        else:
            self.path = path_of(path)
            self._store = File(self.path, create=create)

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

    @property
    def moved(self) -> str:
        """Where the ledger goes on; "" as long as it goes on here."""
        return self._store.chain().moved

    def move(self, target: Ledger) -> int:
        """Go on in another place, which is empty; the rows and their hashes are the same there.

        Here a last row says where the ledger went, and nothing is added after it: it is written
        first, so that no spend is counted in two places whenever this is interrupted.  Called once
        more, it goes on.

        Returns:
            The number of rows that are there now.

        Raises:
            LedgerError: the target has rows of another ledger, or this one moved elsewhere.
        """
        there, mine = target.path, self._store.chain()
        if there is None or self.path is None:
            raise LedgerError("a ledger is moved to a file or a server", place="ledger.move",
                              remedy="dp.Ledger(path).move(dp.Ledger(other))")  # fmt: skip
        if mine.moved not in ("", there):
            raise LedgerError(f"it moved to {mine.moved}", place=self.path,
                              remedy="move it on from there")  # fmt: skip
        # Rows that are there already are those of this move, which was interrupted, or of another
        # name of this very ledger.
        if len(target) and not mine.moved:
            raise LedgerError("there are rows already", place=there,
                              remedy="move it to an empty place")  # fmt: skip

        def decide(account: Account | None, now: str) -> DraftRow:
            return DraftRow("", MOVED, "", {"time": now, "to": there})

        if not mine.moved:
            self._store.append("", decide)
        target._store.take(row for row in self.rows() if row.kind != MOVED)
        return len(target)

    def close(self) -> None:
        """Let go of the file or the server; a later call opens it again."""
        self._store.close()

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

        def decide(account: Account | None, now: str) -> DraftRow | None:
            if account is not None:
                found.append(account.opened)
                return None
            zeros = texts(dict.fromkeys(limits, Fraction(0)))
            # The number tells two ledgers apart that would begin with the same words.
            body = {"time": now, "ledger": token_hex(16), "limits": texts(limits)}
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
        return known(account, dataset)

    def opened(self, dataset: str) -> Mapping[str, Any]:
        """What a data set was opened with: unit, tables, budget, time."""
        return self._account(dataset, fresh=False).opened

    def limits(self, dataset: str) -> dict[str, Fraction]:
        """What the spends of a data set may sum to."""
        return dict(self._account(dataset, fresh=False).limits)

    def left(
        self,
        dataset: str,
        limits: Mapping[str, Fraction] | None = None,
        asker: Asker | None = None,
    ) -> dict[str, Fraction]:
        """What is left of the budget of a data set, exact; to somebody who asks, what limits on
        names and periods leave of that, and in a part what other parts have spent before."""
        account = self._account(dataset)
        left = left_of(account.limits if limits is None else limits, account.total)
        if asker is None:
            return left
        if asker.part is not None:
            free = account.parts.free(asker.part)
            left = {unit: value + free[unit] for unit, value in left.items()}
        return account.shares.left(left, asker, self._store.now())

    def afford(
        self,
        dataset: str,
        limits: Mapping[str, Fraction],
        cost: Mapping[str, Fraction],
        name: str,
        asker: Asker = NOBODY,
    ) -> SpendRefusal | None:
        """Refuse a spend that is too large for what this process knows; `spend` decides.

        Returns:
            Why it waits for an approval; None: it does not.

        Raises:
            BudgetError: more than what is left.
        """
        account = self._account(dataset, fresh=False)
        return decided(account, limits, cost, asker, name, self._store.now())[0]

    def spend(
        self,
        dataset: str,
        limits: Mapping[str, Fraction],
        cost: Mapping[str, Fraction],
        key: str,
        facts: Mapping[str, Any],
        asker: Asker = NOBODY,
    ) -> LedgerRow:
        """Record a spend.

        Args:
            asker: who asks; the key is that of the row.

        Raises:
            ApprovalError: it waits for an approval; a row says so, once, and nothing was spent.
            BudgetError: more than what is left, or than limits allow; nothing was recorded.
            LedgerError: it cannot be written; nothing was recorded.
        """
        asker = Asker(asker.analyst, asker.purpose, key, asker.part)
        name = str(facts.get("name", ""))
        put_off: list[tuple[SpendRefusal, int]] = []

        def decide(account: Account | None, now: str) -> DraftRow | None:
            account = known(account, dataset)
            before, shares = account.total, account.shares
            refusal, used = decided(account, limits, cost, asker, name, now)
            # The nonce tells two spends apart that copies of a ledger make in the same second.
            body = {**facts, **names(asker), "time": now}
            if refusal is not None:
                number = shares.waiting(asker, cost)
                put_off.append((refusal, number or 0))
                return (
                    None
                    if number
                    else DraftRow(dataset, REQUEST, key, {**body, "cost": texts(cost)})
                )
            limited, due = most(account, limits), dict(cost)
            if asker.part is not None:
                due = account.parts.due(asker.part, cost)
                body |= {"in part": texts(cost)}
            total = {unit: short(before[unit] + due[unit], m) for unit, m in limited.items()}
            charged = {unit: total[unit] - before[unit] for unit in limited}
            body |= {} if used is None else {"approval": used}
            body |= {} if charged == due else {"asked": texts(due)}
            body |= {"nonce": token_hex(8), "cost": texts(charged), "total": texts(total)}
            return DraftRow(dataset, SPEND, key, body)

        row = self._store.append(dataset, decide)
        if not put_off:
            assert row is not None
            return row
        refusal, number = put_off[0]
        raise waits(refusal, number if row is None else row.number, dataset, name, self.path)

    # -- limits and approvals -----------------------------------------------------------------

    def limit(self, dataset: str, limit: Limit, *, by: str) -> LedgerRow:
        """Set a limit within the budget of a data set; a later one for the same names and the same
        period takes its place.  Spends so far count.

        Args:
            by: who sets it, by name.

        Raises:
            LedgerError: the data set was never opened.
            ParameterError: a limit in a unit that the budget does not count, or for a name that
                looks like another one.
        """
        if not isinstance(limit, Limit):
            raise ParameterError("a limit is a dp.Limit", place="ledger.limit",
                                 remedy='dp.Limit(epsilon=1, per="month")')  # fmt: skip
        by = person(by, "by")

        def decide(account: Account | None, now: str) -> DraftRow:
            account = known(account, dataset)
            unknown = limit.amounts.keys() - account.limits.keys()
            if unknown:
                raise ParameterError(
                    f"the budget is counted in {' and '.join(account.limits)}",
                    place="ledger.limit", remedy=f"limit {' or '.join(account.limits)}",
                )  # fmt: skip
            require_no_likeness(limit, account)
            return DraftRow(dataset, LIMIT, "", {"time": now, "by": by, "limit": limit.as_json()})

        row = self._store.append(dataset, decide)
        assert row is not None
        return row

    def fingerprint(
        self, dataset: str, found: Mapping[str, str] | None, *, changed: bool = False
    ) -> int | None:
        """Note the fingerprint of data, or hold it against the one that was noted.

        Args:
            found: "of" the data and of the "key"; None: it is not known.
            changed: the data are other ones than before, and go on under the same name.

        Returns:
            The row that has it; None where there is none.

        Raises:
            LedgerError: the data changed, or what is needed to see that is missing.
        """
        if found is None and self._account(dataset).data is None:
            return None
        rows: list[int] = []

        def decide(account: Account | None, now: str) -> DraftRow | None:
            before = known(account, dataset).data
            if before is not None:
                rows.append(before[0])
                if is_same(found, before[1], dataset) or not require_change(changed, dataset):
                    return None
            return DraftRow(dataset, DATA, "", {"time": now, **(found or {})})

        row = self._store.append(dataset, decide)
        return rows[0] if row is None else row.number

    def limits_on(self, dataset: str) -> tuple[Limit, ...]:
        """The limits within the budget of a data set that are in force."""
        return tuple(self._account(dataset).shares.limits.values())

    def waiting(self, dataset: str) -> tuple[LedgerRow, ...]:
        """The rows of the questions that wait for an approval: who asks what, and the cost."""
        requests = self._account(dataset).shares.requests
        return tuple(self.row(number) for number, found in requests.items() if not found.by)

    def approve(self, dataset: str, request: int, *, by: str, granted: bool = True) -> LedgerRow:
        """Approve a question that waits: it may be asked once, at the cost that it had or less.

        Args:
            request: number of the row that waits; see `waiting`.
            by: who approves, by name: an approver of every limit that the question passes.
            granted: False: refuse it.

        Raises:
            LedgerError: no such question waits, or it is not for this name to approve.
        """
        by = person(by, "by")

        def decide(account: Account | None, now: str) -> DraftRow:
            shares = known(account, dataset).shares
            found = shares.requests.get(request) if type(request) is int else None
            if found is None or found.by:
                raise LedgerError(f"no question of row {request} waits", place=dataset,
                                  remedy="ledger.waiting(dataset) has those that wait")  # fmt: skip
            if not shares.may_approve(found.asker, found.cost, by):
                raise LedgerError(f"{by} is no approver of this question", place=dataset,
                                  remedy="another person, whom the limit names")  # fmt: skip
            body = {"time": now, "by": by, "request": request, "granted": bool(granted)}
            return DraftRow(dataset, APPROVAL, "", body)

        row = self._store.append(dataset, decide)
        assert row is not None
        return row

    # -- answers ------------------------------------------------------------------------------

    def record(self, dataset: str, spend: LedgerRow, release: Any) -> None:
        """Record what a spend released; a value that no ledger stores is left out.

        Raises:
            LedgerError: it cannot be written; the spend stays without a release.
        """
        stored, reason = storable(release)
        kept = {"release": stored} if not reason else {"release": None, "not stored": reason}

        def append(found: Mapping[str, Any]) -> None:
            def decide(account: Account | None, now: str) -> DraftRow:
                body = {"time": now, "spend": spend.number, **found}
                return DraftRow(dataset, RELEASE, spend.key, body)

            self._store.append(dataset, decide, durable=False)

        try:
            append(kept)
        except LedgerError as error:
            # There may be room for the reason where there is none for the release.
            with suppress(LedgerError):
                append({"release": None, "not stored": error.fact})
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
