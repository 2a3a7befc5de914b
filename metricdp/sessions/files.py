"""Rows in a SQLite file that processes and threads share.

One transaction reads what others appended, decides and writes.  What `append` has returned is
written: a process that is killed afterwards, at any point, leaves the row behind, and with
`durable` so does a power cut.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic, sleep
from typing import TypeVar
from urllib.parse import quote

from metricdp.errors import LedgerError, MetricdpError
from metricdp.sessions.chain import Chain
from metricdp.sessions.formats import FORMAT, Lines, format_of, migrate
from metricdp.sessions.places import SQLITE, Place, unusable
from metricdp.sessions.reading import consistent
from metricdp.sessions.rows import GENESIS, RESTORE, Row
from metricdp.sessions.stores import Decide, placed

T = TypeVar("T")
#: Rows that are fetched at once.
_BATCH = 1000
#: Pages that are kept beside the file before they are brought into it: half a megabyte.
_BESIDE = 128
#: Seconds to wait for the spends of other processes.
_PATIENCE = 60


class File:
    """Rows in a SQLite file.

    Every process has a connection and a chain of its own: none is carried over a fork.

    Args:
        path: see `places.path_of`.
        create: make the file if it is missing, and bring it into the present format; otherwise
            it is read as it is until the first append.

    Raises:
        LedgerError: no ledger, or one whose rows are not whole.
    """

    _durable: bool | None

    def __init__(self, path: str, *, create: bool = True) -> None:
        self._place, self._writes = Place(path), create
        #: Number and hash of the last row that was seen: it may not disappear.
        self._anchor: tuple[int, str] = (0, GENESIS)
        self._forget()
        if create:
            self._place.make()
        elif not os.path.isfile(self._place.path):
            raise unusable(self._place.path, "there is no such file")
        self.chain()

    def append(self, dataset: str, decide: Decide, *, durable: bool = True) -> Row | None:
        with self._alone():
            self._writes = True
            connection = self._connected()
            if durable is not self._durable:
                # A row that only saves a later spend waits for the disk until the next spend.
                connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._durable = durable
            connection.execute("BEGIN IMMEDIATE")
            self._catch_up(connection)
            draft = decide(self._chain.accounts.get(dataset))
            if draft is None:
                connection.execute("ROLLBACK")
                return None
            row = placed(draft, self._chain)
            plain = self._lines.write(connection, row, draft.body)
            self._place.require()
            connection.execute("COMMIT")
            self._seen(row)
            if plain:
                self._lines.learn(row, draft.body)
            return row

    def chain(self, *, fresh: bool = True) -> Chain:
        if not fresh and os.getpid() == self._process:
            return self._chain

        def caught_up(connection: sqlite3.Connection) -> Chain:
            connection.execute("BEGIN")
            self._catch_up(connection)
            connection.execute("COMMIT")
            return self._chain

        return self._read(caught_up)

    def row(self, number: int) -> Row:
        previous = self._before(number)
        found = self._read(lambda connection: self._after(connection, number - 1, previous, 1))
        if not found or found[0].hash != self._chain.hashes[number - 1]:
            raise self._gone()
        return found[0]

    def rows(self) -> Iterator[Row]:
        last = (0, GENESIS)
        while True:
            batch = self._read(lambda connection: self._after(connection, *last, _BATCH))  # noqa: B023
            if not batch:
                return
            yield from batch
            last = (batch[-1].number, batch[-1].hash)

    # -- one call at a time -----------------------------------------------------------------

    def _forget(self) -> None:
        self._process, self._lock = os.getpid(), threading.RLock()
        self._inside = False
        self._connection: sqlite3.Connection | None = None
        #: Whether the connection waits for the disk at each commit; None: not set yet.
        self._durable = None
        self._chain, self._lines = Chain(), Lines()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if os.getpid() != self._process:
            self._forget()  # the connection belongs to the process that forked
        with self._lock:
            if self._inside:
                raise LedgerError("a call to the ledger is not finished", place=self._place.path,
                                  remedy="ask after it, not from within it")  # fmt: skip
            self._inside = True
            try:
                yield
            except SQLITE as error:
                fact = str(error) if isinstance(error, sqlite3.Error) else "the file is damaged"
                raise unusable(self._place.path, fact) from None
            except MetricdpError:
                raise
            except BaseException:  # an interrupt may have come between two halves of a step
                self._chain, self._lines = Chain(), Lines()
                raise
            finally:
                self._inside = False
                self._rolled_back()

    def _read(self, action: Callable[[sqlite3.Connection], T]) -> T:
        with self._alone():
            if self._writes:
                connection = self._connected()
                self._place.require()
                return action(connection)
            return consistent(self._place.path, action)

    # -- inside of it -----------------------------------------------------------------------

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            path = self._place.path
            self._place.regular()
            connection = sqlite3.connect(
                f"file:{quote(os.fsencode(path))}?mode=rw",
                uri=True, timeout=_PATIENCE, isolation_level=None, check_same_thread=False,
            )  # fmt: skip
            if format_of(connection, path) != FORMAT:
                connection.execute("BEGIN IMMEDIATE")
                migrate(connection, path)
                connection.execute("COMMIT")
            _keep(connection, self._place)
            connection.execute(f"PRAGMA wal_autocheckpoint = {_BESIDE}")
            connection.execute("SELECT count(*) FROM ledger").fetchone()
            self._place.note()
            self._connection, self._durable = connection, None
        return self._connection

    def _catch_up(self, connection: sqlite3.Connection) -> None:
        """Verify the rows that were written since; the last one that was seen must be there."""
        self._place.require()
        # A backup that was written over the file is hidden by pages that were read before.
        connection.execute("PRAGMA shrink_memory")
        form = format_of(connection, self._place.path)
        number, noted = self._anchor
        known = len(self._chain.hashes)
        if known:  # the last row is read once more, as it is now
            rows = self._after(connection, known - 1, self._before(known), _BATCH, form)
            if not rows or rows[0].number != known or rows[0].hash != self._chain.head:
                raise self._gone()
            fetched, rows = len(rows), rows[1:]
        else:  # a page that is damaged may look like one with fewer rows
            (state,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if state != "ok":
                raise unusable(self._place.path, "the file is damaged")
            rows = self._after(connection, 0, GENESIS, _BATCH, form)
            fetched = len(rows)
        while rows:
            for row in rows:
                self._seen(row)
            if fetched < _BATCH:
                break
            known = len(self._chain.hashes)
            rows = self._after(connection, known, self._chain.head, _BATCH, form)
            fetched = len(rows)
        if number and self._chain.hashes[number - 1 : number] != [noted]:
            raise self._gone()

    def _before(self, number: int) -> str:
        """Hash of the row before one."""
        return self._chain.hashes[number - 2] if number > 1 else GENESIS

    def _seen(self, row: Row) -> None:
        self._chain.add(row)
        if row.number > self._anchor[0]:
            self._anchor = (row.number, row.hash)

    def _after(
        self,
        connection: sqlite3.Connection,
        number: int,
        previous: str,
        most: int,
        form: int | None = None,
    ) -> list[Row]:
        form = format_of(connection, self._place.path) if form is None else form
        return list(self._lines.after(connection, number, previous, form, most))

    def _rolled_back(self) -> None:
        connection = self._connection
        if connection is not None and connection.in_transaction:
            try:
                connection.execute("ROLLBACK")
            except SQLITE:
                self._connection = None

    def _gone(self) -> LedgerError:
        return LedgerError(
            "rows that were written earlier are gone", place=self._place.path, remedy=RESTORE
        )


def _keep(connection: sqlite3.Connection, place: Place) -> None:
    """Bring the file under the kind of journal that its place allows."""
    wanted, last = place.journal(), monotonic() + _PATIENCE
    while connection.execute("PRAGMA journal_mode").fetchone() != (wanted,):
        try:
            (found,) = connection.execute(f"PRAGMA journal_mode = {wanted}").fetchone()
        except sqlite3.OperationalError as error:
            # SQLite does not wait here for other processes.
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or monotonic() > last:
                raise
            sleep(0.01)
        else:
            if found != wanted:
                raise unusable(place.path, f"its journal is of the kind {found}, not {wanted}")
