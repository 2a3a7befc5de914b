"""Where rows live: what a ledger needs of such a place, and the memory of one process.

A store appends one row at a time, alone among all writers: it reads the rows that others appended
since, decides and writes.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Protocol

import msgspec

from metricdp.errors import LedgerError
from metricdp.sessions.chain import Account, HashChain, LedgerRow, chained


class DraftRow(msgspec.Struct, frozen=True):
    """A row before it has its place in the chain."""

    dataset: str
    kind: str
    key: str
    body: Mapping[str, Any]


#: Decides, from the account of a data set (None: not opened) and the time of the store's clock,
#: what to append; None: nothing.
Decide = Callable[[Account | None, str], DraftRow | None]


class Store(Protocol):
    """What a ledger needs of a store."""

    def append(self, dataset: str, decide: Decide, *, durable: bool = True) -> LedgerRow | None:
        """Append what `decide` makes of a data set's account.

        Args:
            durable: what has returned is there after a power cut; otherwise after a kill only.
        """

    def chain(self, *, fresh: bool = True) -> HashChain:
        """All rows by now, verified.

        Args:
            fresh: False: rows of other processes may be missing.
        """

    def row(self, number: int) -> LedgerRow:
        """One row of the chain."""

    def rows(self) -> Iterator[LedgerRow]:
        """Every row, in order, as it is found."""

    def take(self, rows: Iterable[LedgerRow]) -> None:
        """Go on with the rows of another ledger, all or none of them.

        Raises:
            LedgerError: there are other rows here, or they cannot be written.
        """

    def now(self) -> str:
        """The time, in UTC, to the second: of the clock that rows are written by."""

    def close(self) -> None:
        """Let go of what a later call opens again."""


class Memory:
    """Rows in the memory of this process, shared by its threads."""

    def __init__(self) -> None:
        self._rows: list[LedgerRow] = []
        self._chain = HashChain()
        self._lock = threading.Lock()
        self._process = os.getpid()

    def append(self, dataset: str, decide: Decide, *, durable: bool = True) -> LedgerRow | None:
        if os.getpid() != self._process:
            # A copy after a fork would spend the same budget once more.
            raise LedgerError(
                "a ledger in memory belongs to the process that made it",
                place="ledger",
                remedy='share a file: Session(..., dataset="name", ledger="ledger.db")',
            )
        with self._lock:
            draft = decide(self._chain.accounts.get(dataset), self.now())
            if draft is None:
                return None
            row = placed(draft, self._chain)
            self._chain.add(row)
            self._rows.append(row)
            return row

    def chain(self, *, fresh: bool = True) -> HashChain:
        return self._chain

    def row(self, number: int) -> LedgerRow:
        return self._rows[number - 1]

    def rows(self) -> Iterator[LedgerRow]:
        return iter(tuple(self._rows))

    def take(self, rows: Iterable[LedgerRow]) -> None:
        raise LedgerError("a ledger in memory takes no rows of another one", place="ledger",
                          remedy="move it to a file or a server")  # fmt: skip

    def now(self) -> str:
        return now()

    def close(self) -> None:
        """Nothing: the rows are all there is."""


def now() -> str:
    """The time of this machine in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def placed(draft: DraftRow, chain: HashChain) -> LedgerRow:
    """A draft as the next row of a chain.

    Raises:
        LedgerError: the ledger was moved.
    """
    if chain.moved:
        raise LedgerError(
            f"the ledger was moved to {chain.moved}",
            place="ledger",
            remedy="open it there: rows that were added here would spend the budget twice",
        )
    number = len(chain.hashes) + 1
    return chained(number, draft.dataset, draft.kind, draft.key, draft.body, chain.head)


def beyond(rows: Iterable[LedgerRow], chain: HashChain, place: str) -> list[LedgerRow]:
    """The rows of a whole chain that another one lacks.

    Raises:
        LedgerError: they are not whole, or the other chain is not their beginning.
    """
    whole, found = HashChain(), list(rows)
    for row in found:
        whole.add(row)
    if whole.hashes[: len(chain.hashes)] != chain.hashes or chain.moved:
        raise LedgerError(
            "there are rows of another ledger", place=place, remedy="move it to an empty place"
        )
    return found[len(chain.hashes) :]
