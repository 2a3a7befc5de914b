"""Where rows live: what a ledger needs of such a place, and the memory of one process.

A store appends one row at a time, alone among all writers: it reads the rows that others appended
since, decides and writes.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping
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


#: Decides, from the account of a data set (None: not opened), what to append; None: nothing.
Decide = Callable[[Account | None], DraftRow | None]


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
            draft = decide(self._chain.accounts.get(dataset))
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


def placed(draft: DraftRow, chain: HashChain) -> LedgerRow:
    """A draft as the next row of a chain."""
    number = len(chain.hashes) + 1
    return chained(number, draft.dataset, draft.kind, draft.key, draft.body, chain.head)
