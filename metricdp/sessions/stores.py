"""Where rows live: in the memory of one process, or in a SQLite file that processes share.

A store appends one row at a time, in one transaction that reads the last rows, decides and writes.
What `append` has returned is written: a process that is killed afterwards, at any point, leaves the
row behind.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

import msgspec

from metricdp.errors import LedgerError
from metricdp.sessions.rows import GENESIS, Row, chained, is_whole


class Draft(msgspec.Struct, frozen=True):
    """A row before it has its place in the chain."""

    dataset: str
    kind: str
    key: str
    body: Mapping[str, Any]


#: Decides, from the last row of its data set, what to append; None: nothing.
Decide = Callable[[Row | None], Draft | None]


class Store(Protocol):
    """What a ledger needs of a store."""

    def append(self, dataset: str, decide: Decide) -> Row | None:
        """Append what `decide` makes of the data set's last row, alone among all writers."""

    def rows(self) -> Iterator[Row]:
        """Every row, in order."""

    def found(self, dataset: str, kind: str, key: str) -> Row | None:
        """The last row of this kind and key."""

    def last(self, dataset: str) -> Row | None:
        """The last row of a data set."""


class Memory:
    """Rows in the memory of this process, shared by its threads."""

    def __init__(self) -> None:
        self._rows: list[Row] = []
        self._lock = threading.Lock()
        self._process = os.getpid()

    def append(self, dataset: str, decide: Decide) -> Row | None:
        if os.getpid() != self._process:
            # A copy after a fork would spend the same budget once more.
            raise LedgerError(
                "a ledger in memory belongs to the process that made it",
                place="ledger",
                remedy='share a file: Session(..., dataset="name", ledger="ledger.db")',
            )
        with self._lock:
            draft = decide(self.last(dataset))
            if draft is None:
                return None
            previous = self._rows[-1].hash if self._rows else GENESIS
            row = _row(draft, len(self._rows) + 1, previous)
            self._rows.append(row)
            return row

    def rows(self) -> Iterator[Row]:
        return iter(tuple(self._rows))

    def last(self, dataset: str) -> Row | None:
        return next((r for r in reversed(self._rows) if r.dataset == dataset), None)

    def found(self, dataset: str, kind: str, key: str) -> Row | None:
        wanted = (dataset, kind, key)
        return next((r for r in reversed(self._rows) if (r.dataset, r.kind, r.key) == wanted), None)


_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS ledger (number INTEGER PRIMARY KEY, dataset TEXT NOT NULL, "
    "kind TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, previous TEXT NOT NULL UNIQUE, "
    "hash TEXT NOT NULL UNIQUE)",
    "CREATE INDEX IF NOT EXISTS by_dataset ON ledger (dataset, number)",
    "CREATE INDEX IF NOT EXISTS by_key ON ledger (dataset, kind, key, number)",
    "CREATE TRIGGER IF NOT EXISTS no_update BEFORE UPDATE ON ledger "
    "BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END",
    "CREATE TRIGGER IF NOT EXISTS no_delete BEFORE DELETE ON ledger "
    "BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END",
)
_ALL = "SELECT number, dataset, kind, key, body, previous, hash FROM ledger"
_LAST = f"{_ALL} WHERE dataset = ? ORDER BY number DESC LIMIT 1"


class File:
    """Rows in a SQLite file.

    Every process and thread has a connection of its own: none is carried over a fork.
    """

    def __init__(self, path: str | os.PathLike[str], *, create: bool = True) -> None:
        self.path, self._create = os.fspath(path), create
        self._connections: dict[tuple[int, int], sqlite3.Connection] = {}
        #: The last row that this object has seen: it may not disappear.
        self._anchor: tuple[int, str] = (0, GENESIS)
        if not create and not os.path.isfile(self.path):
            raise _unusable(self.path, "there is no such file")
        connection = self._connection()
        if create:
            _guarded(self.path, lambda: _create(connection))

    def append(self, dataset: str, decide: Decide) -> Row | None:
        connection = self._connection()
        _rollback(connection)  # of a call that was interrupted between two statements
        try:
            connection.execute("BEGIN IMMEDIATE")
            row = self._decided(connection, dataset, decide)
            if row is not None:
                values = msgspec.structs.astuple(row)
                connection.execute("INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?, ?)", values)
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            _rollback(connection)
            raise _unusable(self.path, str(error)) from None
        except BaseException:
            _rollback(connection)
            raise
        if row is not None:
            self._anchor = (row.number, row.hash)
        return row

    def _decided(self, connection: sqlite3.Connection, dataset: str, decide: Decide) -> Row | None:
        head = _one(connection, f"{_ALL} ORDER BY number DESC LIMIT 1")
        number, noted = self._anchor
        if number:
            seen = _one(connection, f"{_ALL} WHERE number = ?", number)
            if seen is None or seen.hash != noted:
                raise LedgerError(
                    "rows that were written earlier are gone",
                    place=self.path,
                    remedy="restore the ledger from a copy; spend nothing on these data until then",
                )
        last = _one(connection, _LAST, dataset)
        for row in (head, last):
            if row is not None and not is_whole(row):
                raise LedgerError(
                    f"row {row.number} was changed after it was written", place=self.path
                )
        draft = decide(last)
        if draft is None:
            return None
        if head is None:
            return _row(draft, 1, GENESIS)
        return _row(draft, head.number + 1, head.hash)

    def rows(self) -> Iterator[Row]:
        connection = self._connection()
        found = _guarded(
            self.path, lambda: connection.execute(f"{_ALL} ORDER BY number").fetchall()
        )
        return (Row(*values) for values in found)

    def found(self, dataset: str, kind: str, key: str) -> Row | None:
        connection = self._connection()
        where = "WHERE dataset = ? AND kind = ? AND key = ? ORDER BY number DESC LIMIT 1"
        row: Row | None = _guarded(
            self.path, lambda: _one(connection, f"{_ALL} {where}", dataset, kind, key)
        )
        return row if row is None or is_whole(row) else None

    def last(self, dataset: str) -> Row | None:
        connection = self._connection()
        row: Row | None = _guarded(self.path, lambda: _one(connection, _LAST, dataset))
        return row

    def _connection(self) -> sqlite3.Connection:
        place = (os.getpid(), threading.get_ident())
        found = self._connections.get(place)
        if found is None:
            found = self._connections[place] = _guarded(
                self.path, lambda: _connect(self.path, self._create)
            )
        return found


def _connect(path: str, create: bool) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
    if create:  # a file that is only read stays as it is
        connection.execute("PRAGMA journal_mode = WAL")
    # The spend is on the disk before data are read, also when the power fails.
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def _create(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    for statement in _SCHEMA:
        connection.execute(statement)
    connection.execute("COMMIT")


def _one(connection: sqlite3.Connection, query: str, *values: Any) -> Row | None:
    found = connection.execute(query, values).fetchone()
    return None if found is None else Row(*found)


def _row(draft: Draft, number: int, previous: str) -> Row:
    return chained(number, draft.dataset, draft.kind, draft.key, draft.body, previous)


def _rollback(connection: sqlite3.Connection) -> None:
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _guarded(path: str, action: Callable[[], Any]) -> Any:
    try:
        return action()
    except sqlite3.Error as error:
        raise _unusable(path, str(error)) from None


def _unusable(path: str, fact: str) -> LedgerError:
    return LedgerError(
        f"the ledger cannot be used: {fact}",
        place=path,
        remedy="give the path of a ledger file, in a folder that can be written",
    )
