"""`metricdp check -` reads standard input."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from metricdp.apps.cli import main

TEXT = "import metricdp as dp\n@dp.transformation\ndef f(x: dp.Real):\n    return 3 * x\n"


def report(
    text: bytes, arguments: list[str], monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> tuple[int, dict[str, Any]]:  # fmt: skip
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    code = main(["check", *arguments, "--output-format", "json"])
    return code, json.loads(capsys.readouterr().out)


def test_a_program_on_standard_input_is_checked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, found = report(TEXT.encode(), ["-"], monkeypatch, capsys)
    (function,) = found["functions"]
    assert code == 0 and (function["file"], function["line"]) == ("<stdin>", 3)
    assert function["inputs"][0]["stability"] == "3*d_in"
    (tmp_path / "beside.py").write_text("def half(x):\n    return x / 2\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    text = TEXT.replace("3 * x", "half(x)").replace("@", "from beside import half\n@")
    code, found = report(text.encode(), ["-", "beside.py"], monkeypatch, capsys)
    assert code == 0 and found["functions"][0]["inputs"][0]["stability"] == "d_in/2"


@pytest.mark.parametrize(
    ("text", "name", "code"),
    [(b"\xff", "unreadable-file", 1), (b"def", "syntax-error", 1), (b"", "nothing-checked", 0)],
)
def test_what_is_no_program_is_said(
    text: bytes, name: str, code: int, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    got, found = report(text, ["-"], monkeypatch, capsys)
    assert got == code and [each["code"] for each in found["diagnostics"]] == [name]
