"""`metricdp audit`: exit codes and options, with a stand-in for the auditor."""

from __future__ import annotations

import sys
import types
from pathlib import Path

import msgspec
import pytest

from metricdp.apps.cli import main
from metricdp.errors import SourceError


class Report(msgspec.Struct):
    refuted: bool

    def __str__(self) -> str:
        return "Refuted(x)" if self.refuted else "Survived(5000)"


@pytest.mark.parametrize(("refuted", "code"), [(False, 0), (True, 1)])
def test_verdict_and_options(
    refuted: bool,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "rules.py").write_text("")
    target = f"{tmp_path / 'rules.py'}::my_sum"
    given = []

    def audit_target(*arguments: object) -> Report:
        given.append(arguments)
        return Report(refuted)

    module = types.ModuleType("metricdp.audit")
    module.audit_target = audit_target  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "metricdp.audit", module)
    assert main(["audit", target, "--seed", "7", "--pairs", "10", "--seconds", "0.5"]) == code
    assert capsys.readouterr().out == f"{Report(refuted)}\n"
    assert main(["audit", target]) == code
    assert given == [(target, 7, 10, 0.5), (target, 0, 5000, 10.0)]


def test_a_function_that_is_not_there_is_wrong_usage(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rules.py").write_text("")

    def audit_target(*_: object) -> Report:
        raise SourceError("no function is called my_sum", place="rules.py")

    module = types.ModuleType("metricdp.audit")
    module.audit_target = audit_target  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "metricdp.audit", module)
    assert main(["audit", f"{tmp_path / 'rules.py'}::my_sum"]) == 2
    assert "no function is called my_sum" in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--seed", "-1"], ["--pairs", "0"], ["--seconds", "0"]])
def test_wrong_values(option: list[str], tmp_path: Path) -> None:
    (tmp_path / "rules.py").write_text("")
    assert main(["audit", str(tmp_path / "rules.py"), *option]) == 2
