"""Rows on a PostgreSQL server that hosts share.

One transaction holds a lock that all writers ask for, reads what others appended, decides by the
server's clock and writes; the number of a row is its primary key, so that even writers who ignored
the lock could not both append the same one.  Read committed is enough, since what is decided on was
read after the lock was granted.  A transaction whose commit was not confirmed raises: then no data
are read, and if it was written all the same, the spend stands.
"""

from __future__ import annotations

import json
import os
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from metricdp.errors import LedgerError, MetricdpError, MissingExtraError, ParameterError
from metricdp.sessions.chain import HashChain, LedgerRow, broken
from metricdp.sessions.encoding import canonical
from metricdp.sessions.followed import Followed, all_rows
from metricdp.sessions.stores import Decide, beyond, placed

T = TypeVar("T")
#: Of the lock that writers hold, the same in every version: the words "metricdp" in eight bytes.
_LOCK = int.from_bytes(b"metricdp", "big")
#: What the table says of itself.
_FORMAT = "a ledger of metricdp, format 1"
_COLUMNS = [("number", "bigint"), ("line", "text"), ("hash", "bytea")]
_SCHEMA = f"""
CREATE SCHEMA IF NOT EXISTS metricdp;
CREATE TABLE metricdp.ledger (
    number bigint PRIMARY KEY CHECK (number > 0), line text NOT NULL, hash bytea NOT NULL
);
COMMENT ON TABLE metricdp.ledger IS '{_FORMAT}';
CREATE FUNCTION metricdp.keep() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'a ledger is append-only'; END $$;
CREATE TRIGGER keep BEFORE UPDATE OR DELETE OR TRUNCATE ON metricdp.ledger
    FOR EACH STATEMENT EXECUTE FUNCTION metricdp.keep();
"""
#: Waits for other writers, and is ended by the server where this process stops in the middle.
_BEGIN = f"""
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SET LOCAL lock_timeout = '60s';
SET LOCAL idle_in_transaction_session_timeout = '60s';
SELECT pg_advisory_xact_lock({_LOCK});
"""
#: A spend is on the disk before data are read, and on that of a standby that is waited for.
_DURABLE = """
SELECT set_config('synchronous_commit', 'on', true)
WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')
"""
_LATER = "SET LOCAL synchronous_commit = off"
_NOW = """SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"+00:00"')"""
_AFTER = "SELECT number, line, hash FROM ONLY metricdp.ledger WHERE number > %s ORDER BY 1 LIMIT %s"
_INSERT = "INSERT INTO metricdp.ledger VALUES (%s, %s, %s) RETURNING number, line, hash"
#: Kind, persistence, comment and columns of the table; no line where there is none.
_ABOUT = """
SELECT c.relkind::text, c.relpersistence::text, obj_description(c.oid, 'pg_class'),
    (SELECT json_agg(json_build_array(a.attname, format_type(a.atttypid, a.atttypmod))
                     ORDER BY a.attnum)
     FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
    current_setting('fsync')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'metricdp' AND c.relname = 'ledger'
"""


