"""Code with spaces and constructors type-checks: what mypy accepts and what it refuses."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CASES = ROOT / "tests" / "typing_cases"
#: No settings but one: what Rich and Matplotlib name and metricdp does not is not read.
SETTINGS = """[mypy]
[mypy-IPython.*,PIL.*,prompt_toolkit.*]
follow_imports = skip
"""


def test_mypy_finds_the_errors_that_are_marked(tmp_path: Path) -> None:
    """One run for all files: most of its time goes into reading metricdp."""
    pytest.importorskip("mypy")
    paths = sorted(CASES.glob("*.py"))
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent"]
    (settings := tmp_path / "mypy.ini").write_text(SETTINGS)
    command += ["--cache-dir", os.devnull, "--config-file", str(settings), *map(str, paths)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    marked = {
        (path.name, number)
        for path in paths
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if line.endswith("# error")
    }
    errors = [line.split(":") for line in done.stdout.splitlines() if ": error:" in line]
    found = {(Path(name).name, int(number)) for name, number, *_ in errors}
    assert done.returncode == 1
    assert found == marked, done.stdout + done.stderr
    assert {name for name, _ in marked} == {"opendp.py", "rejected.py"}
    assert {path.name for path in paths} == {"accepted.py", "opendp.py", "rejected.py"}
