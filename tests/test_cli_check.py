"""`metricdp check`: exit codes and formats on every path, with a stand-in for the checker."""

from __future__ import annotations

import json
import re
import sys
import types
from pathlib import Path

import pytest
from report_samples import PROVED, REPORTS, WARNING, function, span

from metricdp.apps import checking
from metricdp.apps.cli import main
from metricdp.apps.commands import run
from metricdp.diagnostics import Diagnostic
from metricdp.diagnostics.result import CheckOptions, CheckReport


class Checker:
    """Stands for `metricdp.check`: returns `report` or raises it, and keeps what it was given."""

    report: CheckReport | Exception = CheckReport()
    files: list[str]
    options: CheckOptions

    def check_paths(
        self, files: list[str], options: CheckOptions, processes: bool = False
    ) -> CheckReport:
        self.files, self.options = files, options
        if isinstance(self.report, Exception):
            raise self.report
        return self.report


@pytest.fixture
def checker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Checker:
    stand_in = Checker()
    module = types.ModuleType("metricdp.check")
    module.check_paths = stand_in.check_paths  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "metricdp.check", module)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pay.py").write_text("x = 1\n")
    return stand_in


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict]:
    code = main(["check", *arguments, "--output-format", "json"])
    captured = capsys.readouterr()
    assert captured.err == ""
    return code, json.loads(captured.out)


@pytest.mark.parametrize(
    ("report", "code"),
    [
        (CheckReport(), 0),
        (CheckReport((PROVED,)), 0),
        (CheckReport((PROVED,), (WARNING,)), 0),
        (REPORTS["rejected"], 1),
        (REPORTS["refuted"], 1),
        (CheckReport((PROVED, function("f", 1, "rejected"))), 1),
        (CheckReport(diagnostics=(Diagnostic("syntax-error", span(1, 1, 1), "m"),)), 1),
        (CheckReport(diagnostics=(Diagnostic("unreadable-file", span(1, 1, 1), "m"),)), 1),
        (CheckReport(diagnostics=(Diagnostic("internal-error", span(1, 1, 1), "m"),)), 2),
        (CheckReport(diagnostics=(Diagnostic("not-in-the-catalogue", span(1, 1, 1), "m"),)), 1),
    ],
)
@pytest.mark.parametrize("output_format", ["text", "concise", "json", "sarif", "github"])
def test_exit_codes(
    checker: Checker,
    capsys: pytest.CaptureFixture[str],
    report: CheckReport,
    code: int,
    output_format: str,
) -> None:
    checker.report = report
    assert main(["check", "pay.py", "--output-format", output_format]) == code
    out = capsys.readouterr().out
    if output_format in ("json", "sarif"):
        assert isinstance(json.loads(out), dict)


