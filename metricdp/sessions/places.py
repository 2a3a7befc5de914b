"""Where a ledger file lies: one regular file with one name, that stays where it was found.

SQLite follows the file that it opened, wherever its name goes.  A spend on a file that was moved,
deleted or replaced would be kept where nobody looks, so its identity is compared at every append.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import stat
from contextlib import suppress
from glob import escape, glob
from typing import Any

from metricdp.errors import LedgerError, ParameterError
from metricdp.sessions.formats import create

#: What SQLite raises; the second where its message quotes bytes of a damaged file.
SQLITE = (sqlite3.Error, UnicodeError)
#: Files that SQLite keeps beside a ledger while it is open.
_BESIDE = ("-wal", "-shm")
#: File systems over a network, as Linux calls them: shared memory between machines is none there.
_NETWORK = frozenset(
    ("nfs", "nfs4", "cifs", "smb3", "smbfs", "ncpfs", "afs", "ceph", "lustre", "gpfs", "beegfs",
     "glusterfs", "fuse.glusterfs", "fuse.sshfs", "fuse.s3fs", "9p")
)  # fmt: skip
_MOUNTS = "/proc/self/mounts"
#: How the address of a server begins.
SCHEMES = ("postgresql://", "postgres://")


def path_of(given: Any) -> str:
    """The path that was given, as text.

    Raises:
        ParameterError: no path, or a name under which SQLite keeps nothing.
    """
    if not isinstance(given, str | bytes | os.PathLike):
        raise ParameterError(
            f"a {type(given).__name__} is no path of a ledger",
            place="ledger",
            remedy='ledger="ledger.db"; ledger=None counts in memory',
        )
    path = os.fsdecode(given)
    if not path or path.startswith(":memory:") or "\0" in path:
        raise ParameterError(
            "no file is kept under this name",
            place="ledger",
            remedy='ledger="ledger.db"; ledger=None counts in memory',
        )
    return path


class LedgerPlace:
    """A ledger file and the files that SQLite keeps beside it.

    Args:
        path: see `path_of`.  It is read once, against the folder of this moment.
    """

    def __init__(self, path: str) -> None:
        self.path = os.path.abspath(path)
        self._real = os.path.realpath(self.path)
        self._main: tuple[int, int] | None = None
        self._beside: list[tuple[int, int] | None] = []

    def make(self) -> None:
        """Put an empty ledger there, whole from its first moment, unless there is a file.

        Raises:
            LedgerError: it cannot be made.
        """
        if os.path.exists(self.path):
            return
        real = os.path.realpath(self.path)
        draft = f"{real}.new-{secrets.token_hex(8)}"
        try:
            connection = sqlite3.connect(draft, isolation_level=None)
            try:
                connection.execute(f"PRAGMA journal_mode = {self.journal()}")
                connection.execute("PRAGMA synchronous = FULL")
                connection.execute("BEGIN IMMEDIATE")
                create(connection)
                connection.execute("COMMIT")
            finally:
                connection.close()
            _name(draft, real)
        except (OSError, *SQLITE) as error:
            raise unusable(self.path, _reason(error)) from None
        finally:
            for suffix in ("", *_BESIDE):
                with suppress(FileNotFoundError):
                    os.unlink(draft + suffix)

    def journal(self) -> str:
        """How SQLite keeps a transaction whole there: "wal" needs memory that processes share."""
        return "delete" if _file_system(self.path) in _NETWORK else "wal"

    def note(self) -> None:
        """Remember what lies there, once a new connection has it open.

        Raises:
            LedgerError: another file than the one that an earlier connection had open.
        """
        main = self.regular()
        if main is None or (self._main is not None and main != self._main):
            raise self._moved()
        self._real = os.path.realpath(self.path)
        self._main, self._beside = main, self._side_files()

    def require(self) -> None:
        """Raises LedgerError unless what was noted, if anything, lies there still."""
        if self._main is None:
            return
        if self.regular() != self._main or self._side_files() != self._beside:
            raise self._moved()

    def _moved(self) -> LedgerError:
        return LedgerError(
            "the file was moved, removed or replaced while the ledger was open",
            place=self.path,
            remedy="open the file that the rows are in; what was spent before counts on",
        )

    def _side_files(self) -> list[tuple[int, int] | None]:
        return [_identity(self._real + suffix) for suffix in _BESIDE]

    def regular(self) -> tuple[int, int] | None:
        """Device and number of the file; None if there is none.

        Raises:
            LedgerError: something else lies there, or a file with two names.
        """
        try:
            found = os.stat(self.path)
        except (OSError, ValueError):
            return None
        if not stat.S_ISREG(found.st_mode):
            raise unusable(self.path, "it is no file")
        if found.st_nlink > 1:
            # Of a process that was stopped while it made the file: see `_name`.
            for draft in glob(escape(os.path.realpath(self.path)) + ".new-*"):
                if _identity(draft) == (found.st_dev, found.st_ino):
                    os.unlink(draft)
            if os.stat(self.path).st_nlink > 1:
                raise LedgerError(
                    "the file has a second name (a hard link), and SQLite would keep two journals",
                    place=self.path,
                    remedy="remove the other name, or use a symbolic link",
                )
        return found.st_dev, found.st_ino


def unusable(path: str, fact: str) -> LedgerError:
    """An error about a file as a whole."""
    remedy = "give the path of a ledger file, in a folder that can be written"
    if "locked" in fact:
        remedy = "another process writes it for longer than a minute: try again when it is done"
    return LedgerError(f"the ledger cannot be used: {fact}", place=path, remedy=remedy)


def _name(draft: str, path: str) -> None:
    """Give a finished file its name, unless another process was first, and keep it on the disk."""
    try:
        os.link(draft, path)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links: whoever makes the empty file is first
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except FileExistsError:
            return
        os.replace(draft, path)
    else:
        os.unlink(draft)
    if hasattr(os, "O_DIRECTORY"):
        folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _identity(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


def _file_system(path: str) -> str:
    """The type of the file system under a path; "" where the system does not tell."""
    try:
        with open(_MOUNTS, encoding="utf-8", errors="surrogateescape") as lines:
            mounts = [line.split()[1:3] for line in lines]
    except OSError:
        return ""
    real, found = os.path.realpath(path), ("", "")
    for point, kind in mounts:
        point = point.replace("\\040", " ")
        inside = real == point or real.startswith(point.rstrip("/") + "/")
        if inside and len(point) >= len(found[0]):
            found = (point, kind)
    return found[1]


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)
