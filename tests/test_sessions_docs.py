"""`docs/sessions.md` and `examples/session.py` are executed; `metricdp ledger` as well."""

from __future__ import annotations

import asyncio
import doctest
import json
import os
import runpy
import sqlite3
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

import metricdp as dp
from metricdp.apps.cli import main

ROOT = Path(__file__).resolve().parent.parent
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize(("name", "least"), [("sessions.md", 14), ("service.md", 30)])
def test_the_page_is_executed(name: str, least: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("statsmodels")
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    text = "\n".join("" if line.startswith("```") else line for line in page.splitlines())
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    assert len(test.examples) >= least
    printed: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=printed.append)
    assert not printed, "".join(printed)


def test_the_example_runs() -> None:
    pytest.importorskip("statsmodels")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "session.py")],
        capture_output=True, encoding="utf-8", env=environment, check=True,
    )  # fmt: skip
    assert "epsilon=0.25 fits" in done.stdout
    assert "5 rows, chain whole" in done.stdout


def test_the_example_of_a_service_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    example = runpy.run_path(str(ROOT / "examples" / "service.py"))
    asyncio.run(example["main"](str(tmp_path / "ledger.db")))
    told = capsys.readouterr().out
    assert "metrics: {'answered': 3, 'again': 1, 'refused': 1, 'waits': 1}" in told
    assert "one person loses to all of them together: ε = 1.5" in told
    assert "chain whole" in told


def test_the_command_verifies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "ledger.db"
    session = dp.Session(
        {"x": (dp.Records[float], [1.0])}, budget=dp.Budget(epsilon=1), dataset="rows", ledger=path
    )
    dp.laplace(dp.count(session["x"]), epsilon=0.25)
    head = session.ledger.head
    assert main(["ledger", str(path), "--head", head[:12]]) == 0
    assert "left ε = 0.75" in capsys.readouterr().out
    assert main(["ledger", str(path), "--output-format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["left"] == {"rows": {"epsilon": "3/4"}}
    assert [row["kind"] for row in found["rows"]] == ["open", "spend", "release"]
    assert main(["ledger", str(path), "--output-format", "html"]) == 0
    assert capsys.readouterr().out.startswith("<div")
    assert main(["ledger", str(path), "--head", "0123456789"]) == 1
    assert "head" in capsys.readouterr().out
    assert main(["ledger", str(tmp_path / "missing.db")]) == 2
    plain = sqlite3.connect(path, isolation_level=None)
    plain.execute("DROP TRIGGER no_update")
    (line,) = plain.execute("SELECT line FROM ledger WHERE number = 2").fetchone()
    changed = zlib.compress(zlib.decompress(line).replace(b"1/4", b"1/8"))
    plain.execute("UPDATE ledger SET line = ? WHERE number = 2", (changed,))
    plain.close()
    capsys.readouterr()
    assert main(["ledger", str(path), "--output-format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["whole"] is False
    other = tmp_path / "other.db"
    plain = sqlite3.connect(other)
    plain.execute("CREATE TABLE t (x)")
    plain.commit()
    plain.close()
    before = other.read_bytes()
    assert main(["ledger", str(other)]) == 1
    assert other.read_bytes() == before, "a file that is only read stays as it is"
