"""The front has types: editors and type checkers see names, arguments and results."""

from __future__ import annotations

import inspect
import json
import pydoc
import re
import subprocess
import sys
import tomllib
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


def readme_program() -> str:
    """What the README types of OpenDP's names."""
    blocks = re.findall(r"```pycon\n(.*?)```", README, re.DOTALL)
    (block,) = [b for b in blocks if "import metricdp.opendp as dp" in b]
    lines = [line[4:] for line in block.splitlines() if line.startswith((">>> ", "... "))]
    assert len(lines) >= 6
    return "\n".join(lines)


def typing_case(name: str) -> str:
    return (ROOT / "tests" / "typing_cases" / f"{name}.py").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pyright(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[int]]:
    """Program -> lines on which pyright finds an error; one run, which reads metricdp once."""
    pytest.importorskip("pyright")
    folder = tmp_path_factory.mktemp("front")
    programs = {"mistakes": PAY + CALLS, "readme": readme_program()}
    programs |= {name: typing_case(name) for name in ("accepted", "rejected")}
    for name, program in programs.items():
        (folder / f"{name}.py").write_text(program, encoding="utf-8")
    # What `type: ignore` says is for mypy, which reads these files beside metricdp.
    settings = {"extraPaths": [str(ROOT)], "enableTypeIgnoreComments": False}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    files = [f"{name}.py" for name in programs]
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, *files]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert re.search(r"^\d+ errors?", done.stdout, re.MULTILINE), done.stdout + done.stderr
    found = re.findall(r"(\w+)\.py:(\d+):\d+ - error", done.stdout)
    return {name: {int(line) for file, line in found if file == name} for name in programs}


def marked(program: str) -> set[int]:
    return {i for i, line in enumerate(program.splitlines(), 1) if line.endswith("# error")}


def test_mistakes_are_errors_in_an_editor(pyright: dict[str, set[int]]) -> None:
    assert pyright["mistakes"] == marked(PAY + CALLS)
    assert len(marked(CALLS)) == 6


def test_the_readme_shows_no_errors(pyright: dict[str, set[int]]) -> None:
    assert pyright["readme"] == set()


def test_spaces_mean_the_same_to_pyright(pyright: dict[str, set[int]]) -> None:
    for name in ("accepted", "rejected"):
        assert pyright[name] == marked(typing_case(name)), name


def test_mypy_reads_the_same_cases() -> None:
    """It finds every error that is marked: strict, it calls a `type: ignore` of none an error."""
    read = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
    assert "tests/typing_cases" in read["files"] and read["strict"] is True
    assert "warn_unused_ignores" not in read
    for name, errors in (("accepted", 0), ("opendp", 4), ("rejected", 3)):
        lines = typing_case(name).splitlines()
        assert [line for line in lines if "type: ignore" in line] == [
            line for line in lines if re.search(r"# type: ignore\[[a-z, -]+\]  # error$", line)
        ]
        assert sum("type: ignore" in line for line in lines) == errors


def test_the_stub_is_up_to_date() -> None:
    stored = (ROOT / "metricdp" / "__init__.pyi").read_text(encoding="utf-8")
    assert stored == stub(), "run python -m metricdp.checked.stubs"


def test_every_primitive_says_what_it_takes() -> None:
    for name in rule_names():
        function = getattr(dp, name)
        assert inspect.signature(function).parameters
        assert "One call:\n    >>> " in function.__doc__, name
        assert "Proof." in function.__doc__, name


def test_help_shows_signature_and_call() -> None:
    shown = pydoc.plain(pydoc.render_doc(dp.clip))
    assert "clip(x, norm, radius=1)" in shown
    assert "return dp.clip(v, dp.L2, radius=1)" in shown and "[0.6, 0.8]" in shown
    assert "x in Vector[Real, L1] of n" in shown and "make_clamp" in pydoc.render_doc(dp.clamp)


def test_the_stub_names_what_the_package_has() -> None:
    text = (ROOT / "metricdp" / "__init__.pyi").read_text(encoding="utf-8")
    names = set(re.findall(r"^(?:def|from \S+ import \S+ as) (\w+)", text, re.MULTILINE))
    assert set(dp.__all__) | set(rule_names()) <= names
    for name in names:
        assert hasattr(dp, name), name
