"""The front has types: editors and type checkers see names, arguments and results."""

from __future__ import annotations

import inspect
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import pytest

import metricdp as dp
from metricdp.checked.rules import rule_names
from metricdp.checked.stubs import stub

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAY = re.findall(r"```python file=pay.py\n(.*?)```", README, re.DOTALL)[0]
CALLS = """
import numpy as np

released = mean_visits([0.0, 3.0], eps=1.0)
again = mean_visits(np.zeros(3), eps=1.0, strict=True)
print(released.value + 1, again.cost, mean_visits.at(eps=1.0).map(3))
session = dp.Session({"visits": (dp.Records[float], [0.0])}, budget=dp.Budget(epsilon=1))
print(session.run(mean_visits, eps=0.25).value, dp.algorithms, dp.clamp(3, 0, upper=9))
mean_visit([0.0], eps=1.0)  # error
mean_visits([0.0], epsilon=1.0)  # error
dp.laplac(3, scale=1)  # error
dp.laplace(3, eps=1)  # error
mean_visits([0.0], eps="1")  # error
mean_visits.att(eps=1.0)  # error
"""


def pyright(folder: Path, program: str) -> set[int]:
    """Lines on which pyright finds an error."""
    pytest.importorskip("pyright")
    (folder / "program.py").write_text(program)
    (folder / "pyrightconfig.json").write_text(f'{{"extraPaths": ["{ROOT}"]}}')
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "program.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert re.search(r"^\d+ errors?", done.stdout, re.MULTILINE), done.stdout + done.stderr
    return {int(line) for line in re.findall(r"program\.py:(\d+):\d+ - error", done.stdout)}


def marked(program: str) -> set[int]:
    return {i for i, line in enumerate(program.splitlines(), 1) if line.endswith("# error")}


def test_mistakes_are_errors_in_an_editor(tmp_path: Path) -> None:
    assert pyright(tmp_path, PAY + CALLS) == marked(PAY + CALLS)
    assert len(marked(CALLS)) == 6


def test_the_readme_shows_no_errors(tmp_path: Path) -> None:
    blocks = re.findall(r"```pycon\n(.*?)```", README, re.DOTALL)
    (block,) = [b for b in blocks if "import metricdp.opendp as dp" in b]
    lines = [line[4:] for line in block.splitlines() if line.startswith((">>> ", "... "))]
    assert len(lines) >= 6
    assert pyright(tmp_path, "\n".join(lines)) == set()


def test_spaces_mean_the_same_to_pyright(tmp_path: Path) -> None:
    for name in ("accepted.py", "rejected.py"):
        program = (ROOT / "tests" / "typing_cases" / name).read_text(encoding="utf-8")
        assert pyright(tmp_path, program) == marked(program), name


def test_the_stub_is_up_to_date() -> None:
    stored = (ROOT / "metricdp" / "__init__.pyi").read_text(encoding="utf-8")
    assert stored == stub(), "run python -m metricdp.checked.stubs"


def test_every_primitive_says_what_it_takes() -> None:
    for name in rule_names():
        function = getattr(dp, name)
        assert inspect.signature(function).parameters
        assert "One call: dp." in function.__doc__, name
        assert "Proof." in function.__doc__, name


def test_help_shows_signature_and_call() -> None:
    shown = pydoc.plain(pydoc.render_doc(dp.clip))
    assert "clip(x, norm, radius=1)" in shown
    assert "One call: dp.clip(x, dp.L1, radius=1000)" in shown
    assert "x in Vector[Real, L1] of 1" in shown


def test_the_stub_names_what_the_package_has() -> None:
    text = (ROOT / "metricdp" / "__init__.pyi").read_text(encoding="utf-8")
    names = set(re.findall(r"^(?:def|from \S+ import \S+ as) (\w+)", text, re.MULTILINE))
    assert set(dp.__all__) | set(rule_names()) <= names
    for name in names:
        assert hasattr(dp, name), name
