"""Rows of a ledger attacked: changed, cut, forged, of another kind, of another format."""

from __future__ import annotations

import sqlite3
import zlib
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from ledgers import ask, forced, opened, refused

import metricdp as dp
from metricdp.errors import LedgerError, MetricdpError
from metricdp.sessions.chain import GENESIS, LedgerRow, chained
from metricdp.sessions.encoding import canonical

FORMAT_1 = (
    "CREATE TABLE ledger (number INTEGER PRIMARY KEY, dataset TEXT NOT NULL, "
    "kind TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, previous TEXT NOT NULL UNIQUE, "
    "hash TEXT NOT NULL UNIQUE)",
    "CREATE INDEX by_dataset ON ledger (dataset, number)",
    "CREATE TRIGGER no_delete BEFORE DELETE ON ledger BEGIN SELECT RAISE(ABORT, 'no'); END",
)


# -- rows that this version did not write ------------------------------------------------------


def stored(path: Path, rows: list[LedgerRow]) -> None:
    """A ledger of rows whose hashes are right."""
    opened(path)
    inserts: list[Any] = []
    for row in rows:
        line = zlib.compress(canonical([row.dataset, row.kind, row.key, row.body]).encode())
        values = (row.number, 0, line, bytes.fromhex(row.hash))
        inserts.append(("INSERT INTO ledger VALUES (?, ?, ?, ?)", values))
    forced(path, "DELETE FROM ledger", *inserts)


OPENED = {"limits": {"epsilon": "1"}, "total": {"epsilon": "0"}}
PAID = {"cost": {"epsilon": "1/2"}, "total": {"epsilon": "1/2"}}
LIES: list[Any] = [
    ("bonus", PAID), ("", PAID), ("spend", []), ("spend", None), ("spend", {}), ("spend", 5),
    ("spend", {**PAID, "cost": {"epsilon": 5}}), ("spend", {**PAID, "cost": {"rho": "1/2"}}),
    ("spend", {**PAID, "cost": {"epsilon": "1/0"}}), ("spend", {**PAID, "cost": {}}),
    ("spend", {**PAID, "cost": {"epsilon": "1e999999999"}}), ("spend", {**PAID, "cost": "1/2"}),
    ("spend", {**PAID, "cost": {"epsilon": "nan"}}), ("spend", {**PAID, "total": None}),
    ("spend", {"cost": {"epsilon": "3/2"}, "total": {"epsilon": "3/2"}}),
    ("spend", {"cost": {"epsilon": "9" * 5000}, "total": {"epsilon": "0"}}),
    ("release", {}), ("release", {"spend": 2, "release": None}),
    ("release", {"spend": "1", "release": None}), ("release", {"spend": 7, "release": {}}),
    ("open", OPENED), ("open", {"limits": {}, "total": {}}),
]  # fmt: skip


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: ascii(lie)[:60])
def test_rows_with_right_hashes_that_say_what_no_ledger_says(tmp_path: Path, lie: Any) -> None:
    kind, body = lie
    first = chained(1, "rows", "open", "", OPENED, GENESIS)
    path = tmp_path / "ledger.db"
    stored(path, [first, chained(2, "rows", kind, "", body, first.hash)])
    with pytest.raises(LedgerError, match="row 2") as caught:
        dp.Ledger(path)
    if kind == "bonus":
        assert "'bonus'" in str(caught.value)
        assert "version" in str(caught.value)


RELEASES: list[Any] = [
    {}, {"draws": 5}, {"draws": [], "about": None, "value": {"array": [1], "dtype": "?!"}},
    {"draws": [{}], "about": None}, {"draws": [], "about": {"items": [[1]]}, "function": "f"},
    {"value": 1, "draws": [], "about": None, "colour": 2, "function": "f"},
]  # fmt: skip


@pytest.mark.parametrize("release", RELEASES, ids=lambda r: ascii(r)[:60])
def test_a_release_that_is_none_is_a_typed_error(tmp_path: Path, release: Any) -> None:
    first = chained(1, "rows", "open", "", OPENED, GENESIS)
    second = chained(2, "rows", "spend", "k", PAID, first.hash)
    third = chained(3, "rows", "release", "k", {"spend": 2, "release": release}, second.hash)
    path = tmp_path / "ledger.db"
    stored(path, [first, second, third])
    with pytest.raises(LedgerError, match="row 3"):
        dp.Ledger(path).answer("rows", "k")
    str(dp.Ledger(path))


