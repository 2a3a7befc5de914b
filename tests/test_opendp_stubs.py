"""The stubs are those of the constructors, and type checkers read them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import metricdp.opendp
from metricdp.opendp.stubs import stubs

HERE = Path(metricdp.opendp.__file__).parent
PROGRAM = """
import metricdp.opendp as dp
from metricdp.opendp.trans import make_clamp as make_clamp_2021

space = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=150), dp.symmetric_distance()
chain = space >> dp.t.then_clamp((0.0, 100.0)) >> dp.t.then_mean()
found: dp.Measurement = dp.binary_search_chain(lambda s: chain >> dp.m.then_laplace(s), 3, 1.0)
one: dp.Transformation = dp.t.make_clamp(*space, bounds=(0.0, 1.0))
old: dp.Transformation = make_clamp_2021((0.0, 1.0))
text: str = dp.serialize(one)
dp.t.make_clamp(*space, bound=(0.0, 1.0))  # error
dp.t.make_clamps(*space)  # error
dp.m.make_laplace(*space, scale="2")  # error
wrong: dp.Measurement = dp.t.make_count(*space)  # error
"""


def test_stubs_are_up_to_date() -> None:
    for name, text in stubs():
        assert (HERE / name).read_text() == text, "run python -m metricdp.opendp.stubs"


def test_mypy_reads_them(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, "-m", "mypy", "--strict", "--follow-imports=silent"]
    command += ["--cache-dir", str(tmp_path / "cache"), "--config-file", "", str(program)]
    done = subprocess.run(
        command, cwd=HERE.parent.parent, capture_output=True, text=True, timeout=300
    )
    marked = {i for i, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("# error")}
    found = {
        int(line.split(":")[1])
        for line in done.stdout.splitlines()
        if "program.py" in line and ": error:" in line
    }
    assert found == marked, done.stdout