class Server:
    """Rows in the table `metricdp.ledger` of a database; a database has one ledger.

    Every process has a connection and a chain of its own: none is carried over a fork.

    Args:
        address: "postgresql://host/database"; what it leaves out comes from PGHOST, PGUSER,
            PGPASSWORD or a file of passwords, as in every program that asks PostgreSQL.
        create: make the table if it is missing.

    Attributes:
        name: the address without a password.

    Raises:
        MissingExtraError: psycopg is not installed.
        LedgerError: no server, no ledger, or one whose rows are not whole.
    """

    def __init__(self, address: str, *, create: bool = True) -> None:
        self._psycopg = _driver()
        self._address = address
        self.name = _shown(self._psycopg, address)
        self._known = Followed(self.name)
        self._held: list[Any] = []
        weakref.finalize(self, _closed, self._held, os.getpid())
        self._forget()
        if create:
            with self._alone():
                self._made()
        self.chain()

    def append(self, dataset: str, decide: Decide, *, durable: bool = True) -> LedgerRow | None:
        with self._alone():
            connection = self._begun()
            connection.execute(_DURABLE if durable else _LATER)
            self._caught_up(connection)
            draft = decide(self._known.chain.accounts.get(dataset), _time(connection))
            if draft is None:
                connection.execute("ROLLBACK")
                return None
            row = placed(draft, self._known.chain)
            _write(connection, row)
            connection.execute("COMMIT")
            self._known.see(row)
            return row

    def chain(self, *, fresh: bool = True) -> HashChain:
        if not fresh and os.getpid() == self._process:
            return self._known.chain

        def caught_up(connection: Any) -> HashChain:
            self._caught_up(connection)
            return self._known.chain

        return self._read(caught_up)

    def row(self, number: int) -> LedgerRow:
        previous = self._known.before(number)
        found = self._read(lambda connection: _after(connection, number - 1, previous, 1))
        return self._known.same(number, found)

    def rows(self) -> Iterator[LedgerRow]:
        return all_rows(lambda *after: self._read(lambda held: _after(held, *after)))

    def take(self, rows: Iterable[LedgerRow]) -> None:
        with self._alone():
            connection = self._begun()
            connection.execute(_DURABLE)
            self._caught_up(connection)
            for row in beyond(rows, self._known.chain, self.name):
                _write(connection, row)
            connection.execute("COMMIT")

    def now(self) -> str:
        return self._read(_time)

    def close(self) -> None:
        with self._alone():
            while self._held:
                self._held.pop().close()

    # -- one call at a time -----------------------------------------------------------------

    def _forget(self) -> None:
        self._process, self._lock = os.getpid(), threading.RLock()
        self._inside = False
        _LEFT.extend(self._held)  # closing them would end those of the process that forked
        self._held.clear()
        self._known.restart()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if os.getpid() != self._process:
            self._forget()
        with self._lock:
            if self._inside:
                raise LedgerError("a call to the ledger is not finished", place=self.name,
                                  remedy="ask after it, not from within it")  # fmt: skip
            self._inside = True
            try:
                yield
            except self._psycopg.Error as error:
                raise self._unusable(error) from None
            except MetricdpError:
                raise
            except BaseException:  # an interrupt may have come between two halves of a step
                self._known.restart()
                self._dropped()
                raise
            finally:
                self._inside = False
                self._rolled_back()

    def _read(self, action: Callable[[Any], T]) -> T:
        with self._alone():
            return self._retried(action)

    # -- inside of it -----------------------------------------------------------------------

    def _connected(self) -> Any:
        if not self._held:
            # No statement is prepared: a pooler may give every transaction another session.
            connection = self._psycopg.connect(
                self._address, autocommit=True, prepare_threshold=None,
                application_name="metricdp ledger", connect_timeout=10, client_encoding="utf8",
            )  # fmt: skip
            self._held.append(connection)
        return self._held[0]

    def _retried(self, action: Callable[[Any], T]) -> T:
        """What an action that writes nothing gives; once more if the connection was lost."""
        known = bool(self._held)
        connection = self._connected()
        try:
            return action(connection)
        except self._psycopg.Error:
            if not (known and connection.broken):
                raise
        self._dropped()
        return action(self._connected())

    def _begun(self) -> Any:
        self._retried(lambda connection: connection.execute(_BEGIN))
        return self._held[0]

    def _made(self) -> None:
        """Make the table unless there is one; who may only read and append need not make it."""
        if self._retried(lambda connection: connection.execute(_ABOUT).fetchone()) is not None:
            return
        connection = self._begun()
        if connection.execute(_ABOUT).fetchone() is None:
            connection.execute(_SCHEMA)
        connection.execute("COMMIT")

    def _caught_up(self, connection: Any) -> None:
        found = connection.execute(_ABOUT).fetchone()
        if found is None:
            raise LedgerError("there is no ledger in this database", place=self.name,
                              remedy="give the address of the database that has it")  # fmt: skip
        kind, persistence, comment, columns, fsync = found
        if (kind, comment) != ("r", _FORMAT) or list(map(tuple, columns)) != _COLUMNS:
            raise LedgerError("the table metricdp.ledger is no ledger of this version",
                              place=self.name,
                              remedy="open it with the version that wrote it")  # fmt: skip
        if persistence != "p" or fsync != "on":
            raise LedgerError("the server would lose spends when its power is cut",
                              place=self.name,
                              remedy="fsync = on, and a table that is logged")  # fmt: skip
        self._known.catch_up(lambda *where: _after(connection, *where))

    def _dropped(self) -> None:
        while self._held:
            with suppress(Exception):
                self._held.pop().close()

    def _rolled_back(self) -> None:
        for connection in self._held[:1]:
            if connection.closed:
                self._held.clear()
            elif connection.info.transaction_status != 0:  # something was begun
                try:
                    connection.execute("ROLLBACK")
                except self._psycopg.Error:
                    self._dropped()

    def _unusable(self, error: Any) -> LedgerError:
        # The first line alone: others may quote rows.
        told = error.diag.message_primary or str(error).partition("\n")[0] or type(error).__name__
        remedy = "see that the server runs, and that this user may read and append"
        if isinstance(error, self._psycopg.errors.LockNotAvailable):
            remedy = "other hosts write for longer than a minute: try again when they are done"
        return LedgerError(f"the ledger cannot be used: {told}", place=self.name, remedy=remedy)


