"""Code annotated with spaces type-checks: what mypy accepts and what it refuses."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "typing_cases"


def mypy(path: Path, cache: Path) -> tuple[int, str]:
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent"]
    command += ["--cache-dir", str(cache), "--config-file", "", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


def test_mypy_on_annotated_code(tmp_path: Path) -> None:
    code, text = mypy(CASES / "accepted.py", tmp_path)
    assert code == 0, text
    rejected = CASES / "rejected.py"
    code, text = mypy(rejected, tmp_path)
    lines = rejected.read_text().splitlines()
    marked = {i for i, line in enumerate(lines, 1) if line.endswith("# error")}
    found = {int(line.split(":")[1]) for line in text.splitlines() if ": error:" in line}
    assert code == 1
    assert found == marked, text
