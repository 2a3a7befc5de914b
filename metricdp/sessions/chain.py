"""The chain of a ledger: rows, and what the rows that were read and found whole say together.

A row is append-only, and chained to the one before by a hash over all that it says.  A chain grows
by one row at a time, and only by a row that follows the one before, has the hash of what it says,
and adds up.  Whoever holds a chain therefore knows the sums of every data set without reading the
ledger once more, and notices when rows that it has seen are gone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from hashlib import sha256
from typing import Any, TypeVar

import msgspec

from metricdp.errors import LedgerError
from metricdp.sessions.budget import SIGNS
from metricdp.sessions.encoding import canonical, number_of, text_of
from metricdp.sessions.limits import limit_of
from metricdp.sessions.names import person
from metricdp.sessions.part_names import part_of
from metricdp.sessions.parts import PartSums
from metricdp.sessions.shares import Asker, Request, Shares

T = TypeVar("T")

#: What a sum is rounded up by, at most, when it has grown long.
_ROUNDED = Fraction(1, 1 << 250)

#: `previous` of the first row.
GENESIS = "0" * 64
#: What a row may record: a data set with its unit and budget; a spend; what the spend released;
#: a limit within the budget; a question that waits for an approval; the approval, or its refusal;
#: a fingerprint of the data from here on; that the ledger goes on elsewhere.
OPEN, SPEND, RELEASE = "open", "spend", "release"
LIMIT, REQUEST, APPROVAL = "limit", "request", "approval"
DATA, MOVED = "data", "moved"
#: What to do about a ledger that lost or changed rows.
RESTORE = "restore the ledger from a copy; spend nothing on these data until then"


class LedgerRow(msgspec.Struct, frozen=True):
    """One row.

    Attributes:
        number: 1, 2, ... in the ledger.
        dataset: name of the data set.
        kind: "open", "spend", "release", "limit", "request", "approval",
            "data" or "moved".
        key: of what was asked, to find an answer again; "" where it is never found.
        body: canonical JSON; a spend has "cost" and "total", the sums of its data set so far.
        previous: hash of the row before.
        hash: SHA-256 over all fields above.
    """

    number: int
    dataset: str
    kind: str
    key: str
    body: str
    previous: str
    hash: str

    def data(self) -> dict[str, Any]:
        """The body.

        Raises:
            LedgerError: a body that is no JSON object.
        """
        found = self.read(lambda: json.loads(self.body))
        if not isinstance(found, dict):
            raise broken(self.number, "has a body of another form")
        return found

    def numbers(self, field: str) -> dict[str, Fraction]:
        """Numbers of the body by unit: "limits", "cost" or "total".

        Raises:
            LedgerError: the body has none, or other things.
        """
        return self.read(lambda: fractions(self.data()[field]))

    def asked(self) -> dict[str, Fraction]:
        """What the question of a spend costs whom it is about: its cost, or that in its part.

        Raises:
            LedgerError: the body says neither.
        """
        return self.numbers("in part" if "in part" in self.data() else "cost")

    def read(self, action: Callable[[], T]) -> T:
        """What an action makes of this row.

        Raises:
            LedgerError: it stumbled over what the row says.
        """
        try:
            return action()
        except _UNREADABLE as error:
            kind = type(error).__name__
        raise broken(self.number, f"cannot be read ({kind})")


def chained(
    number: int, dataset: str, kind: str, key: str, body: Mapping[str, Any], previous: str
) -> LedgerRow:
    """A row after the one with hash `previous`."""
    text = canonical(body)
    return LedgerRow(
        number, dataset, kind, key, text, previous,
        digest(number, dataset, kind, key, text, previous),
    )  # fmt: skip


def digest(number: int, dataset: str, kind: str, key: str, body: str, previous: str) -> str:
    """The hash of a row."""
    return sha256(canonical([number, dataset, kind, key, body, previous]).encode()).hexdigest()


def is_whole(row: LedgerRow) -> bool:
    """Whether a row has the hash of what it says."""
    return row.hash == digest(row.number, row.dataset, row.kind, row.key, row.body, row.previous)


def fractions(found: Mapping[str, str]) -> dict[str, Fraction]:
    """Numbers of a body.

    Raises:
        ValueError, TypeError, AttributeError: other things in their place.
    """
    return {unit: number_of(text) for unit, text in found.items()}


def texts(values: Mapping[str, Fraction]) -> dict[str, str]:
    """Numbers for a body, exact."""
    return {unit: text_of(value) for unit, value in values.items()}


def broken(number: int, fact: str) -> LedgerError:
    """An error about one row."""
    return LedgerError(f"row {number} {fact}", place="ledger", remedy=RESTORE)


_UNREADABLE = (
    ArithmeticError, AttributeError, ImportError, LookupError, RecursionError, TypeError,
    ValueError,
)  # fmt: skip


class Account(msgspec.Struct):
    """What the rows say of one data set.

    Attributes:
        opened: body of the row that opened it.
        limits: unit of the budget -> what the spends may sum to.
        total: unit -> what they sum to.
        waiting: spends without a release yet: number -> key.
        answers: key -> number of the row with the last release that can be given again.
        shares: sums by analyst, purpose and period, and the limits on them.
        parts: sums by part of a divided table.
        data: row and body of the last fingerprint of the data; None where there is none.
    """

    opened: Mapping[str, Any]
    limits: Mapping[str, Fraction]
    total: dict[str, Fraction]
    waiting: dict[int, str]
    answers: dict[str, int]
    shares: Shares
    parts: PartSums
    data: tuple[int, Mapping[str, Any]] | None = None


class HashChain:
    """Verified rows, from the first one on; the rows themselves are not kept.

    Attributes:
        hashes: of every row, in order.
        accounts: data set -> its account, in the order of their opening.
        moved: where the ledger goes on; "" as long as it goes on here.
    """

    def __init__(self) -> None:
        self.hashes: list[str] = []
        self.accounts: dict[str, Account] = {}
        self.moved = ""

    @property
    def head(self) -> str:
        """Hash of the last row, or what the first one follows."""
        return self.hashes[-1] if self.hashes else GENESIS

    def add(self, row: LedgerRow) -> None:
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
        if self.moved:
            raise broken(number, "was written after the ledger had moved")
        if row.kind == MOVED:
            self.moved = row.read(lambda: _place(row.data()["to"]))
            self.hashes.append(row.hash)
            return
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


def verify(rows: Iterable[LedgerRow], head: str | None = None) -> int:
    """Check every hash, every link, every number and every sum.

    A chain whose last rows were cut off is a shorter chain: only a `head` that was noted elsewhere
    (`Ledger.head`) finds that.

    Returns:
        The number of rows.

    Raises:
        LedgerError: the first row that is wrong, or a head that is not in the chain.
    """
    chain = HashChain()
    for row in rows:
        chain.add(row)
    chain.require(head)
    return len(chain.hashes)


def _opens(row: LedgerRow, body: Mapping[str, Any], account: Account | None) -> Account:
    if account is not None:
        raise broken(row.number, f"opens {row.dataset!r} a second time")
    limits = fractions(body["limits"])
    zeros = dict.fromkeys(limits, Fraction(0))
    if not limits or not set(limits) <= set(SIGNS) or min(limits.values()) < 0:
        raise broken(row.number, "has limits that are no budget")
    if fractions(body["total"]) != zeros:
        raise broken(row.number, "has a total that is not the sum of the spends before it")
    account = Account(body, limits, zeros, {}, {}, Shares(limits), PartSums(limits))
    account.shares.see(body.get("time"))
    return account


def _spends(row: LedgerRow, body: Mapping[str, Any], account: Account | None) -> Account:
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
    shares, asker, time = account.shares, asker_of(row.key, body), body.get("time")
    asked = fractions(body["asked"]) if "asked" in body else cost
    own = fractions(body["in part"]) if asker.part is not None else asked
    if (
        (asker.part is not None) is not ("in part" in body)
        or set(own) != set(cost)
        or min(own.values()) < 0
    ):
        raise broken(row.number, "has another cost in its part than its budget counts")
    if asker.part is not None and asked != account.parts.due(asker.part, own):
        raise broken(row.number, "has another cost than the largest parts are worth")
    if set(asked) != set(cost) or any(not 0 <= cost[u] - asked[u] <= _ROUNDED for u in cost):
        raise broken(row.number, "has another cost than it asked for")
    used = body.get("approval")
    approved = None if used is None else shares.requests[used]
    if approved is not None and used != shares.approval(asker, own):
        raise broken(row.number, "uses an approval that is for something else")
    if shares.limits:
        left = {unit: limit - account.total[unit] for unit, limit in account.limits.items()}
        refused = shares.refusal(own, left, asker, time, approved)
        if refused is not None:
            raise broken(row.number, f"spends what a limit refuses: {refused.fact}")
    shares.see(time)
    if used is not None:
        del shares.requests[used]
    shares.spend(asker, own)
    if asker.part is not None:
        account.parts.spend(asker.part, own)
    account.total = total
    account.waiting[row.number] = row.key
    return account


def _releases(row: LedgerRow, body: Mapping[str, Any], account: Account | None) -> Account:
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
    account.shares.see(body.get("time"))
    if row.key and body["release"] is not None:
        account.answers[row.key] = row.number
    return account


def _limits(row: LedgerRow, body: Mapping[str, Any], account: Account | None) -> Account:
    assert account is not None, "looked at before"
    limit = limit_of(body["limit"])
    if not limit.amounts.keys() <= account.limits.keys():
        raise broken(row.number, "limits what its budget does not count")
    _person(row, body["by"], "by")
    account.shares.see(body["time"])
    account.shares.moment(None)  # from here on there is a period that counts
    account.shares.limits[limit.scope] = limit
    return account


def _requests(row: LedgerRow, body: Mapping[str, Any], account: Account | None) -> Account:
    assert account is not None, "looked at before"
    cost, asker = fractions(body["cost"]), asker_of(row.key, body)
    if not row.key or asker.analyst is None or set(cost) != set(account.limits):
        raise broken(row.number, "asks for what cannot be approved")
    account.shares.see(body["time"])
    account.shares.requests[row.number] = Request(asker, cost, str(body["name"]))
    return account


def _approves(row: LedgerRow, body: Mapping[str, Any], account: Account | None) -> Account:
    assert account is not None, "looked at before"
    shares, number, by = account.shares, body["request"], _person(row, body["by"], "by")
    request = shares.requests[number]
    if request.by or type(body["granted"]) is not bool:
        raise broken(row.number, "approves what was approved before it")
    if not shares.may_approve(request.asker, request.cost, by):
        raise broken(row.number, f"is an approval by {by!r}, who may not give it")
    shares.see(body["time"])
    if body["granted"]:
        shares.requests[number] = msgspec.structs.replace(request, by=by)
    else:
        del shares.requests[number]
    return account


def _is_data(row: LedgerRow, body: Mapping[str, Any], account: Account | None) -> Account:
    assert account is not None, "looked at before"
    if type(body["of"]) is not str or type(body["key"]) is not str:
        raise broken(row.number, "has a fingerprint of another form")
    account.shares.see(body["time"])
    account.data = (row.number, body)
    return account


def asker_of(key: str, body: Mapping[str, Any]) -> Asker:
    """Who asked what a row says."""
    names = (body.get("analyst"), body.get("purpose"))
    if not all(name is None or type(name) is str for name in names):
        raise TypeError("a name that is no text")
    return Asker(*names, key, part_of(body.get("part")))


def _person(row: LedgerRow, name: Any, place: str) -> str:
    if type(name) is not str or person(name, place) != name:
        raise broken(row.number, "names nobody")
    return name


def _place(found: Any) -> str:
    if type(found) is not str or not found:
        raise TypeError("no place")
    return found


_READERS = {
    OPEN: _opens, SPEND: _spends, RELEASE: _releases,
    LIMIT: _limits, REQUEST: _requests, APPROVAL: _approves, DATA: _is_data,
}  # fmt: skip
