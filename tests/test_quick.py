"""`make quick`: what a changed file chooses within a minute, and what is said of the rest."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

from durations import TABLE, UNKNOWN, Case, cases, recorded, spent, table
from quick import ROOT, Choice, Concerned, Part, arguments, changed_files, choose, told
from quick import texts as repository

KNOWN = recorded(TABLE.read_text(encoding="utf-8"))
SMALL = {
    "README.md": "# T\n\n```console\n$ metricdp check pay.py\n```\n",
    "metricdp/__init__.py": "",
    "metricdp/a/__init__.py": "from metricdp.a.deep import name\n",
    "metricdp/a/deep.py": "from metricdp.low import low\n",
    "metricdp/low.py": "low = 1\n",
    "metricdp/other.py": "",
    "metricdp/primitives/clamp.py": 'record = register(Record("clamp", rule))\n',
    "tests/helper.py": "from metricdp.a import name\n",
    "tests/test_direct.py": "def test():\n    from metricdp.low import low\n",
    "tests/test_exported.py": "from metricdp.a import name\n",
    "tests/test_helped.py": "import helper\n",
    "tests/test_named.py": "monkeypatch.setattr('x', \"metricdp.low\")\n",
    "tests/test_other.py": "from metricdp.other import x\n",
    "tests/laws/test_sound.py": "",
    "tests/programs/vectors.md": "dp.clamp(x, 0, 1)\n",
    "tests/programs/leaks.md": "dp.exp(x)\n",
}
TIMES = dict.fromkeys(SMALL, 1.0)


def chosen(*changed: str, budget: float = 50.0) -> dict[str, Concerned]:
    found = choose(changed, SMALL, TIMES, budget).chosen
    return {str(each.part): each for each in found if each.why != "always"}


def test_importers_are_found_the_nearest_first() -> None:
    found = chosen("metricdp/low.py")
    assert {name: each.steps for name, each in found.items()} == {
        "tests/test_direct.py": 1,
        "tests/test_named.py": 1,
        "tests/test_exported.py": 2,
        "tests/test_helped.py": 3,
    }
    assert list(found.values()) == sorted(found.values(), key=lambda each: each.steps)


def test_a_changed_test_and_a_changed_helper() -> None:
    assert chosen("tests/test_other.py")["tests/test_other.py"].why == "changed"
    assert list(chosen("tests/helper.py")) == ["tests/test_helped.py"]
    assert list(chosen("tests/programs/leaks.md")) == ["tests/test_programs.py -k leaks"]


def test_a_primitive_has_its_laws_and_its_pages() -> None:
    assert list(chosen("metricdp/primitives/clamp.py")) == [
        "tests/laws/test_sound.py -k clamp",
        "tests/test_programs.py -k vectors",
    ]


def test_without_a_change_there_is_the_core() -> None:
    names = [str(each.part) for each in choose([], SMALL, TIMES).chosen]
    assert names == [
        "tests/test_readme.py -k line-4",
        "tests/test_programs.py -k museum",
        "tests/test_import_graph.py",
        "tests/test_museum.py",
    ]


def test_what_does_not_fit_is_left_out_and_told() -> None:
    times = {**TIMES, "tests/test_direct.py": 50.0, "tests/test_helped.py": 50.0}
    choice = choose(["metricdp/low.py"], SMALL, times, budget=20.0)
    assert [each.part.file for each in choice.left_out] == [
        "tests/test_direct.py",
        "tests/test_helped.py",
    ]
    assert sum(each.seconds for each in choice.chosen) <= 20.0
    text = told(["metricdp/low.py"], choice, 20.0)
    assert (
        "left out, since a minute holds 20 s:\n  imports metricdp/low.py (50 s): test_direct"
        in text
    )
    assert "left out, since several imports away: 1, 50 s" in text
    assert f"no import leads there: {choice.untouched} files" in text
    assert "concerns every test" in told(["pyproject.toml"], choice)


def test_the_repository_itself() -> None:
    texts = repository()

    def names(*changed: str) -> list[str]:
        return [str(each.part) for each in choose(changed, texts, KNOWN).chosen]

    clamp = names("metricdp/primitives/scalars/clamp.py")
    assert "tests/laws/test_sound.py -k clamp" in clamp
    assert any(name.startswith("tests/test_programs.py -k ") for name in clamp[4:])
    assert "tests/test_report_formats.py" in names("metricdp/report/annotations.py")
    assert "tests/test_readme.py" in names("README.md")
    planted = {
        **texts,
        "tests/test_planted.py": "from metricdp.report.annotations import render_sarif\n",
    }
    found = choose(["metricdp/report/annotations.py"], planted, KNOWN)
    assert "tests/test_planted.py" in [each.part.file for each in found.chosen]
    assert "tests/test_planted.py" not in names("metricdp/report/annotations.py")


def test_times_are_recorded_for_the_files_that_there_are() -> None:
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py")}
    assert len(files & set(KNOWN)) >= 0.9 * len(files), "run `make durations`"


def test_the_table_of_durations() -> None:
    report = ElementTree.fromstring(
        '<r><testcase classname="tests.laws.test_sound" name="test_a[clamp-0]" time="0.25"/>'
        '<testcase classname="tests.laws.test_sound" name="test_b[clamp-1]" time="0.5"/>'
        '<testcase classname="tests.laws.test_sound" name="test_b[clip_rows-1]" time="0.25"/>'
        '<testcase classname="metricdp.errors" name="metricdp.errors.f" time="0.125"/></r>'
    )
    found = list(cases(report))
    assert found[0] == Case("tests/laws/test_sound.py", "clamp", 0.25)
    known = recorded(table(found))
    assert known == {
        "metricdp/errors.py": 0.12,
        "tests/laws/test_sound.py": 1.0,
        "tests/laws/test_sound.py[clamp]": 0.75,
    }
    assert spent("tests/laws/test_sound.py", ["clamp"], known) == 1.0
    assert spent("tests/laws/test_new.py", [], known) == UNKNOWN


def test_changed_files_are_those_of_the_branch(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        name = ["-c", "user.name=n", "-c", "user.email=e"]
        subprocess.run(["git", *name, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init", "--initial-branch", "main")
    for name in ("kept.py", "edited.py", "committed.py"):
        (tmp_path / name).write_text("")
    git("add", ".")
    git("commit", "-m", "first")
    git("checkout", "-b", "work")
    (tmp_path / "committed.py").write_text("1")
    git("commit", "-a", "-m", "second")
    (tmp_path / "edited.py").write_text("1")
    (tmp_path / "untracked.py").write_text("")
    assert changed_files(tmp_path) == ["committed.py", "edited.py", "untracked.py"]


def test_pytest_runs_what_was_chosen() -> None:
    each = [
        Concerned(Part("tests/laws/test_documented.py", ("clamp",)), 0, "", 1.0),
        Concerned(Part("tests/test_quick.py"), 0, "", 1.0),
        Concerned(Part("metricdp/errors.py"), 0, "", 1.0),
    ]
    words = arguments(Choice(tuple(each), (), 0).chosen)
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run([*command, *words], cwd=ROOT, capture_output=True, text=True)
    counts = dict(line.rsplit(": ", 1) for line in done.stdout.splitlines() if ": " in line)
    assert 3 <= int(counts["tests/laws/test_documented.py"]) <= 9, done.stdout
    assert int(counts["tests/test_quick.py"]) >= 8
