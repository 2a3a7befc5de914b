"""A ledger row: append-only, and chained to the one before by a hash over all that it says."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from fractions import Fraction
from hashlib import sha256
from typing import Any, TypeVar

import msgspec

from metricdp.errors import LedgerError
from metricdp.sessions.encoding import canonical, number_of, text_of

T = TypeVar("T")

#: `previous` of the first row.
GENESIS = "0" * 64
#: What a row may record: a data set with its unit and budget; a spend; what the spend released.
OPEN, SPEND, RELEASE = "open", "spend", "release"
#: What to do about a ledger that lost or changed rows.
RESTORE = "restore the ledger from a copy; spend nothing on these data until then"


class Row(msgspec.Struct, frozen=True):
    """One row.

    Attributes:
        number: 1, 2, ... in the ledger.
        dataset: name of the data set.
        kind: "open", "spend" or "release".
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
