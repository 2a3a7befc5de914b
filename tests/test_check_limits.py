"""A check ends: what takes too long, grows too large or is nested too deep is a diagnostic."""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest

import metricdp as dp
from metricdp import effort
from metricdp.apps.cli import main
from metricdp.check import check_source
from metricdp.check.source.program import Module, Project
from metricdp.check.verdicts.api import outcomes
from metricdp.diagnostics.result import CheckOptions, CheckReport
from metricdp.effort import MOST_READ, Exhausted, tick, within
from metricdp.errors import NotProvedError

HEADER = "import metricdp as dp\n"
GOOD = "@dp.transformation\ndef good(x: dp.Real):\n    return 2 * x\n"


def verdicts(report: CheckReport) -> dict[str, str]:
    return {f.name: f.verdict for f in report.functions}


def codes(source: str) -> list[str]:
    return [d.code for d in check_source(HEADER + source).diagnostics]


def chain(depth: int, step: str, first: str, result: str, head: str = "x: dp.Real") -> str:
    """Helpers f0, f1, ...; in `step`, {0} is the number of the one below."""
    text = f"def f0(a):\n    return {first}\n"
    for level in range(1, depth + 1):
        text += f"def f{level}(a):\n    return {step.format(level - 1)}\n"
    return text + f"@dp.measurement\ndef program({head}):\n    return {result.format(depth)}\n"


# -- too much work ------------------------------------------------------------------------------