def test_values_of_other_kinds_in_every_column(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    ask(opened(path))
    whole = list(dp.Ledger(path).rows())
    kinds: list[Any] = ["text", "\ud800".encode("utf-8", "surrogatepass"), 5, 2.5, b"", b"\0" * 32]
    for column in ("pattern", "line", "hash"):
        for value in kinds:
            plain = sqlite3.connect(path, isolation_level=None)
            (old,) = plain.execute(f"SELECT {column} FROM ledger WHERE number = 2").fetchone()
            plain.close()
            if old != value:
                forced(path, (f"UPDATE ledger SET {column} = ? WHERE number = 2", (value,)))
                for create in (True, False):
                    with pytest.raises(LedgerError, match="row 2"):
                        dp.Ledger(path, create=create)
                forced(path, (f"UPDATE ledger SET {column} = ? WHERE number = 2", (old,)))
    assert list(dp.Ledger(path).rows()) == whole


def test_a_damaged_message_of_sqlite_is_a_typed_error(tmp_path: Path) -> None:
    """It quotes the bytes that it found, which need not be a text."""
    path = tmp_path / "ledger.db"
    opened(path)
    text = path.read_bytes()
    at = text.index(b"DELETE ON ledger")
    path.write_bytes(text[:at] + b"DEL\xef\xb2E" + text[at + 6 :])
    for create in (True, False):
        with pytest.raises(LedgerError, match="damaged"):
            dp.Ledger(path, create=create)
    at = text.index(b"PRIMARY")
    path.write_bytes(text[:at] + b"T" + text[at + 1 :])  # one bit: every number would be missing
    for create in (True, False):
        with pytest.raises(LedgerError, match="no ledger"):
            dp.Ledger(path, create=create)


def test_a_flipped_bit_anywhere_in_the_file_is_found_or_says_the_same(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    session = opened(path)
    for scale in range(100, 120):
        ask(session, scale)
    whole = list(session.ledger.rows())
    del session
    plain = sqlite3.connect(path)
    plain.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    plain.close()
    good, copy, found = path.read_bytes(), tmp_path / "copy.db", 0
    spots = [*range(130), *range(4096, 4144), *range(3, len(good), 151)]  # headers, every page
    for at in spots:
        bad = bytearray(good)
        bad[at] ^= 1 << at % 8
        copy.write_bytes(bad)
        try:
            assert list(dp.Ledger(copy, create=False).rows()) == whole
        except LedgerError:
            found += 1
    assert found > 120
    for length in range(0, len(good), 509):  # and cut off anywhere
        copy.write_bytes(good[:length])
        with pytest.raises(LedgerError):
            dp.Ledger(copy, create=False)


# -- formats ------------------------------------------------------------------------------------


def first_format(path: Path) -> list[LedgerRow]:
    """A file of the first format, as earlier versions wrote it."""
    session = opened(None)
    ask(session, 100)
    ask(session, 200)
    rows, previous = [], GENESIS
    for row in session.ledger.rows():
        body = row.data()
        body.setdefault("total", rows[-1].data()["total"] if rows else {})
        body.pop("ledger", None)
        rows.append(chained(row.number, "rows", row.kind, row.key, body, previous))
        previous = rows[-1].hash
    plain = sqlite3.connect(path, isolation_level=None)
    plain.execute("PRAGMA journal_mode = WAL")
    for statement in FORMAT_1:
        plain.execute(statement)
    for row in rows:
        values = [getattr(row, field) for field in row.__struct_fields__]
        plain.execute("INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?, ?)", values)
    plain.close()
    return rows


def test_a_file_of_the_first_format_is_read_as_it_is_and_written_in_the_present_one(
    tmp_path: Path,
) -> None:
    path = tmp_path / "ledger.db"
    rows = first_format(path)
    before = path.read_bytes()
    read = dp.Ledger(path, create=False)
    assert list(read.rows()) == rows
    assert read.verify(rows[2].hash) == 5
    assert path.read_bytes() == before
    session = opened(path)
    assert list(session.ledger.rows()) == rows, "the same rows and hashes"
    assert session.left() == {"epsilon": Fraction(97, 10)}
    assert ask(session, 100).value == ask(session, 100).value
    assert session.left() == {"epsilon": Fraction(97, 10)}, "answers are found again"
    ask(session, 400)
    assert session.ledger.verify(rows[-1].hash) == 7
    assert list(read.rows())[:5] == rows, "a ledger that was open reads on"
    assert path.stat().st_size


def test_earlier_versions_refuse_the_present_format(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    first_format(path)
    old = sqlite3.connect(path, isolation_level=None)  # as an earlier version has it open
    old.execute("SELECT number, dataset, kind, key, body, previous, hash FROM ledger").fetchall()
    ask(opened(path), 400)
    with pytest.raises(sqlite3.Error):
        old.execute("SELECT number, dataset, kind, key, body, previous, hash FROM ledger")
    with pytest.raises(sqlite3.Error):
        old.execute("INSERT INTO ledger VALUES (8, 'rows', 'spend', '', '{}', '', '')")
    with pytest.raises(sqlite3.Error):
        old.execute("CREATE INDEX IF NOT EXISTS by_dataset ON ledger (dataset, number)")
    assert dp.Ledger(path).verify() == 7


def test_a_newer_format_is_refused_also_under_an_open_session(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    session = opened(path)
    ask(session)
    forced(path, "PRAGMA user_version = 3")
    refused(session, "format 3")
    for create in (True, False):
        with pytest.raises(LedgerError, match="format 3"):
            dp.Ledger(path, create=create)


def test_errors_are_typed_for_whatever_is_done_to_the_file(tmp_path: Path) -> None:
    """Rows dropped, doubled, reordered: nothing but errors of ours."""
    path = tmp_path / "ledger.db"
    session = opened(path)
    for scale in (100, 200, 300):
        ask(session, scale)
    plain = sqlite3.connect(path)
    rows = plain.execute("SELECT * FROM ledger ORDER BY number").fetchall()
    plain.close()
    orders = [rows[1:], rows[:3] + rows[4:], rows[::-1], rows + rows[-1:], rows[:1] + rows[2:3],
              [*rows[:3], rows[4], rows[3], *rows[5:]], [rows[0], rows[0], *rows[1:]]]  # fmt: skip
    for i, order in enumerate(orders):
        copy = tmp_path / f"copy{i}.db"
        opened(copy)
        inserts = [
            ("INSERT INTO ledger VALUES (?, ?, ?, ?)", (number, *row[1:]))
            for number, row in enumerate(order, 1)
        ]
        forced(copy, "DELETE FROM ledger", *inserts)
        with pytest.raises(LedgerError, match=r"row \d"):
            dp.Ledger(copy)
        with pytest.raises(MetricdpError):
            opened(copy)
