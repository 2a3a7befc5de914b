"""How rows lie in a SQLite file: the format that is written, and those that are read.

The number of the format is SQLite's `user_version`.  Format 1 (0 in the file, which had no number)
kept every field of a row as text.  Format 2 keeps a row as its fields in one JSON array, compressed
with the row that it resembles most (the first one of its kind and name) as a dictionary, since most
rows repeat most of an earlier one.  Rows and hashes are the same in both, so a head that was noted
is found in either.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from metricdp.errors import LedgerError
from metricdp.sessions.chain import GENESIS, RELEASE, HashChain, LedgerRow, broken
from metricdp.sessions.encoding import canonical

#: The format that this version writes.
FORMAT = 2
#: Rows that others are compressed with: what does not resemble one of so many is kept plain.
_PATTERNS = 256
#: How far back compression looks.
_WINDOW = 1 << 15
#: In the second byte of a compressed row.
_NEEDS_DICTIONARY = 0x20
_COLUMNS = {
    1: ["number", "dataset", "kind", "key", "body", "previous", "hash"],
    2: ["number", "pattern", "line", "hash"],
}
_TABLES = {
    1: "CREATE TABLE ledger (number INTEGER PRIMARY KEY, dataset TEXT NOT NULL, "
    "kind TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, previous TEXT NOT NULL UNIQUE, "
    "hash TEXT NOT NULL UNIQUE)",
    2: "CREATE TABLE ledger (number INTEGER PRIMARY KEY, pattern INTEGER NOT NULL, "
    "line BLOB NOT NULL, hash BLOB NOT NULL)",
}
_SCHEMA = (
    _TABLES[FORMAT],
    "CREATE TRIGGER no_update BEFORE UPDATE ON ledger "
    "BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END",
    "CREATE TRIGGER no_delete BEFORE DELETE ON ledger "
    "BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END",
    f"PRAGMA user_version = {FORMAT}",
)


def format_of(connection: sqlite3.Connection, path: str) -> int:
    """The format of a file.

    Raises:
        LedgerError: a newer one, or a file that is no ledger.
    """
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    query = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'ledger'"
    table = connection.execute(query).fetchone()
    if version > FORMAT and table:
        raise LedgerError(
            f"the ledger has format {version}, and this version reads formats up to {FORMAT}",
            place=path,
            remedy="open it with the version of metricdp that wrote it, or a later one",
        )
    found = version or 1
    # Word for word: a table that was declared otherwise numbers its rows otherwise.
    if table is None or table[0] != _TABLES.get(found):
        raise LedgerError(
            "the file is no ledger", place=path, remedy="give the path of a ledger file"
        )
    return found


def create(connection: sqlite3.Connection) -> None:
    """The table of the present format, in an empty database."""
    for statement in _SCHEMA:
        connection.execute(statement)


def migrate(connection: sqlite3.Connection, path: str) -> None:
    """Bring a file of an older format into the present one: the same rows, with their hashes.

    It is called within a transaction, so the file has one format or the other.

    Raises:
        LedgerError: a row that is not whole; see `format_of`.
    """
    form = format_of(connection, path)
    if form == FORMAT:  # another process was first
        return
    chain, rows = HashChain(), list(RowFormat().after(connection, 0, GENESIS, form))
    connection.execute("DROP TABLE ledger")
    create(connection)
    lines = RowFormat()
    for row in rows:
        chain.add(row)
        body = row.data()
        if lines.write(connection, row, body):
            lines.learn(row, body)


class RowFormat:
    """Rows as a connection reads and writes them."""

    def __init__(self) -> None:
        #: What a row resembles -> number of the row, kept plain, that it is compressed with.
        self._patterns: dict[tuple[str, str, str], int] = {}
        self._texts: dict[int, bytes] = {}

    def after(
        self, connection: sqlite3.Connection, number: int, previous: str, form: int, most: int = -1
    ) -> Iterator[LedgerRow]:
        """Rows beyond one, in order.

        Args:
            previous: hash of that row.
            form: format of the file, see `format_of`.
            most: how many; -1: all.

        Raises:
            LedgerError: a row that is none; whether the others are whole is for a chain to say.
        """
        columns = ", ".join(_COLUMNS[form])
        found = connection.execute(
            f"SELECT {columns} FROM ledger WHERE number > ? ORDER BY number LIMIT ?",
            (number, most),
        )
        for values in found:
            row = _first(values) if form == 1 else self._second(connection, values, previous)
            previous = row.hash
            yield row

    def write(
        self, connection: sqlite3.Connection, row: LedgerRow, body: Mapping[str, Any]
    ) -> bool:
        """Insert a row that follows the last one; whether it was kept plain."""
        pattern = self._patterns.get(_likeness(row, body), 0)
        text = canonical([row.dataset, row.kind, row.key, row.body]).encode("ascii")
        packer = zlib.compressobj(zdict=self._dictionary(connection, pattern, row.number))
        packed = packer.compress(text) + packer.flush()
        values = (row.number, pattern, packed, bytes.fromhex(row.hash))
        connection.execute("INSERT INTO ledger VALUES (?, ?, ?, ?)", values)
        return not pattern

    def learn(self, row: LedgerRow, body: Mapping[str, Any]) -> None:
        """Note a row that is kept plain and stays: later ones may be compressed with it."""
        if len(self._patterns) < _PATTERNS:
            self._patterns.setdefault(_likeness(row, body), row.number)

    def _second(self, connection: sqlite3.Connection, values: Any, previous: str) -> LedgerRow:
        number, pattern, packed, stored = values
        if [type(value) for value in values] != [int, int, bytes, bytes]:
            raise _unreadable(number)
        fields = _loaded(number, self._unpacked(connection, number, pattern, packed))
        if not isinstance(fields, list) or [type(field) for field in fields] != [str] * 4:
            raise _unreadable(number)
        dataset, kind, key, text = fields
        row = LedgerRow(number, dataset, kind, key, text, previous, stored.hex())
        if not pattern:
            body = _loaded(number, row.body)
            self.learn(row, body if isinstance(body, dict) else {})
        return row

    def _unpacked(
        self, connection: sqlite3.Connection, number: int, pattern: int, packed: bytes
    ) -> bytes:
        # A stream says whether it needs a dictionary, and reads without one ignore what is given.
        if len(packed) < 2 or bool(packed[1] & _NEEDS_DICTIONARY) is not bool(pattern):
            raise _unreadable(number)
        unpacker = zlib.decompressobj(zdict=self._dictionary(connection, pattern, number))
        try:
            text = unpacker.decompress(packed)
        except zlib.error:
            raise _unreadable(number) from None
        if not unpacker.eof or unpacker.unused_data:
            raise _unreadable(number)
        return text

    def _dictionary(self, connection: sqlite3.Connection, pattern: int, number: int) -> bytes:
        """The end of the plain row that a row is compressed with; of no row, nothing."""
        if not pattern:
            return b""
        found = self._texts.get(pattern)
        if found is None:
            query = "SELECT line FROM ledger WHERE number = ? AND pattern = 0"
            values = connection.execute(query, (pattern,)).fetchone()
            if values is None or type(values[0]) is not bytes:
                raise _unreadable(number)
            text = self._unpacked(connection, number, 0, values[0])
            found = self._texts[pattern] = text[-_WINDOW:]
        return found


def _first(values: Any) -> LedgerRow:
    if [type(value) for value in values] != [int, *[str] * 6]:
        raise _unreadable(values[0])
    return LedgerRow(*values)


def _likeness(row: LedgerRow, body: Mapping[str, Any]) -> tuple[str, str, str]:
    """Rows of one data set, kind and name resemble each other."""
    if row.kind != RELEASE:
        return row.dataset, row.kind, str(body.get("name"))
    release = body.get("release")
    name = release.get("function") if isinstance(release, dict) else None
    return row.dataset, row.kind, str(name)


def _loaded(number: int, text: str | bytes) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise _unreadable(number) from None


def _unreadable(number: int) -> LedgerError:
    return broken(number, "cannot be read: its place holds something else")
