"""The rows that were read and found whole: what every later row is held against.

A chain grows by one row at a time, and only by a row that follows the one before, has the hash of
what it says, and adds up.  Whoever holds a chain therefore knows the sums of every data set without
reading the ledger once more, and notices when rows that it has seen are gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.errors import LedgerError
from metricdp.sessions.budget import SIGNS
from metricdp.sessions.rows import (
    GENESIS,
    OPEN,
    RELEASE,
    RESTORE,
    SPEND,
    Row,
    broken,
    fractions,
    is_whole,
)


class Account(msgspec.Struct):
    """What the rows say of one data set.

    Attributes:
        opened: body of the row that opened it.
        limits: unit of the budget -> what the spends may sum to.
        total: unit -> what they sum to.
        waiting: spends without a release yet: number -> key.
        answers: key -> number of the row with the last release that can be given again.
    """

    opened: Mapping[str, Any]
    limits: Mapping[str, Fraction]
    total: dict[str, Fraction]
    waiting: dict[int, str]
    answers: dict[str, int]


class Chain:
    """Verified rows, from the first one on; the rows themselves are not kept.

    Attributes:
        hashes: of every row, in order.
        accounts: data set -> its account, in the order of their opening.
    """

    def __init__(self) -> None:
        self.hashes: list[str] = []
        self.accounts: dict[str, Account] = {}

    @property
    def head(self) -> str:
        """Hash of the last row, or what the first one follows."""
        return self.hashes[-1] if self.hashes else GENESIS

    def add(self, row: Row) -> None:
        """Grow by a row.

        Raises:
            LedgerError: it was changed, does not follow, or says what no ledger says; then the
                chain is as it was.
        """
        number = len(self.hashes) + 1
        if row.number != number or row.previous != self.head:
            raise broken(number, "does not follow the row before: one was removed or inserted")
        if not is_whole(row):
            raise broken(number, "was changed after it was written")
        reader = _READERS.get(row.kind)
        if reader is None:
            raise LedgerError(
                f"row {number} is of the kind {row.kind!r}, which this version does not know",
                place="ledger",
                remedy="open it with the version of metricdp that wrote it, or a later one",
            )
        account, body = self.accounts.get(row.dataset), row.data()
        if account is None and reader is not _opens:
            raise broken(number, f"belongs to {row.dataset!r}, which was never opened")
        found = row.read(lambda: reader(row, body, account))
        self.accounts[row.dataset] = found
        self.hashes.append(row.hash)

    def require(self, head: str | None) -> None:
        """Raises LedgerError if a head that was noted earlier is not in the chain."""
        if head is not None and head != GENESIS and head not in self.hashes:
            raise LedgerError(
                "the noted head is not in the chain, so rows were removed",
                place="ledger",
                remedy=RESTORE,
            )


def verify(rows: Iterable[Row], head: str | None = None) -> int:
    """Check every hash, every link, every number and every sum.

    A chain whose last rows were cut off is a shorter chain: only a `head` that was noted elsewhere
    (`Ledger.head`) finds that.

    Returns:
        The number of rows.

    Raises:
        LedgerError: the first row that is wrong, or a head that is not in the chain.
    """
    chain = Chain()
    for row in rows:
        chain.add(row)
    chain.require(head)
    return len(chain.hashes)


def _opens(row: Row, body: Mapping[str, Any], account: Account | None) -> Account:
    if account is not None:
        raise broken(row.number, f"opens {row.dataset!r} a second time")
    limits = fractions(body["limits"])
    zeros = dict.fromkeys(limits, Fraction(0))
    if not limits or not set(limits) <= set(SIGNS) or min(limits.values()) < 0:
        raise broken(row.number, "has limits that are no budget")
    if fractions(body["total"]) != zeros:
        raise broken(row.number, "has a total that is not the sum of the spends before it")
    return Account(body, limits, zeros, {}, {})


def _spends(row: Row, body: Mapping[str, Any], account: Account | None) -> Account:
    assert account is not None, "looked at before"
    cost = fractions(body["cost"])
    if set(cost) != set(account.limits):
        raise broken(row.number, "has a cost in other units than its budget")
    if min(cost.values()) < 0:
        raise broken(row.number, "has a negative cost")
    total = {unit: account.total[unit] + value for unit, value in cost.items()}
    if fractions(body["total"]) != total:
        raise broken(row.number, "has a total that is not the sum of the spends before it")
    if any(total[unit] > limit for unit, limit in account.limits.items()):
        raise broken(row.number, "spends more than its budget")
    account.total = total
    account.waiting[row.number] = row.key
    return account


def _releases(row: Row, body: Mapping[str, Any], account: Account | None) -> Account:
    assert account is not None, "looked at before"
    spend = body["spend"]
    if type(spend) is not int or account.waiting.get(spend) != row.key:
        raise broken(row.number, "releases what no spend before it paid for")
    # Rows of the first format repeat the sums of their data set.
    if "total" in body and fractions(body["total"]) != account.total:
        raise broken(row.number, "has a total that is not the sum of the spends before it")
    if body["release"] is not None and not isinstance(body["release"], dict):
        raise broken(row.number, "has a release of another form")
    del account.waiting[spend]
    if row.key and body["release"] is not None:
        account.answers[row.key] = row.number
    return account


_READERS = {OPEN: _opens, SPEND: _spends, RELEASE: _releases}
