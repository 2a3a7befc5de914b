"""The help of an infinite bound is an edit: with numbers for its public names it is proved."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from metricdp.check import check_paths
from metricdp.diagnostics.result import CheckOptions

HEADER = (
    "from typing import Annotated\n"
    "import metricdp as dp\n"
    "from metricdp import Bounds, Data, Int, L1, L2, LInf, Real, Size, Vector\n\n"
)
VECTOR = "Annotated[Vector[Real, L2], Size(4)]"
ROW = "Annotated[Vector[Data, LInf], Size(4)]"
#: Parameters, and the expression that has no finite bound.
PROGRAMS = [
    ("x: Real, y: Real", "1 / y"),
    ("x: Annotated[Real, Bounds(0, 1)], y: Real", "x / y"),
    ("x: Real, y: Annotated[Real, Bounds(1, 9)]", "x / y"),
    ("x: Real, y: Real", "x / y"),
    ("x: Real, y: Real", "x * y"),
    ("x: Real", "x ** 2"),
    ("x: Real", "dp.log(x)"),
    ("x: Real", "dp.exp(x)"),
    ("x: Data", "dp.undisc(x)"),
    (f"x: {ROW}", "dp.norm(dp.undisc(x), dp.L2)"),
    ("x: Int", "1 / x"),
]
#: What a person writes for the public names of an edit.
NUMBERS = {"lower": "2", "upper": "5"}


def bounds(directory: Path, parameters: str, expression: str) -> tuple[bool, list[str]]:
    """Whether every bound is finite, and the edits that are offered."""
    path = directory / "program.py"
    path.write_text(f"{HEADER}@dp.transformation\ndef f({parameters}):\n    return {expression}\n")
    report = check_paths([path], CheckOptions())
    (found,) = report.functions
    assert found.verdict == "proved", report.diagnostics
    finite = all(i.stability is not None and "oo" not in str(i.stability) for i in found.inputs)
    return finite, [d.help for d in report.diagnostics if d.help]


@pytest.mark.parametrize(("parameters", "expression"), PROGRAMS)
def test_help_pastes(tmp_path: Path, parameters: str, expression: str) -> None:
    finite, edits = bounds(tmp_path, parameters, expression)
    assert not finite
    for _ in range(2):  # one edit per missing fact
        assert edits, "no edit is offered"
        pasted = re.sub(r"\b(lower|upper)\b", lambda m: NUMBERS[m[1]], edits[0])
        if "undisc" in expression and expression != "dp.undisc(x)":
            pasted = expression.replace("dp.undisc(x)", pasted)
        assert pasted != expression
        expression = pasted
        finite, edits = bounds(tmp_path, parameters, expression)
        if finite:
            return
    raise AssertionError(expression)
