"""Tests in several processes: what fails, ends its process or is not run has not passed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from forks import parts

ROOT = Path(__file__).resolve().parent.parent
FILES = {
    "test_fails.py": """
import subprocess, sys, warnings, pytest

@pytest.fixture
def spoilt():
    yield
    assert 0, "while tearing down"

def test_of_its_own(tmp_path):
    assert [*tmp_path.iterdir()] == []
    (tmp_path / "one").touch()

def test_says():
    subprocess.run([sys.executable, "-c", "print('from a process')"])
    print("from Python")
    assert [1, 2] == [1, 3]

def test_warns(): warnings.warn("as an error")
def test_spoilt(spoilt): pass

@pytest.mark.skip(reason="for a reason")
def test_skipped(): pass

@pytest.mark.xfail(strict=True)
def test_passes_and_should_not(): pass
""",
    "test_ends.py": """
import os, signal

def test_ended(): os.kill(os.getpid(), signal.SIGKILL)
def test_after(): pass
""",
    "test_leaves.py": """
import os

def test_ends_as_if_well(): os._exit(0)
""",
}


def test_only_what_passed_has_passed(tmp_path: Path) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    given = ["--forks", "3", "-rfEs", "-p", "no:cacheprovider", "--rootdir", str(ROOT)]
    command = [sys.executable, "-m", "pytest", "-p", "tests.forks", "-c", "pyproject.toml", *given]
    done = subprocess.run([*command, tmp_path], cwd=ROOT, capture_output=True, text=True)
    told = re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
    assert done.returncode == 1
    assert {name.rpartition("/")[2] for name in told} == {
        "test_fails.py::test_says",
        "test_fails.py::test_warns",
        "test_fails.py::test_spoilt",
        "test_fails.py::test_passes_and_should_not",
        "test_ends.py::test_ended",
        "test_ends.py::test_after",
        "test_leaves.py::test_ends_as_if_well",
    }, done.stdout
    for said in ("At index 1 diff: 2 != 3", "from a process", "from Python", "ended with signal 9"):
        assert said in done.stdout
    assert "for a reason" in done.stdout and "2 passed, 1 skipped, 1 error" in done.stdout


def test_a_file_is_one_part_the_longest_first_and_pages_are_one() -> None:
    files = ["test_a.py", "test_a.py", "test_by_row.py", "new.py", "test_b.py", "test_helps.py"]
    times = {"test_a.py": 1.0, "test_by_row.py": 0.5, "test_helps.py": 2.0, "test_b.py": 9.0}
    assert parts(files, times, unknown=3.0) == [[4], [3], [2, 5], [0, 1]]
