"""A ledger row: append-only, and chained to the one before by a hash over all that it says."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from fractions import Fraction
from hashlib import sha256
from typing import Any

import msgspec

from metricdp.errors import LedgerError
from metricdp.sessions.encoding import canonical

#: `previous` of the first row.
GENESIS = "0" * 64
#: What a row may record: a data set with its unit and budget; a spend; what the spend released.
OPEN, SPEND, RELEASE = "open", "spend", "release"


class Row(msgspec.Struct, frozen=True):
    """One row.

    Attributes:
        number: 1, 2, ... in the ledger.
        dataset: name of the data set.
        kind: "open", "spend" or "release".
        key: of what was asked, to find an answer again; "" where it is never found.
        body: canonical JSON; every row has "total", the sums of its data set so far.
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
        """The body."""
        found: dict[str, Any] = json.loads(self.body)
        return found

    def total(self) -> dict[str, Fraction]:
        """Sums of the data set after this row."""
        return fractions(self.data()["total"])


def chained(
    number: int, dataset: str, kind: str, key: str, body: Mapping[str, Any], previous: str
) -> Row:
    """A row after the one with hash `previous`."""
    text = canonical(body)
    return Row(
        number, dataset, kind, key, text, previous,
        digest(number, dataset, kind, key, text, previous),
    )  # fmt: skip


def digest(number: int, dataset: str, kind: str, key: str, body: str, previous: str) -> str:
    """The hash of a row."""
    return sha256(canonical([number, dataset, kind, key, body, previous]).encode()).hexdigest()


def is_whole(row: Row) -> bool:
    """Whether a row has the hash of what it says."""
    return row.hash == digest(row.number, row.dataset, row.kind, row.key, row.body, row.previous)


def verify(rows: Iterable[Row], head: str | None = None) -> int:
    """Check every hash, every link, every number and every sum.

    A chain whose last rows were cut off is a shorter chain: only a `head` that was noted elsewhere
    (`Ledger.head`) finds that.

    Returns:
        The number of rows.

    Raises:
        LedgerError: the first row that is wrong, or a head that is not in the chain.
    """
    previous, count = GENESIS, 0
    totals: dict[str, dict[str, Fraction]] = {}
    heads = {GENESIS}
    for row in rows:
        count += 1
        if row.number != count or row.previous != previous:
            raise _broken(count, "does not follow the row before: one was removed or inserted")
        if not is_whole(row):
            raise _broken(count, "was changed after it was written")
        previous = row.hash
        heads.add(previous)
        _sums(row, totals)
    if head is not None and head not in heads:
        raise LedgerError(
            "the noted head is not in the chain, so rows were removed",
            place="ledger",
            remedy="restore the ledger from a copy; spend nothing on these data until then",
        )
    return count


def _sums(row: Row, totals: dict[str, dict[str, Fraction]]) -> None:
    body = row.data()
    if row.kind == OPEN:
        if row.dataset in totals:
            raise _broken(row.number, f"opens {row.dataset} a second time")
        totals[row.dataset] = dict.fromkeys(fractions(body["limits"]), Fraction(0))
    total = totals.get(row.dataset)
    if total is None:
        raise _broken(row.number, f"belongs to {row.dataset}, which was never opened")
    if row.kind == SPEND:
        for unit, value in fractions(body["cost"]).items():
            if value < 0:
                raise _broken(row.number, "has a negative cost")
            total[unit] += value
    if fractions(body["total"]) != total:
        raise _broken(row.number, "has a total that is not the sum of the spends before it")


def fractions(found: Mapping[str, str]) -> dict[str, Fraction]:
    """Numbers of a body."""
    return {unit: Fraction(text) for unit, text in found.items()}


def texts(values: Mapping[str, Fraction]) -> dict[str, str]:
    """Numbers for a body, exact."""
    return {unit: str(value) for unit, value in values.items()}


def _broken(number: int, fact: str) -> LedgerError:
    return LedgerError(
        f"row {number} {fact}",
        place="ledger",
        remedy="restore the ledger from a copy; spend nothing on these data until then",
    )
