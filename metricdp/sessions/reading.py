"""Reading a ledger file without writing anything beside it, also from media that are read-only.

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
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar
from urllib.parse import quote

from metricdp.errors import LedgerError

T = TypeVar("T")
#: What SQLite keeps beside a file, and what must travel with it.
_KEPT = ("-wal", "-journal")
_TRIES = 3


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
    if not any(_size(real + suffix) for suffix in _KEPT):
        with _closing(_connected(real, "immutable=1")) as connection:
            yield connection
            return
    shared = os.path.exists(real + "-shm") or os.path.exists(real + "-journal")
    beside = _opened(real) if shared else None
    if beside is not None:
        with _closing(beside):
            yield beside
        return
    with tempfile.TemporaryDirectory(prefix="metricdp-") as folder:
        copy = os.path.join(folder, "ledger")
        for suffix in ("", *_KEPT):
            if os.path.exists(real + suffix):
                shutil.copyfile(real + suffix, copy + suffix)
        with _closing(_connected(copy, "mode=rw")) as connection:
            yield connection


def _opened(real: str) -> sqlite3.Connection | None:
    """A connection beside those of other processes; None where the folder does not allow it."""
    connection = _connected(real, "mode=ro")
    try:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        return None
    return connection


def _connected(path: str, how: str) -> sqlite3.Connection:
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
    for name in (path, *(path + suffix for suffix in _KEPT)):
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