#: Connections of processes that forked.
_LEFT: list[Any] = []


def _closed(held: list[Any], process: int) -> None:
    if os.getpid() == process:
        while held:
            with suppress(Exception):
                held.pop().close()


def _driver() -> Any:
    try:
        import psycopg
    except ImportError:
        raise MissingExtraError(
            "psycopg is not installed", remedy="pip install 'metricdp[postgres]'"
        ) from None
    return psycopg


def _shown(psycopg: Any, address: str) -> str:
    """An address without its password; what cannot be read is not shown, since it may hold one."""
    try:
        known = psycopg.conninfo.conninfo_to_dict(address)
    except psycopg.Error:
        raise ParameterError(
            "this is no address of a server", place="ledger",
            remedy='ledger="postgresql://host/database"',
        ) from None  # fmt: skip
    user = f"{known['user']}@" if known.get("user") else ""
    port = f":{known['port']}" if known.get("port") else ""
    return f"postgresql://{user}{known.get('host', '')}{port}/{known.get('dbname', '')}"


def _time(connection: Any) -> str:
    (found,) = connection.execute(_NOW).fetchone()
    return str(found)


def _after(connection: Any, number: int, previous: str, most: int) -> list[LedgerRow]:
    found = []
    for at, line, stored in connection.execute(_AFTER, (number, most)).fetchall():
        row = _read_row(at, line, previous, bytes(stored).hex())
        previous = row.hash
        found.append(row)
    return found


def _read_row(number: int, line: str, previous: str, stored: str) -> LedgerRow:
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        fields = None
    if not isinstance(fields, list) or [type(field) for field in fields] != [str] * 4:
        raise broken(number, "cannot be read: its place holds something else")
    dataset, kind, key, body = fields
    return LedgerRow(number, dataset, kind, key, body, previous, stored)


def _write(connection: Any, row: LedgerRow) -> None:
    # Text of ASCII alone, so that a server keeps it whatever its encoding is.
    line = canonical([row.dataset, row.kind, row.key, row.body])
    values = (row.number, line, bytes.fromhex(row.hash))
    written = connection.execute(_INSERT, values).fetchall()
    if [(at, text, bytes(stored)) for at, text, stored in written] != [values]:
        raise LedgerError("the server wrote something else", place="ledger",
                          remedy="take away the rules and triggers on metricdp.ledger")  # fmt: skip
