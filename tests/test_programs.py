"""Runs every program of `tests/programs/*.md`; METRICDP_UPDATE=1 rewrites the text snapshots."""

from __future__ import annotations

import doctest
import importlib.util
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from mdtest import PROGRAM, Program, check, mismatches, programs, same

from metricdp.diagnostics import Diagnostic, Span
from metricdp.diagnostics.result import CheckReport, FunctionReport, InputReport
from metricdp.report import render_text

FOLDER = Path(__file__).parent / "programs"
PAGES = sorted(FOLDER.rglob("*.md"))
PROGRAMS = [program for page in PAGES for program in programs(page)]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_program(program: Program, tmp_path: Path) -> None:
    report = check(program, tmp_path)
    wrong = mismatches(program, report)
    assert not wrong, "\n".join(["", *wrong])
    if program.snapshot is not None:
        _compare_snapshot(program, render_text(report, color=False).rstrip() + "\n")
    if program.session is not None:
        _run_session(program, tmp_path / PROGRAM)


def test_pages_hold_every_verdict() -> None:
    said = "\n".join(program.source.text for program in PROGRAMS)
    assert len(PROGRAMS) >= 30
    for verdict in ("# proved", "# rejected", "# refuted"):
        assert said.count(verdict) >= 5, verdict


def test_every_wrong_expectation_is_noticed(tmp_path: Path) -> None:
    right = (
        "# T\n\n```python\nimport metricdp as dp\n\n@dp.measurement\n"
        "def f(x: dp.Real, b: float):  # rejected\n    # privacy(x): epsilon=1/b, delta=0\n"
        "    # requires: b > 0\n    return x  # error: [private-return]\n```\n"
    )
    cost = {"epsilon": "b**(-1)", "delta": "0"}
    function = FunctionReport(
        PROGRAM,
        "f",
        4,
        "measurement",
        "rejected",
        inputs=(InputReport("x", True, privacy=cost), InputReport("b", False)),
        requires=("b > 0",),
    )
    found = Diagnostic("private-return", Span(PROGRAM, 7, 12, 7, 13), "a sentence")
    report = CheckReport((function,), (found,))
    edits = (
        ("# rejected", "# proved"),
        ("  # rejected", ""),
        ("epsilon=1/b", "epsilon=b"),
        (", delta=0", ""),
        ("b > 0", "b > 1"),
        ("private-return", "private-escape"),
        ("[private-return]", '[private-return] "another sentence"'),
        ("  # error: [private-return]", ""),
        ("privacy(x)", "stability(x)"),
        ("privacy(x)", "privacy(b)"),
    )
    page = tmp_path / "page.md"
    for old, new in (("", ""), *edits):
        page.write_text(right.replace(old, new) if old else right, encoding="utf-8")
        (program,) = programs(page)
        assert bool(mismatches(program, report)) == bool(old), new


def test_expressions_compare_as_mathematics() -> None:
    assert same("2*d_in/b", "d_in*(1/b + 1/b)", ["1", "2"])
    assert same("2**k - 1", "Sum(2**i, (i, 0, k - 1))", ["1"])
    assert not same("2*d_in", "2", ["1", "2"])
    assert not same("oo", "2", ["1"])
    assert same("oo", "oo", ["1"])


def _compare_snapshot(program: Program, text: str) -> None:
    assert program.snapshot is not None
    if os.environ.get("METRICDP_UPDATE") == "1":
        page = program.page.read_text(encoding="utf-8")
        old = f"```text\n{program.snapshot.text}```"
        program.page.write_text(page.replace(old, f"```text\n{text}```", 1), encoding="utf-8")
        return
    assert text == program.snapshot.text


def _run_session(program: Program, path: Path) -> None:
    assert program.session is not None
    with _imported(path) as module:
        case = doctest.DocTestParser().get_doctest(
            program.session.text,
            dict(vars(module)),
            program.name,
            str(program.page),
            program.session.line - 1,
        )
        lines: list[str] = []
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        result = doctest.DocTestRunner(optionflags=flags).run(case, out=lines.append)
    assert result.attempted > 0
    assert result.failed == 0, "".join(lines)


class _imported:
    """The program as a module of its own, importable files beside it, forgotten afterwards."""

    def __init__(self, path: Path) -> None:
        self.path, self.folder = path, str(path.parent)

    def __enter__(self) -> ModuleType:
        self.known = set(sys.modules)
        sys.path.insert(0, self.folder)
        spec = importlib.util.spec_from_file_location("program", self.path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules["program"] = module
        spec.loader.exec_module(module)
        return module

    def __exit__(self, *exc: object) -> None:
        sys.path.remove(self.folder)
        for name in list(_from_folder(self.folder, self.known)):
            del sys.modules[name]


def _from_folder(folder: str, known: set[str]) -> Iterator[str]:
    for name, module in sys.modules.items():
        if name not in known and (getattr(module, "__file__", None) or "").startswith(folder):
            yield name
