"""What was paid for is handed out and filed, whatever its numbers and however full the disk."""

from __future__ import annotations

import os
import resource
import sqlite3
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest
from ledgers import ask, opened

import metricdp as dp
from metricdp.errors import LedgerError

# -- paid answers ---------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_after_a_full_disk_a_paid_answer_is_handed_out(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        said = "nothing"
        try:
            session = _vectors(path)
            room = os.path.getsize(f"{path}-wal") + 30_000
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))
            release = dp.laplace(session["v"], epsilon=Fraction(1, 4))
            place = release.about.composition
            said = f"{len(release.value)} {place['not kept']} {release!r} {session.left()}"
            refusal = ""
            try:
                for scale in range(1000):
                    dp.laplace(session["v"], scale=10**6 + scale)
            except LedgerError as error:
                refusal = str(error)
            said += refusal
            release.to_json()
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        finally:
            os.write(writer, said.encode())
            os._exit(0)
    os.close(writer)
    said = b"".join(iter(lambda: os.read(reader, 65536), b"")).decode()
    os.waitpid(child, 0)
    assert said.startswith("9000 the ledger cannot be used"), said
    assert "row 2 paid for it" in said
    assert "not kept in the ledger" in said
    assert "Fraction(3, 4)" in said
    ledger = dp.Ledger(path)
    assert ledger.left("rows")["epsilon"] <= Fraction(3, 4)
    rows = list(ledger.rows())
    assert [row.kind for row in rows][:3] == ["open", "spend", "release"]
    assert rows[2].data()["release"] is None
    assert "cannot be used" in rows[2].data()["not stored"]


def _vectors(path: Path) -> dp.Session:
    space = Annotated[dp.Vector[dp.Real, dp.L1], dp.Size(9000)]
    return dp.Session(
        {"v": (space, np.zeros(9000))}, budget=dp.Budget(epsilon=1), dataset="rows", ledger=path
    )


NUMBERS: list[Any] = [
    1e-320,
    5e-324,
    Fraction(1, 10**320),
    Fraction(1, 10**400),
    Fraction(1, 10**500),
]


@pytest.mark.parametrize("epsilon", NUMBERS, ids=lambda e: f"{float(e):g}-{len(str(e))}")
@pytest.mark.parametrize("file", [False, True])
def test_a_paid_release_is_filed_whatever_its_numbers(
    tmp_path: Path, epsilon: Any, file: bool
) -> None:
    session = opened(tmp_path / "ledger.db" if file else None, 1)
    total = dp.sum(dp.clamp(session["x"], 0, 20))
    releases = [
        dp.laplace(total, epsilon=epsilon),
        dp.discrete_laplace(dp.count(session["x"]), epsilon=epsilon),
    ]
    for release in releases:
        assert "not kept" not in release.about.composition
        assert release.to_json()
        assert release.to_markdown()
        assert repr(release)
        assert release._repr_html_()
        low, high = release.interval()
        assert low <= release.value <= high
    again = dp.laplace(total, epsilon=epsilon)
    assert "asked again" in again.about.composition
    assert again.value == releases[0].value
    assert str(session.ledger)
    assert session._repr_html_()
    assert session.ledger.verify() == 5
    assert session.left()["epsilon"] < 1


@pytest.mark.parametrize("epsilon", [Fraction(1, 10**5000), Fraction(10**5000, 3)], ids=["s", "l"])
def test_a_budget_of_any_length_is_kept(tmp_path: Path, epsilon: Any) -> None:
    path = tmp_path / "ledger.db"
    opened(path, epsilon)
    session = opened(path, epsilon)
    assert session.left() == {"epsilon": epsilon}
    assert str(session.ledger)


def test_a_clock_that_goes_back_harms_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from metricdp.sessions import files as module

    path = tmp_path / "ledger.db"
    session = opened(path)
    for scale, time in ((100, "2030"), (200, "1970"), (300, "")):
        monkeypatch.setattr(module, "now", lambda time=time: time)
        ask(session, scale)
    assert dp.Ledger(path).verify() == 7
    assert str(dp.Ledger(path))


def test_texts_of_functions_do_not_forge_lines(tmp_path: Path) -> None:
    """What is printed of a row stays in its cell."""
    ledger = dp.Ledger(tmp_path / "ledger.db")
    ledger.open("rows", dp.Budget(epsilon=1), {"unit": "u\n2 forged", "counted": "\x1b[2J"})
    facts = {"name": "f\n  9  free \ud800\u202e", "scope": ["a\nb"]}
    ledger.spend("rows", {"epsilon": Fraction(1)}, {"epsilon": Fraction(1, 2)}, "", facts)
    text = str(ledger)
    assert len(text.splitlines()) == 7
    assert text.isprintable() or all(line.isprintable() for line in text.splitlines())
    assert ledger._repr_html_().encode()


def test_a_row_stays_small_and_an_append_reads_no_earlier_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from metricdp.sessions.chain import HashChain

    path = tmp_path / "ledger.db"
    session = opened(path, 1000)
    for scale in range(100, 400):
        ask(session, scale)
    added: list[Any] = []
    plain = HashChain.add
    monkeypatch.setattr(
        HashChain, "add", lambda chain, row: (added.append(row), plain(chain, row))[1]
    )
    ask(session, 1000)
    assert len(added) == 2, "the spend and its release, and no row before them"
    size = sum(p.stat().st_size for p in tmp_path.iterdir())
    del session
    plain_file = sqlite3.connect(path)
    plain_file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    plain_file.close()
    assert path.stat().st_size < 300 * 1000
    assert size
