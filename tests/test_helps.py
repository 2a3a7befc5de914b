"""Helps work: pasted, or followed, they lead to a program that is closer, for every code.

A help that is an edit is pasted by `help_pastes` into every program of every page.  A help that is
a sentence is followed by hand: pages under `programs/helps` hold, in sections named by the code, a
rejected program and then the one that its help asks for.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import help_pastes
import msgspec
import pytest
from depth import depth
from mdtest import PROGRAM, Program, check, programs
from one_function import beside, lines_of

from metricdp.apps.cli import main
from metricdp.check import check_source
from metricdp.check.verdicts import claims
from metricdp.diagnostics import Diagnostic
from metricdp.diagnostics.catalogue import CATALOGUE
from metricdp.diagnostics.code import PRELUDE
from metricdp.diagnostics.result import CheckReport

FOLDER = Path(__file__).parent / "programs"
PAIRS = FOLDER / "helps"
#: Every help of these pages that is no edit; METRICDP_UPDATE=1 writes it anew, to be read.
SENTENCES = Path(__file__).parent / "snapshots" / "helps-that-are-no-edits.txt"
#: A code is tested on so many programs.
LEAST = 3
#: Most programs that are made of one help.
TRIES = 12
#: Codes that no program of a page can have, or that come without a help.
ELSEWHERE = {
    "internal-error": "a defect of this package: its help asks for a report",
    "unreadable-file": "a file that cannot be read: the reason of the operating system is given",
    "missing-path": "a path that is not there: there is no help",
    "wrong-usage": "a command line, below",
    "out-of-time": "a limit of the machine, below",
    "nothing-checked": "a command line, below",
    "no-source": "a function without a file, at run time",
    "syntax-error": "Python's own sentence is given, and no help",
    "revealed": "what `dp.reveal` shows is an answer, and no mistake",
}
#: Edits that the engine cannot make: (program, code) -> reason.
BY_HAND = {
    ("first_mistakes::a-library-function-beside-one-of-metricdp-1", "unsupported-syntax"): (
        "the function that is imported has no rule either"
    ),
    ("sparse_vector::rejected-queries-that-cannot-be-read-1", "unbounded-sum"): (
        "a function that is named has to be written as a lambda"
    ),
    ("helps/flow::unbounded-branch-4", "unbounded-branch"): "both branches are bounded, see there",
    (
        "museum/red::a-decorator-whose-name-has-two-meanings-does-not-make-the-function-vanish-4",
        "private-return",
    ): "the file has another name for metricdp",
}


class Pasted(NamedTuple):
    """A finding with a help, whether that is an edit, and whether a paste of it is closer."""

    program: str
    found: Diagnostic
    line: str
    edit: bool
    works: bool


@contextmanager
def _without_a_search(program: Program) -> Iterator[None]:
    """No pair is looked for that refutes a claim, where none is found, by test_programs."""
    with pytest.MonkeyPatch.context() as patch:
        if "# refuted" not in program.source.text:
            patch.setattr(claims, "refute", lambda outcome, claimed: None)
        yield


def _pasted(program: Program, folder: Path) -> Iterator[Pasted]:
    report = check(program, folder)  # as test_programs asks for it
    with _without_a_search(program):
        yield from _attempts(program, report, folder)


def _attempts(program: Program, report: CheckReport, folder: Path) -> Iterator[Pasted]:
    source = program.source.text
    helped = [d for d in report.diagnostics if d.help and d.span.file == PROGRAM]
    if not helped:
        return
    for found in helped:
        tried = works = False
        for number, made in enumerate(help_pastes.pasted(source, found)):
            if works or number == TRIES:
                break
            tried = True
            before, made = _alone(report, source, made, found)
            works = help_pastes.closer(before, help_pastes.checked(folder, made), found)
        line = source.splitlines()[found.span.line - 1].strip()
        yield Pasted(program.name, found, line, tried, works)


def _alone(
    report: CheckReport, source: str, made: str, found: Diagnostic
) -> tuple[CheckReport, str]:
    """What is compared: an edit of one function, without those that it cannot concern.

    In depth, the whole program.
    """
    apart = depth(beside(source, made, found.span.line), None)
    if apart is None:
        return report, made
    others, made = apart
    left_out = {line for other in others for line in lines_of(other)}
    kept = tuple(d for d in report.diagnostics if d.span.line not in left_out)
    return msgspec.structs.replace(report, diagnostics=kept), made


@pytest.fixture(scope="module")
def pasted(tmp_path_factory: pytest.TempPathFactory) -> list[Pasted]:
    made: list[Pasted] = []
    for number, program in enumerate(_every()):
        made += _pasted(program, tmp_path_factory.mktemp(f"p{number}", numbered=False))
    return made


@pytest.fixture(scope="module")
def followed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Code -> programs whose help was followed by hand, with success."""
    done: dict[str, list[str]] = defaultdict(list)
    for number, (first, second) in enumerate(_pairs()):
        code = first.source.section
        before = check(first, tmp_path_factory.mktemp(f"a{number}", numbered=False))
        after = check(second, tmp_path_factory.mktemp(f"b{number}", numbered=False))
        found = [d for d in before.diagnostics if d.code == code and d.help]
        if found and _follows(before, after, found[0], second.source.text):
            done[code].append(first.name)
    for code in CATALOGUE.values():
        if code.language == "python":
            before, after = (check_source(PRELUDE + t) for t in (code.rejected, code.mended))
            found = [d for d in before.diagnostics if d.code == code.name and d.help]
            if found and _follows(before, after, found[0], code.mended):
                done[code.name].append(f"the example of {code.name}")
    return done


