"""Rows in a SQLite file that processes and threads share.

One transaction reads what others appended, decides and writes.  What `append` has returned is
written: a process that is killed afterwards, at any point, leaves the row behind, and with
`durable` so does a power cut.

Who only reads writes nothing beside the file, and may read it from media that are read-only.
SQLite reads a file in WAL mode only where it can keep files beside it, unless it is told that the
file does not change.  So what lies beside decides: nothing does, and no process has the ledger
open; the files of a process that has it open, which are shared with it; or rows that a process
left there when it was killed, and these are read in a copy.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from time import monotonic, sleep
from typing import TypeVar
from urllib.parse import quote

from metricdp.errors import LedgerError, MetricdpError
from metricdp.sessions.chain import HashChain, LedgerRow
from metricdp.sessions.followed import Followed, all_rows
from metricdp.sessions.formats import FORMAT, RowFormat, format_of, migrate
from metricdp.sessions.places import SQLITE, LedgerPlace, unusable
from metricdp.sessions.stores import Decide, beyond, now, placed

T = TypeVar("T")
#: Pages that are kept beside the file before they are brought into it: half a megabyte.
_BESIDE = 128
#: Seconds to wait for the spends of other processes.
_PATIENCE = 60
#: What SQLite keeps beside a file, and what must travel with it.
_TRAVEL = ("-wal", "-journal")
#: Reads of a file that changes meanwhile.
_TRIES = 3


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
    _connection: sqlite3.Connection | None

    def __init__(self, path: str, *, create: bool = True) -> None:
        self._place, self._writes = LedgerPlace(path), create
        self._known = Followed(self._place.path)
        self._forget()
        if create:
            self._place.make()
        elif not os.path.isfile(self._place.path):
            raise unusable(self._place.path, "there is no such file")
        self.chain()

    def append(self, dataset: str, decide: Decide, *, durable: bool = True) -> LedgerRow | None:
        with self._alone():
            self._writes = True
            connection = self._connected()
            if durable is not self._durable:
                # A row that only saves a later spend waits for the disk until the next spend.
                connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                self._durable = durable
            connection.execute("BEGIN IMMEDIATE")
            self._catch_up(connection)
            draft = decide(self._known.chain.accounts.get(dataset), self.now())
            if draft is None:
                connection.execute("ROLLBACK")
                return None
            row = placed(draft, self._known.chain)
            plain = self._lines.write(connection, row, draft.body)
            self._place.require()
            connection.execute("COMMIT")
            self._known.see(row)
            if plain:
                self._lines.learn(row, draft.body)
            return row

    def chain(self, *, fresh: bool = True) -> HashChain:
        if not fresh and os.getpid() == self._process:
            return self._known.chain

        def caught_up(connection: sqlite3.Connection) -> HashChain:
            connection.execute("BEGIN")
            self._catch_up(connection)
            connection.execute("COMMIT")
            return self._known.chain

        return self._read(caught_up)

    def row(self, number: int) -> LedgerRow:
        previous = self._known.before(number)
        found = self._read(lambda connection: self._after(connection, number - 1, previous, 1))
        return self._known.same(number, found)

    def rows(self) -> Iterator[LedgerRow]:
        return all_rows(lambda *after: self._read(lambda held: self._after(held, *after)))

    def take(self, rows: Iterable[LedgerRow]) -> None:
        with self._alone():
            connection = self._connected()
            connection.execute("PRAGMA synchronous = FULL")
            self._durable = True
            connection.execute("BEGIN IMMEDIATE")
            self._catch_up(connection)
            lines = RowFormat()
            for row in beyond(rows, self._known.chain, self._place.path):
                if lines.write(connection, row, row.data()):
                    lines.learn(row, row.data())
            self._place.require()
            connection.execute("COMMIT")

    def now(self) -> str:
        return now()

    def close(self) -> None:
        with self._alone():
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    # -- one call at a time -----------------------------------------------------------------

    def _forget(self) -> None:
        self._process, self._lock = os.getpid(), threading.RLock()
        self._inside = False
        self._connection = None
        #: Whether the connection waits for the disk at each commit; None: not set yet.
        self._durable = None
        self._known.restart()
        self._lines = RowFormat()

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
                self._known.restart()
                self._lines = RowFormat()
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
        if not self._known.chain.hashes:  # a damaged page may look like one with fewer rows
            (state,) = connection.execute("PRAGMA quick_check(1)").fetchone()
            if state != "ok":
                raise unusable(self._place.path, "the file is damaged")
        self._known.catch_up(
            lambda number, previous, most: self._after(connection, number, previous, most, form)
        )

    def _after(
        self,
        connection: sqlite3.Connection,
        number: int,
        previous: str,
        most: int,
        form: int | None = None,
    ) -> list[LedgerRow]:
        form = format_of(connection, self._place.path) if form is None else form
        return list(self._lines.after(connection, number, previous, form, most))

    def _rolled_back(self) -> None:
        connection = self._connection
        if connection is not None and connection.in_transaction:
            try:
                connection.execute("ROLLBACK")
            except SQLITE:
                self._connection = None


def _keep(connection: sqlite3.Connection, place: LedgerPlace) -> None:
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


def consistent(path: str, action: Callable[[sqlite3.Connection], T]) -> T:
    """What an action reads in one state of a file.

    It is called again if the file changed meanwhile.

    Raises:
        sqlite3.Error, LedgerError: of the action, on a file that did not change.
    """
    for left in reversed(range(_TRIES)):
        before = _state(path)
        try:
            with read_only(path) as connection:
                found = action(connection)
        except (sqlite3.Error, UnicodeError, LedgerError):
            if not left or _state(path) == before:
                raise
        else:
            if not left or _state(path) == before:
                return found
    raise AssertionError("the last try returns or raises")


@contextmanager
def read_only(path: str) -> Iterator[sqlite3.Connection]:
    """A connection that changes nothing."""
    real = os.path.realpath(path)
    if not any(_size(real + suffix) for suffix in _TRAVEL):
        with _closing(_open_as(real, "immutable=1")) as connection:
            yield connection
            return
    shared = os.path.exists(real + "-shm") or os.path.exists(real + "-journal")
    beside = _open_beside(real) if shared else None
    if beside is not None:
        with _closing(beside):
            yield beside
        return
    with tempfile.TemporaryDirectory(prefix="metricdp-") as folder:
        copy = os.path.join(folder, "ledger")
        for suffix in ("", *_TRAVEL):
            if os.path.exists(real + suffix):
                shutil.copyfile(real + suffix, copy + suffix)
        with _closing(_open_as(copy, "mode=rw")) as connection:
            yield connection


def _open_beside(real: str) -> sqlite3.Connection | None:
    """A connection beside those of other processes; None where the folder does not allow it."""
    connection = _open_as(real, "mode=ro")
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        return None
    return connection


def _open_as(path: str, how: str) -> sqlite3.Connection:
    uri = f"file:{quote(os.fsencode(path))}?{how}"
    return sqlite3.connect(uri, uri=True, timeout=60, isolation_level=None)


@contextmanager
def _closing(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    try:
        yield connection
    finally:
        connection.close()


def _state(path: str) -> list[tuple[int, int] | None]:
    found: list[tuple[int, int] | None] = []
    for name in (path, *(path + suffix for suffix in _TRAVEL)):
        try:
            about = os.stat(name)
        except OSError:
            found.append(None)
        else:
            found.append((about.st_size, about.st_mtime_ns))
    return found


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
