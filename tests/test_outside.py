"""`docs/outside.md`: what is not read is rejected as it says; what to write instead is proved."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from test_check_kinds_of_nodes import kinds

from metricdp.check import check_source
from metricdp.check.language.python import PYTHON
from metricdp.diagnostics.result import CheckReport

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "outside.md").read_text(encoding="utf-8")
(FRAME,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
ROWS = [
    line.strip("| ").split(" | ")
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith("| what |")
]
#: Kinds that stand inside of others, which are in the tables, and one that is read with its list.
PARTS = {"Starred", "FormattedValue", "Slice", "JoinedStr", "Interpolation", "TemplateStr"}
#: Of newer versions of Python, and of the like of one that the page has.
ALIKE = {"TypeAlias", "TryStar"}


def statements(cell: str) -> list[str]:
    """The lines of a cell; two spaces of the page are one step to the right."""
    lines = re.findall(r"`([^`]+)`", cell)
    return [re.sub(r"^( +)", lambda found: 2 * found[1], line) for line in lines]


def checked(cell: str) -> CheckReport:
    body = "".join(f"    {line}\n" for line in statements(cell))
    return check_source(FRAME.replace("    ...\n", body))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_rows(row: list[str]) -> None:
    _, refused, code, why, instead = row
    report = checked(refused)
    errors = [found for found in report.diagnostics if found.severity == "error"]
    assert [function.verdict for function in report.functions] == ["rejected"]
    name = re.fullmatch(r"\[([\w-]+)\]\(reference/diagnostics\.md#\1\)", code)
    assert name is not None and errors[0].code == name[1] and why
    proved = checked(instead)
    assert [function.verdict for function in proved.functions] == ["proved"], proved.diagnostics


def test_habits_of_data_frames_are_answered_in_the_words_of_the_program() -> None:
    for expression, help in (
        ("towns['name']", "[row.name for row in towns]"),
        ("towns.unique()", "for row in towns if row == n"),
        ("rows.fillna(0)", "dp.impute(rows, 0)"),
        ("rows.shape", "len(rows)"),
        ("[v for v in rows if 3 < v < 99].describe()", "one question after the other: len(rows)"),
    ):
        (found,) = checked(f"`out = {expression}`").diagnostics
        assert found.help is not None and help in found.help, found
    (found,) = checked("`out = rows.plot()`").diagnostics
    assert found.help == "dp.sum, dp.clamp, ... in place of .plot()"


def test_every_kind_of_python_that_is_not_read_is_on_the_page() -> None:
    shown = {
        type(node).__name__
        for row in ROWS
        for node in ast.walk(
            ast.parse("async def f():\n" + "".join(f"    {s}\n" for s in statements(row[1])))
        )
    }
    read = set(PYTHON.expressions) | set(PYTHON.statements) | set(PYTHON.control)
    left = {kind.__name__ for base in (ast.expr, ast.stmt) for kind in kinds(base)} - {
        kind.__name__ for kind in read
    }
    assert left - PARTS - ALIKE <= shown, left - PARTS - ALIKE - shown
    assert len(ROWS) >= 45
