"""Filed releases and copies of ledgers, held against the rows that paid for them."""

from __future__ import annotations

import json
import shutil
import sqlite3
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from ledgers import ask, opened

import metricdp as dp
from metricdp.apps.cli import main
from metricdp.run.emit import Seeded, handling
from metricdp.sessions.filed import Discrepancy, check_releases
from metricdp.sessions.views import compare


@pytest.fixture
def filed(tmp_path: Path) -> tuple[Path, Path]:
    """A ledger with three releases, each filed as JSON and as Markdown."""
    path, folder = tmp_path / "ledger.db", tmp_path / "filed"
    (folder / "deep").mkdir(parents=True)
    session = opened(path)
    for number, scale in enumerate((100, 200, 300)):
        release = ask(session, scale)
        (folder / "deep" / f"{number}.json").write_text(release.to_json(), encoding="utf-8")
        (folder / f"{number}.md").write_text(release.to_markdown(), encoding="utf-8")
    (folder / "notes.txt").write_text("no release")
    return path, folder


def checked(path: Path, folder: Path) -> list[tuple[str, str]]:
    found = check_releases(dp.Ledger(path, create=False), folder)
    return [(finding.problem, finding.file) for finding in found.findings]


def test_what_was_filed_agrees(
    filed: tuple[Path, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    path, folder = filed
    assert checked(path, folder) == []
    assert main(["ledger", str(path), "--releases", str(folder)]) == 0
    assert "6 filed, 3 in the ledger: all agree" in capsys.readouterr().out
    assert main(["ledger", str(path), "--releases", str(folder), "--output-format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["releases"]["findings"] == []
    assert main(["ledger", str(path), "--releases", str(folder / "none")]) == 2


def test_every_altered_field_of_a_record_is_found(filed: tuple[Path, Path]) -> None:
    path, folder = filed
    file = folder / "deep" / "1.json"
    good = json.loads(file.read_text(encoding="utf-8"))
    bad: list[Any] = []
    for name, value in good.items():
        bad.append({**good, name: "other"})
        bad.append({k: v for k, v in good.items() if k != name})
        if isinstance(value, dict):
            bad += [{**good, name: {**value, inner: "other"}} for inner in value]
    bad.append({**good, "note": "one more"})
    assert len(bad) > 40
    for record in bad:
        file.write_text(json.dumps(record), encoding="utf-8")
        loose = {**record.get("composition", {}), "ledger": 0} if isinstance(
            record.get("composition"), dict
        ) else None  # fmt: skip
        same = {**record, "composition": loose} == {
            **good, "composition": {**good["composition"], "ledger": 0}
        }  # fmt: skip
        found = checked(path, folder)
        assert bool(found) is not same, record
        assert {name for _, name in found} <= {"deep/1.json"}


def test_every_altered_line_of_a_document_is_found(filed: tuple[Path, Path]) -> None:
    path, folder = filed
    file = folder / "1.md"
    good = file.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(good):
        if line and not line.startswith("- ledger: "):
            file.write_text("\n".join([*good[:number], line + "0", *good[number + 1 :]]) + "\n")
            assert {name for _, name in checked(path, folder)} == {"1.md"}, line
            file.write_text("\n".join([*good[:number], *good[number + 1 :]]) + "\n")
            assert {name for _, name in checked(path, folder)} == {"1.md"}, line


def test_each_problem_has_its_name(
    filed: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, folder = filed
    deep = folder / "deep"
    for file in folder.glob("*.md"):
        file.unlink()
    shutil.copy(deep / "0.json", deep / "0 copy.json")
    record = json.loads((deep / "1.json").read_text(encoding="utf-8"))
    record["composition"]["this release cost"] = "ε = 0.01"
    (deep / "1.json").write_text(json.dumps(record), encoding="utf-8")
    (deep / "2.json").unlink()
    stranger = ask(opened(tmp_path / "other.db"), 100)
    (deep / "stranger.json").write_text(stranger.to_json(), encoding="utf-8")
    (deep / "alone.json").write_text(ask(opened(None, dataset=None), 5).to_json(), encoding="utf-8")
    (deep / "torn.json").write_text(stranger.to_json()[:100], encoding="utf-8")
    (deep / "list.json").write_text("[1]", encoding="utf-8")
    (deep / "bytes.md").write_bytes(b"\xff\xfe- hash: 0")
    wanted = [
        ("duplicated", "deep/0.json"), ("other cost", "deep/1.json"),
        ("foreign", "deep/alone.json"), ("unreadable", "deep/bytes.md"),
        ("unreadable", "deep/list.json"), ("foreign", "deep/stranger.json"),
        ("unreadable", "deep/torn.json"), ("missing", ""),
    ]  # fmt: skip
    assert sorted(checked(path, folder)) == sorted(wanted)
    assert main(["ledger", str(path), "--releases", str(folder)]) == 1
    printed = capsys.readouterr().out
    assert "missing: row 6 (laplace) has no file" in printed
    assert "1 missing, 1 other cost, 2 foreign, 1 duplicated, 3 unreadable" in printed
    assert main(["ledger", str(path), "--releases", str(folder), "--output-format", "json"]) == 1
    assert len(json.loads(capsys.readouterr().out)["releases"]["findings"]) == 8


def test_an_answer_given_again_agrees_and_a_seeded_one_by_its_spend(
    filed: tuple[Path, Path],
) -> None:
    path, folder = filed
    session = opened(path)
    again = ask(session, 100)
    (folder / "deep" / "0.json").write_text(again.to_json(), encoding="utf-8")
    with handling(Seeded(3)):
        seeded = ask(session, 50)
    (folder / "seeded.json").write_text(seeded.to_json(), encoding="utf-8")
    assert checked(path, folder) == []
    text = seeded.to_json().replace("ε = 0.4", "ε = 0.04")
    (folder / "seeded.json").write_text(text, encoding="utf-8")
    assert checked(path, folder) == [("other cost", "seeded.json")]


def test_releases_of_rows_that_were_cut_off_are_foreign(filed: tuple[Path, Path]) -> None:
    """A backup that was put back: the chain is whole, and the files know more."""
    path, folder = filed
    plain = sqlite3.connect(path, isolation_level=None)
    plain.execute("DROP TRIGGER no_delete")
    plain.execute("DELETE FROM ledger WHERE number > 3")
    plain.close()
    assert dp.Ledger(path, create=False).verify() == 3
    found = check_releases(dp.Ledger(path, create=False), folder).findings
    assert [f.problem for f in found] == ["foreign"] * 4
    assert isinstance(found[0], Discrepancy)


def test_copies_that_were_both_continued_are_told_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, two, three = (tmp_path / f"{name}.db" for name in ("one", "two", "three"))
    ask(opened(one), 100)
    plain = sqlite3.connect(one)
    plain.execute("VACUUM INTO ?", (str(two),))
    plain.close()
    assert main(["ledger", str(one), str(two)]) == 0
    assert capsys.readouterr().out == "the same 3 rows\n"
    ask(opened(two), 200)
    assert main(["ledger", str(one), str(two)]) == 0
    assert capsys.readouterr().out == "the same 3 rows; the second has 2 more\n"
    ask(opened(one), 200)
    assert main(["ledger", str(one), str(two)]) == 1
    printed = capsys.readouterr().out
    assert "parted after row 3: 2 rows and 2 rows" in printed
    assert "rows: spent in either ε = 0.4" in printed
    found = compare(dp.Ledger(one), dp.Ledger(two))
    assert found.together == {"rows": {"epsilon": Fraction(2, 5)}}
    assert main(["ledger", str(one), str(two), "--output-format", "json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["common"] == 3
    assert data["together"] == {"rows": {"epsilon": "2/5"}}
    ask(opened(three), 100)
    assert main(["ledger", str(one), str(three)]) == 1
    assert "no row in common" in capsys.readouterr().out
    assert main(["ledger", str(one), str(tmp_path / "none")]) == 2