def _follows(before: CheckReport, after: CheckReport, found: Diagnostic, source: str) -> bool:
    """Whether a program is closer, and has what one of the edits of a help names."""
    named = [
        re.findall(r"dp\.\w+|\b\w+=", text)
        for text in re.split(r"   or   |, or |; or ", found.help)
    ]
    has = any(all(name in source for name in names) for names in named)
    return has and help_pastes.closer(before, after, found)


def _every() -> list[Program]:
    return [program for page in sorted(FOLDER.rglob("*.md")) for program in programs(page)]


def _pairs() -> list[tuple[Program, Program]]:
    found = []
    for page in sorted(PAIRS.glob("*.md")):
        for first, second in pairwise(programs(page)):
            rejected = f"[{first.source.section}]" in first.source.text
            mended = f"[{first.source.section}]" not in second.source.text
            if first.source.section == second.source.section and rejected and mended:
                found.append((first, second))
    return found


@pytest.mark.parametrize("code", [name for name in CATALOGUE if name not in ELSEWHERE])
def test_three_helps_of_a_code_work(
    code: str, pasted: list[Pasted], followed: dict[str, list[str]]
) -> None:
    worked = {
        f"{each.program}:{each.found.span.line}"
        for each in pasted
        if each.found.code == code and each.works
    }
    worked |= set(followed[code])
    assert len(worked) >= LEAST, sorted(worked)


def test_every_help_that_is_an_edit_works(pasted: list[Pasted]) -> None:
    failed = [
        f"{each.program}: {each.found.help!r} in {each.line!r}"
        for each in pasted
        if each.edit and not each.works and (each.program, each.found.code) not in BY_HAND
    ]
    assert sum(each.edit for each in pasted) > 300
    assert not failed, "\n".join(["", *failed])


def test_every_pair_is_closer(followed: dict[str, list[str]]) -> None:
    done = {name for names in followed.values() for name in names}
    assert [first.name for first, _ in _pairs() if first.name not in done] == []


def test_a_help_that_is_no_edit_is_a_known_sentence(pasted: list[Pasted]) -> None:
    said = sorted({f"{each.found.code}: {each.found.help}" for each in pasted if not each.edit})
    if os.environ.get("METRICDP_UPDATE") == "1":
        SENTENCES.write_text("\n".join([*said, ""]), encoding="utf-8")
    assert said == SENTENCES.read_text(encoding="utf-8").splitlines()


