"""Attacks on the checker itself: hostile sources, and defects that cost nothing but themselves.

Whatever a file holds, `metricdp check` ends with a finding at its place; an exception of ours in
one function or file is a finding there, exit code 2, and the other results are printed.
"""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hostile_sources import mutated, texts

from metricdp.apps.cli import main
from metricdp.check import check_source
from metricdp.check.language.interpreter import Interpreter
from metricdp.check.verdicts import guarantee as guarantees
from metricdp.report import FORMATS, render

HEAD = (
    "import math\nimport numpy as np\nimport metricdp as dp\nfrom metricdp import Real, Records\n"
)
GOOD = HEAD + "\n\n@dp.measurement\ndef good(x: Real):\n    return dp.laplace(x, scale=1)\n"


def one(body: str, signature: str = "x: Real, k: float") -> Any:
    """The report of one measurement with this body."""
    return check_source(f"{HEAD}\n\n@dp.measurement\ndef f({signature}):\n{body}\n")


# -- nothing to check ---------------------------------------------------------------------------


@pytest.mark.parametrize("output_format", FORMATS)
def test_a_file_without_a_checked_function_is_said(
    output_format: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "plain.py").write_text("def f(x):\n    return x\n")
    arguments = ["check", str(tmp_path / "plain.py"), "--output-format", output_format]
    assert main(arguments) == 0
    assert "has no checked function" in capsys.readouterr().out
    assert main([*arguments, "--strict"]) == 1
    assert "has no checked function" in capsys.readouterr().out


def test_an_empty_folder_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path), "--output-format", "json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["diagnostics"]
    assert (found["code"], found["severity"]) == ("nothing-checked", "info")
    assert found["file"] == str(tmp_path)
    assert main(["check", str(tmp_path), "--strict"]) == 1


def test_helpers_beside_a_program_are_no_finding(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "helpers.py").write_text("def g(x):\n    return x\n")
    (tmp_path / "inner").mkdir()
    assert main(["check", str(tmp_path), "--strict"]) == 0
    assert main(["check", str(tmp_path), str(tmp_path / "inner"), "--strict"]) == 1
    assert "inner" in capsys.readouterr().out


def test_a_file_that_does_not_parse_says_that_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "broken.py").write_text("def f(:\n")
    assert main(["check", str(tmp_path), "--strict", "--output-format", "json"]) == 1
    codes = [d["code"] for d in json.loads(capsys.readouterr().out)["diagnostics"]]
    assert codes == ["syntax-error"]


# -- a defect costs one result ------------------------------------------------------------------


@pytest.mark.parametrize("where", ["statement", "report", "second reading", "declarations"])
def test_a_defect_costs_one_result(
    where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: Any
) -> None:
    (tmp_path / "a.py").write_text(GOOD)
    (tmp_path / "b.py").write_text(GOOD.replace("good", "bad") + "\n\n" + GOOD.split("\n\n\n")[1])
    (tmp_path / "c.py").write_text(GOOD)

    def failing(what: Any, asked: Any) -> Any:
        def instead(self: Any, *given: Any, **named: Any) -> Any:
            if asked(self, *given):
                raise ArithmeticError("planted")
            return what(self, *given, **named)

        return instead

    if where == "statement":
        block = Interpreter.block
        asked = lambda self, body, frame: getattr(self.active[-1], "name", "") == "bad"  # noqa: E731
        monkeypatch.setattr(Interpreter, "block", failing(block, asked))
    elif where == "report":
        report = guarantees.Guarantee.report
        broken = failing(report, lambda self, *given: self.name == "bad")
        monkeypatch.setattr(guarantees.Guarantee, "report", broken)
    elif where == "second reading":
        (tmp_path / "b.py").write_text(
            (tmp_path / "b.py").read_text().replace("scale=1", "scale=0", 1)
        )
        import metricdp.check.verdicts.verify as verifying

        monkeypatch.setattr(verifying, "all_errors", failing(None, lambda *given: True))
    else:
        import metricdp.check.verdicts.api as api

        broken = failing(api.declarations, lambda module: module.path.endswith("b.py"))
        monkeypatch.setattr(api, "declarations", broken)
    code = main(["check", str(tmp_path), "--output-format", "json"])
    found = json.loads(capsys.readouterr().out)
    proved = [f["name"] for f in found["functions"] if f["verdict"] == "proved"]
    assert proved == ["good"] * (2 if where == "declarations" else 3)
    (wrong,) = [d for d in found["diagnostics"] if d["severity"] == "error"]
    assert wrong["file"].endswith("b.py")
    if where == "second reading":
        assert (code, wrong["code"]) == (1, "bad-noise")
    else:
        assert (code, wrong["code"]) == (2, "internal-error") and "planted" in wrong["message"]


# -- hostile sources ----------------------------------------------------------------------------


def test_hostile_sources_end_with_findings() -> None:
    pages = texts()
    for seed in range(250):
        rng = Random(f"hostile {seed}")
        report = check_source(mutated(rng.choice(pages), rng))
        assert [d.message for d in report.diagnostics if d.code == "internal-error"] == [], seed
        for output_format in FORMATS:
            assert render(report, output_format) is not None
