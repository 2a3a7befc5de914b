"""Ledger files attacked: names, places that keep nothing, files that move, and read-only media."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from ledgers import ask, forced, opened, refused

import metricdp as dp
from metricdp.errors import LedgerError, ParameterError

# -- names -------------------------------------------------------------------------------------


class Name(str):
    """A text that says something else of itself."""

    __slots__ = ()

    def __str__(self) -> str:
        return "another"

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 1


NAMES: list[Any] = [
    5, b"rows", ["rows"], object(), True, 2.5, "", "a\0b", "a\nb", "\ud800", "a\u202eb", " rows",
    "rows ", "a\u2028b", "e\u0301", "x" * 201, "\u200e", "a\x1b[31mb",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_a_name_that_is_no_plain_text_is_refused_and_harms_nobody(
    tmp_path: Path, name: Any
) -> None:
    path = tmp_path / "ledger.db"
    ask(opened(path))
    with pytest.raises(ParameterError, match="name"):
        opened(path, dataset=name)
    with pytest.raises(ParameterError, match="name"):
        dp.Ledger(path).open(name, dp.Budget(epsilon=1), {})
    assert dp.Ledger(path).verify() == 3
    ask(opened(path), 200)


@pytest.mark.parametrize("name", ["שורות", "visits 2026", "été", "🙂", "x" * 200, "a/b:c"])
def test_names_of_every_script_are_kept(tmp_path: Path, name: str) -> None:
    path = tmp_path / "ledger.db"
    ask(opened(path, dataset=name))
    ask(opened(path, dataset=Name(name)))
    assert list(dp.Ledger(path)._store.chain().accounts) == [name]
    assert name in str(dp.Ledger(path))


# -- places that keep nothing --------------------------------------------------------------------


@pytest.mark.parametrize("path", ["", ":memory:", b"", 5, 2.5, "a\0b", [], True], ids=ascii)
def test_a_path_under_which_nothing_is_kept_is_refused(path: Any) -> None:
    with pytest.raises(ParameterError, match="ledger=None counts in memory"):
        opened(path)
    with pytest.raises(ParameterError):
        dp.Ledger(path)


def test_what_is_no_ledger_is_refused_and_stays_as_it_was(tmp_path: Path) -> None:
    for name, text in (("empty", b""), ("text", b"no ledger" * 99), ("short", b"SQLite format 3")):
        (tmp_path / name).write_bytes(text)
    plain = sqlite3.connect(tmp_path / "other")
    plain.execute("CREATE TABLE people (name)")
    plain.close()
    plain = sqlite3.connect(tmp_path / "alike")
    plain.execute("CREATE TABLE ledger (number, amount)")
    plain.close()
    for name in ("empty", "text", "short", "other", "alike"):
        path = tmp_path / name
        before = path.read_bytes()
        for create in (True, False):
            with pytest.raises(LedgerError):
                dp.Ledger(path, create=create)
        assert path.read_bytes() == before, name
        assert not Path(f"{path}-wal").exists()
    for path in (tmp_path, Path(os.devnull), tmp_path / "no" / "folder.db"):
        with pytest.raises(LedgerError):
            opened(path)
    with pytest.raises(LedgerError, match="no such file"):
        dp.Ledger(tmp_path / "none", create=False)


# -- files that move under a session -------------------------------------------------------------


def away(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))


def copied(path: Path) -> None:
    shutil.copy(path, path.with_name("copy"))
    path.with_name("copy").replace(path)


def replaced(path: Path) -> None:
    opened(path.with_name("new"))
    path.with_name("new").replace(path)


def folder(path: Path) -> None:
    path.parent.rename(path.parent.with_name("gone"))


def another_folder(path: Path) -> None:
    shutil.copytree(path.parent, path.parent.with_name("twin"))
    folder(path)
    path.parent.with_name("twin").rename(path.parent)


def linked(path: Path) -> None:
    os.link(path, path.with_name("second"))


def journal_deleted(path: Path) -> None:
    path.with_name(path.name + "-wal").unlink()


MOVES = [away, Path.unlink, copied, replaced, folder, another_folder, linked, journal_deleted]


@pytest.mark.parametrize("move", MOVES, ids=lambda move: move.__name__)
@pytest.mark.parametrize("spends", [0, 2])
def test_nothing_is_spent_on_a_file_that_moved(tmp_path: Path, move: Any, spends: int) -> None:
    path = tmp_path / "folder" / "ledger.db"
    path.parent.mkdir()
    session = opened(path)
    for scale in range(100, 100 + spends):
        ask(session, scale)
    move(path)
    refused(session, "second name" if move is linked else "moved, removed or replaced")
    refused(session)


def test_a_symbolic_link_that_points_elsewhere_is_another_file(tmp_path: Path) -> None:
    one, other, link = tmp_path / "one", tmp_path / "other", tmp_path / "link"
    opened(one)
    opened(other)
    link.symlink_to(one)
    session = opened(link)
    ask(session)
    assert dp.Ledger(one).verify() == 3
    link.unlink()
    link.symlink_to(other)
    refused(session, "moved, removed or replaced")
    assert dp.Ledger(other).verify() == 1


def test_a_relative_path_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path)
    session = opened("ledger.db")
    monkeypatch.chdir(tmp_path / "sub")
    ask(session)
    assert not list((tmp_path / "sub").iterdir())
    assert dp.Ledger(tmp_path / "ledger.db").verify() == 3


@pytest.mark.parametrize("keep", [0, 1, 2, 4])
def test_rows_cut_off_between_the_opening_and_the_first_spend_are_missed(
    tmp_path: Path, keep: int
) -> None:
    path = tmp_path / "ledger.db"
    first = opened(path)
    ask(first, 100)
    ask(first, 200)
    session = opened(path)
    forced(path, f"DELETE FROM ledger WHERE number > {keep}")
    refused(session, "gone")
    for look in (session.left, session.ledger.verify, session.ledger.__len__):
        with pytest.raises(LedgerError, match="gone"):
            look()


def test_a_chain_that_went_another_way_is_noticed(tmp_path: Path) -> None:
    path, copy = tmp_path / "ledger.db", tmp_path / "copy.db"
    first = opened(path)
    ask(first, 100)
    plain = sqlite3.connect(path)
    plain.execute(f"VACUUM INTO '{copy}'")
    plain.close()
    session = opened(path)
    for scale in (200, 300):
        ask(session, scale)
        ask(opened(copy), scale)
    plain = sqlite3.connect(copy)
    rows = plain.execute("SELECT * FROM ledger WHERE number > 3").fetchall()
    plain.close()
    inserts = [("INSERT INTO ledger VALUES (?, ?, ?, ?)", row) for row in rows]
    forced(path, "DELETE FROM ledger WHERE number > 3", *inserts)
    assert dp.Ledger(path).verify() == 7, "whole, and not the chain that the session knows"
    refused(session, "gone")


# -- reading without writing ----------------------------------------------------------------------


def test_a_ledger_is_read_where_nothing_can_be_written(tmp_path: Path) -> None:
    """On media that are read-only, finished or left by a process that was killed."""
    if not hasattr(os, "fork"):
        pytest.skip("needs fork")
    finished, killed = tmp_path / "finished", tmp_path / "killed"
    for place in (finished, killed):
        place.mkdir()
    ask(opened(finished / "ledger.db"))
    child = os.fork()
    if not child:
        try:
            ask(opened(killed / "ledger.db"))
        finally:
            os._exit(0)  # as SIGKILL: nothing is tidied
    os.waitpid(child, 0)
    assert (killed / "ledger.db-wal").stat().st_size
    (killed / "ledger.db-shm").unlink()
    for place in (finished, killed):
        before = sorted(p.name for p in place.iterdir())
        place.chmod(0o555)
        found = dp.Ledger(place / "ledger.db", create=False)
        assert found.verify() == 3
        assert "chain whole" in str(found)
        place.chmod(0o755)
        assert sorted(p.name for p in place.iterdir()) == before, "nothing was left beside it"


def test_a_ledger_is_read_beside_a_live_session(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    session = opened(path)
    read = dp.Ledger(path, create=False)
    for number in range(1, 4):
        ask(session, 100 * number)
        assert read.verify() == 2 * number + 1
        assert read.left("rows") == session.left()
    del session
    assert read.verify() == 7


def test_on_a_network_file_system_the_file_has_no_shared_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from metricdp.sessions import places

    mounts = tmp_path / "mounts"
    home = str(tmp_path / "my home").replace(" ", "\\040")
    mounts.write_text(f"/dev/a / ext4 rw 0 0\nserver:/x {home} nfs4 rw 0 0\n")
    monkeypatch.setattr(places, "_MOUNTS", str(mounts))
    (tmp_path / "my home").mkdir()
    path = tmp_path / "my home" / "ledger.db"
    sessions = [opened(path), opened(path)]
    for number, session in enumerate(sessions):
        ask(session, 100 + number)
        assert [p.name for p in path.parent.iterdir()] == ["ledger.db"]
    assert sessions[0].left() == sessions[1].left()
    assert dp.Ledger(path, create=False).verify() == 5
    copied(path)
    refused(sessions[0], "moved, removed or replaced")
    local = tmp_path / "ledger.db"
    session = opened(local)
    assert local.with_name("ledger.db-wal").exists()
    ask(session)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_session_goes_on_in_a_fork_and_in_its_parent(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    session = opened(path)
    ask(session, 100)
    children = []
    for number in range(3):
        child = os.fork()
        if not child:
            code = 1
            try:
                ask(session, 200 + number)
                code = 0
            finally:
                os._exit(code)
        children.append(child)
        ask(session, 300 + number)
    assert [os.waitpid(child, 0)[1] for child in children] == [0, 0, 0]
    ask(session, 400)
    assert session.ledger.verify() == 1 + 2 * 8


def test_a_process_that_is_stopped_while_it_makes_the_file_hinders_nobody(tmp_path: Path) -> None:
    """The file has its name, and its first name is not removed yet."""
    path = tmp_path / "ledger.db"
    opened(path)
    os.link(path, f"{path}.new-0011223344556677")
    ask(opened(path))
    assert sorted(p.name for p in tmp_path.iterdir() if "new" in p.name) == []


def test_a_backup_written_over_the_file_is_noticed(tmp_path: Path) -> None:
    """The same file with older contents, which SQLite's own pages in memory would hide."""
    path = tmp_path / "ledger.db"
    session = opened(path)
    ask(session, 100)

    def flush() -> None:
        plain = sqlite3.connect(path)
        plain.execute("PRAGMA wal_checkpoint(PASSIVE)")
        plain.close()

    flush()
    backup = path.read_bytes()
    for scale in range(200, 210):
        ask(session, scale)
    flush()
    with path.open("r+b") as file:
        file.write(backup)
        file.truncate(len(backup))
    refused(session, "gone")