def test_sections_name_codes_and_exceptions_are_needed(pasted: list[Pasted]) -> None:
    for page in PAIRS.glob("*.md"):
        assert {program.source.section for program in programs(page)} <= CATALOGUE.keys()
    assert ELSEWHERE.keys() <= CATALOGUE.keys()
    failed = {(each.program, each.found.code) for each in pasted if each.edit and not each.works}
    assert BY_HAND.keys() <= failed


def test_a_help_that_changes_nothing_is_not_closer(tmp_path: Path) -> None:
    source = "import metricdp as dp\n\n@dp.measurement\ndef f(x: dp.Real):\n    return x\n"
    before = help_pastes.checked(tmp_path, source)
    (found,) = before.diagnostics
    assert found.help == "return dp.laplace(x, epsilon=1)"
    (mended,) = list(help_pastes.pasted(source, found))
    assert help_pastes.closer(before, help_pastes.checked(tmp_path, mended), found)
    for wrong in (source, source.replace("return x", "return y"), source.replace("return x", "(")):
        assert not help_pastes.closer(before, help_pastes.checked(tmp_path, wrong), found)


def test_what_an_edit_breaks_elsewhere_is_seen(tmp_path: Path) -> None:
    """Functions that it names, that name it, or that it changes, are not left out."""
    head = "import metricdp as dp\n\n\n"
    one = "@dp.measurement\ndef f(x: dp.Real):\n    return x\n\n\n"
    two = "@dp.measurement\ndef g(x: dp.Real):\n    return {}\n"
    mended = one.replace("return x", "return dp.laplace(x, scale=1)")
    line = 6

    def apart(source: str, made: str) -> list[str] | None:
        found = beside(source, made, line)
        return None if found is None else [function.name for function in found[0]]

    alone, calls = two.format("dp.laplace(x, scale=1)"), two.format("dp.laplace(f(x), scale=1)")
    assert apart(head + one + alone, head + mended + alone) == ["g"]
    assert apart(head + one + calls, head + mended + calls) is None
    assert apart(head + one + alone, head + mended + alone.replace("1", "y")) is None
    assert apart(head + one + alone, head.replace("metricdp", "numpy") + mended + alone) is None
    calling = mended.replace("laplace(x", "laplace(g(x)")
    assert apart(head + one + alone, head + calling + alone) == []
    assert apart(head + one + alone, head + "x = 1\n" + mended + alone) is None
    before = help_pastes.checked(tmp_path, head + one + two.format("x"))
    first, second = before.diagnostics
    made = head + mended + two.format("x")
    left, text = _alone(before, head + one + two.format("x"), made, first)
    assert depth([first], [first, second]) == [*left.diagnostics]
    assert help_pastes.closer(left, help_pastes.checked(tmp_path, text), first)


def test_helps_of_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    body = "def f(x: dp.Real):\n    return dp.laplace(x, scale=1)\n"
    Path("pay.py").write_text(f"import metricdp as dp\n\n\n{body}")
    assert main(["check", "--strict", "pay.py"]) != 0
    assert "@dp.measurement or @dp.transformation above a function" in capsys.readouterr().out
    Path("pay.py").write_text(f"import metricdp as dp\n\n\n@dp.measurement\n{body}")
    assert main(["check", "--strict", "pay.py"]) == 0
    assert main(["check", "--nonsense", "pay.py"]) != 0
    told = capsys.readouterr()
    assert "metricdp check --help" in told.out + told.err
    assert main(["check", "--help"]) == 0
    assert main(["check", "--timeout", "0.000001", "pay.py"]) != 0
    assert "--timeout SECONDS" in capsys.readouterr().out
    assert main(["check", "--timeout", "60", "pay.py"]) == 0