@pytest.mark.parametrize(
    "arguments",
    [
        ["pay.py", "--no-such-option"],
        ["pay.py", "--set", "eps"],
        ["pay.py", "--set", "eps=abc"],
        ["pay.py", "--set", "2eps=1"],
        ["pay.py", "--set", "eps=1/0"],
        ["pay.py", "--set", "eps=1e999999999"],
        ["pay.py", "--set", "eps=1", "--set", "eps=2"],
        ["pay.py", "--distance", "x=-1"],
        ["pay.py", "--measure", "nonsense"],
        ["pay.py", "--delta", "1"],
        ["pay.py", "--delta", "0"],
        ["pay.py", "--delta", "nan"],
        [],
    ],
)
def test_wrong_usage_is_exit_2_and_json(
    checker: Checker, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    code, found = run_json(capsys, *arguments)
    assert code == 2
    assert [entry["code"] for entry in found["diagnostics"]] == ["wrong-usage"]
    assert found["diagnostics"][0]["message"]
    assert found["functions"] == []


def test_wrong_usage_in_text_goes_to_stderr(
    checker: Checker, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "pay.py", "--set", "eps"]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "NAME=NUMBER" in captured.err
    assert main(["check", "pay.py", "--output-format=yaml"]) == 2
    assert main(["no-such-command"]) == 2


def test_a_format_written_with_an_equals_sign(
    checker: Checker, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--output-format=json", "--bad"]) == 2
    assert json.loads(capsys.readouterr().out)["diagnostics"][0]["id"] == "DP904"


def test_missing_path_is_named_and_the_rest_is_checked(
    checker: Checker, capsys: pytest.CaptureFixture[str]
) -> None:
    checker.report = CheckReport((PROVED,))
    code, found = run_json(capsys, "nowhere/pya.py", "pay.py")
    assert code == 2
    (entry,) = found["diagnostics"]
    assert entry["code"] == "missing-path"
    assert entry["file"] == "nowhere/pya.py"
    assert "nowhere/pya.py" in entry["message"]
    assert found["summary"]["proved"] == 1
    assert checker.files == ["pay.py"]


def test_an_error_inside_is_exit_2_without_a_traceback(
    checker: Checker, capsys: pytest.CaptureFixture[str]
) -> None:
    checker.report = ZeroDivisionError("by zero")
    code, found = run_json(capsys, "pay.py")
    assert code == 2
    assert found["diagnostics"][0]["code"] == "internal-error"
    assert "ZeroDivisionError" in found["diagnostics"][0]["message"]
    assert main(["check", "pay.py"]) == 2
    assert "Traceback" not in "".join(capsys.readouterr())


def test_an_error_while_printing_is_exit_2_and_json(
    checker: Checker, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = Diagnostic("unknown-name", None, "m")  # type: ignore[arg-type]
    checker.report = CheckReport(diagnostics=(broken,))
    code, found = run_json(capsys, "pay.py")
    assert code == 2
    assert found["diagnostics"][0]["code"] == "internal-error"


def test_interruption(
    checker: Checker, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> CheckReport:
        raise KeyboardInterrupt

    monkeypatch.setattr(checking, "_checked", interrupted)
    assert main(["check", "pay.py", "--output-format", "json"]) == 130
    assert json.loads(capsys.readouterr().out)["diagnostics"][0]["code"] == "internal-error"
    assert main(["check", "pay.py"]) == 130
    found = capsys.readouterr()
    assert (found.out, found.err.strip()) == ("", "interrupted")


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("check pay.py", True),
        ("check pay.py pay.py nowhere.py", True),
        ("check pay.py --output-format concise", True),
        ("check --output-format github pay.py .", True),
        ("check pay.py --output-format", False),
        ("check --output-format json", False),
        ("check --output-format=json pay.py", False),
        ("check --output-format xml pay.py", False),
        ("check --output-format json --output-format sarif pay.py", False),
        ("check pay.py --output-format --strict", False),
        ("check -- pay.py", False),
        ("check -h", False),
        ("check", False),
        ("explain pay.py", False),
        ("--version", False),
        ("", False),
    ],
)
def test_a_line_without_options_is_read_as_with_them(
    checker: Checker, capsys: pytest.CaptureFixture[str], line: str, plain: bool
) -> None:
    """What click would read of a line that is not given to it is what was read."""
    checker.report = REPORTS["rejected"]
    arguments = line.split()
    assert (checking.plain(arguments) is not None) == plain
    found = main(arguments), checker.__dict__.copy(), _without_time(capsys)
    checker.__dict__.clear()
    checker.report = REPORTS["rejected"]
    assert found == (run(arguments), checker.__dict__, _without_time(capsys))


def _without_time(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return [re.sub(r"\d\.\d\d s", "", text) for text in capsys.readouterr()]


def test_options_reach_the_checker_as_typed(checker: Checker) -> None:
    main(
        "check pay.py --set eps=0.1 --set n=1/3 --distance x=2 --measure zcdp --delta 1e-6".split()
    )
    assert checker.options == CheckOptions(
        set={"eps": "0.1", "n": "1/3"}, distance={"x": "2"}, measure="zcdp", delta="1e-6"
    )


def test_directories_are_walked(checker: Checker, tmp_path: Path) -> None:
    for path in (
        "a/b.py",
        "a/c.txt",
        "a/.hidden/d.py",
        "a/__pycache__/e.py",
        "a/env/lib/f.py",
        "a/z/g.py",
        "named.txt",
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("")
    (tmp_path / "a/env/pyvenv.cfg").write_text("")
    main(["check", "named.txt", "a", "a/b.py"])
    assert checker.files == ["named.txt", "a/b.py", "a/z/g.py"]
    main(["check", "."])
    assert checker.files == ["pay.py", "a/b.py", "a/z/g.py"]


def test_nothing_to_check_is_a_success(
    checker: Checker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bare").mkdir()
    assert main(["check", "bare"]) == 0
    told = capsys.readouterr().out
    assert "info[nothing-checked]: this directory has no Python file" in told
    assert "\n0 programs" in told


def test_a_number_for_a_name_that_nothing_has_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "total.py"
    file.write_text(
        "import metricdp as dp\n\n\n@dp.measurement\n"
        "def total(x: dp.Records[float, dp.ChangeOne], eps: float):\n"
        "    return dp.laplace(dp.mean(dp.clamp(x, 0, 1)), epsilon=eps)\n"
    )
    assert main(["check", str(file), "--set", "epsilon=1", "--distance", "y=2"]) == 2
    told = capsys.readouterr()
    assert told.out.count("`epsilon`") == told.out.count("`y`") == 1 and not told.err
    assert not main(["check", str(file), "--set", "eps=1", "--set", "len_x=9", "--distance", "x=2"])
    assert "wrong-usage" not in capsys.readouterr().out