@pytest.fixture
def little_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of what a check may read, for the time of the suite."""
    monkeypatch.setattr("metricdp.check.language.interpreter.MOST_READ", MOST_READ // 10)


@pytest.mark.usefixtures("little_work")
def test_helpers_with_noise_that_double_are_refused_with_their_place() -> None:
    source = chain(40, "f{0}(a) + f{0}(a)", "dp.laplace(a, scale=1)", "f{0}(x)")
    report = check_source(HEADER + source + GOOD)
    assert verdicts(report) == {"program": "rejected", "good": "proved"}
    (found,) = report.diagnostics
    assert found.code == "too-large"
    assert found.span.line == HEADER.count("\n") + 2 * 41 + 3  # `return f40(x)`
    assert found.notes[0].text == "reading stopped here"


@pytest.mark.usefixtures("little_work")
def test_paths_that_double_are_refused() -> None:
    lines = "".join(
        f"    if n > {i}:\n        if n > {i + 1000}:\n            return x\n        t = t + x\n"
        for i in range(40)
    )
    source = (
        "@dp.transformation\ndef f(x: dp.Real, n: int):\n    t = x\n" + lines + "    return t\n"
    )
    assert codes(source) == ["too-large"]


# -- numbers and expressions that grow ------------------------------------------------------------


def repeated(statement: str, times: int, first: str = "n = n") -> str:
    lines = "".join(f"    {line}\n" for line in [first, *[statement] * times])
    return f"@dp.transformation\ndef f(x: dp.Real, n: int, m: int):\n{lines}    return n * x\n"


@pytest.mark.parametrize(
    ("statement", "first"),
    [
        ("n = n * n", "n = 3"),
        ("n = n ** 1000", "n = 3"),
        ("n = n * (n + 1)", "n = n"),
        ("n = (n + m) * (n - m)", "n = n"),
        ("n = max(n, n + m) + max(m, 2 * n)", "n = n"),
        ("x = 9 * x - 1", "n = 1"),
    ],
)
def test_growth_is_refused_at_its_line(statement: str, first: str) -> None:
    report = check_source(HEADER + repeated(statement, 3000, first))
    (found,) = report.diagnostics
    assert found.code == "too-large"
    assert 4 < found.span.line < 3004


def test_doubling_a_public_number_stays_one_term() -> None:
    report = check_source(HEADER + repeated("n = n + n", 3000))
    assert report.functions[0].inputs[0].stability == f"{2**3000}*Abs(n)*d_in"


# -- depth ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [300, 1000])
def test_a_thousand_branches_below_each_other_are_read(count: int) -> None:
    lines = "    if n == 0:\n        t = x\n"
    lines += "".join(f"    elif n == {i}:\n        t = {i} * x\n" for i in range(1, count))
    source = f"@dp.transformation\ndef f(x: dp.Real, n: int):\n    t = x\n{lines}    return t\n"
    report = check_source(HEADER + source)
    assert not report.diagnostics
    assert report.functions[0].inputs[0].stability == f"{count - 1}*d_in"


def test_a_thousand_early_returns_are_read() -> None:
    lines = "".join(f"    if n > {i}:\n        return {i} * x\n" for i in range(1000))
    source = f"@dp.transformation\ndef f(x: dp.Real, n: int):\n{lines}    return x\n"
    assert codes(source) == []


@pytest.mark.parametrize(
    "expression", [" + ".join(["x"] * 2500), "-" * 2500 + "x", "x" + " - x" * 2500]
)
def test_expressions_that_are_nested_too_deep_are_refused(expression: str) -> None:
    source = f"@dp.transformation\ndef f(x: dp.Real):\n    return {expression}\n{GOOD}"
    report = check_source(HEADER + source)
    assert {d.code for d in report.diagnostics} <= {"too-large", "syntax-error"}
    assert all(f.verdict != "refuted" for f in report.functions)


def test_branches_that_are_nested_too_deep_are_refused() -> None:
    lines = "".join(f"    if n > {i}:\n        return {i} * x\n" for i in range(4000))
    source = f"@dp.transformation\ndef f(x: dp.Real, n: int):\n{lines}    return x\n{GOOD}"
    report = check_source(HEADER + source)
    assert verdicts(report) == {"f": "rejected", "good": "proved"}
    assert [d.code for d in report.diagnostics] == ["too-large"]


def test_the_limit_of_recursion_is_restored() -> None:
    before = sys.getrecursionlimit()
    check_source(HEADER + GOOD)
    assert sys.getrecursionlimit() == before


# -- time -----------------------------------------------------------------------------------------

SLOW = chain(12, "f{0}(a) + f{0}(a)", "dp.laplace(a, scale=1)", "f{0}(x)").replace(
    "program", "slow"
)


def test_a_function_that_runs_out_of_time_is_rejected_and_the_others_are_not() -> None:
    report = check_source(HEADER + GOOD + SLOW, options=CheckOptions(timeout=0.05))
    assert verdicts(report) == {"good": "proved", "slow": "rejected"}
    assert [d.code for d in report.diagnostics] == ["out-of-time"]
    assert "`slow` could not be checked in 0.05 seconds" in report.diagnostics[0].message


def test_timeout_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "slow.py"
    path.write_text(HEADER + GOOD + SLOW)
    assert main(["check", str(path), "--timeout", "0.05", "--output-format", "json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["summary"] == {"proved": 1, "rejected": 1, "refuted": 0}
    (diagnostic,) = found["diagnostics"]
    assert (diagnostic["code"], diagnostic["id"]) == ("out-of-time", "DP905")


@pytest.mark.parametrize("seconds", ["-1", "nan", "soon"])
def test_a_timeout_that_is_no_time_is_wrong_usage(
    seconds: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "good.py"
    path.write_text(HEADER + GOOD)
    assert main(["check", str(path), f"--timeout={seconds}"]) == 2
    capsys.readouterr()


def module(tmp_path: Path, source: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    (tmp_path / "limited_program.py").write_text(source)
    monkeypatch.syspath_prepend(str(tmp_path))
    sys.modules.pop("limited_program", None)
    import importlib

    return importlib.import_module("limited_program")


def test_time_limit_of_a_decorated_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = chain(8, "f{0}(a) + f{0}(a)", "dp.laplace(a, scale=1)", "f{0}(x)")
    loaded = module(tmp_path, HEADER + slow, monkeypatch)
    with dp.time_limit(1e-6), pytest.raises(NotProvedError, match="could not be checked"):
        loaded.program(1.0)
    # Checked again when there is more time.
    assert loaded.program.at().map(1) == 256
    with pytest.raises(ValueError, match="no limit"), dp.time_limit(-1):
        pass


def test_what_a_check_made_is_gone_without_a_collector() -> None:
    project = Project()
    # 2**8 calls: a cycle that one of them leaves is seen.
    many = chain(8, "f{0}(a) + f{0}(a)", "dp.laplace(a, scale=1)", "f{0}(x)")
    module = project.parse("program.py", HEADER + many + GOOD)
    assert isinstance(module, Module)
    outcomes(module)
    gc.collect(1)
    gc.disable()
    try:
        outcomes(module)
        assert gc.collect(0) < 200  # of what was made since
    finally:
        gc.enable()


def test_limits_hold_in_the_check_alone() -> None:
    tick()
    effort.no_larger(10**9)
    with within(1e-9), pytest.raises(Exhausted):
        tick()
    tick()


def test_the_limit_around_counts_for_checks_inside() -> None:
    with within(1e-9), within(100), pytest.raises(Exhausted):
        tick()
