"""`import metricdp` and the checker load nothing slow, and quickly."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SLOW = frozenset("numpy scipy sympy pandas ibis torch click rich pygls statsmodels".split())
LIGHT = ("metricdp", "metricdp.expr", "metricdp.spaces", "metricdp.record", "metricdp.check")


def _loaded(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("module", LIGHT)
def test_import_loads_nothing_slow(module: str) -> None:
    loaded = _loaded(f"import {module}")
    assert module in loaded
    assert not loaded.intersection(SLOW)


def test_checking_loads_no_numpy(tmp_path: Path) -> None:
    program = tmp_path / "double.py"
    program.write_text(
        "import metricdp as dp\n\n@dp.transformation\ndef double(x: dp.Real):\n    return 2 * x\n"
    )
    loaded = _loaded(
        "from metricdp.check import check_paths\n"
        "from metricdp.diagnostics.result import CheckOptions\n"
        f"assert check_paths([{str(program)!r}], CheckOptions()).count('proved') == 1"
    )
    assert not loaded.intersection(SLOW)
