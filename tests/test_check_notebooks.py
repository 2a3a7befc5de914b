"""`metricdp check` of notebook files: cells in order, places in cells, names that cells share."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from metricdp.answers.programs import programs
from metricdp.apps.cli import main
from metricdp.check import check_paths
from metricdp.diagnostics import file_and_cell
from metricdp.diagnostics.result import CheckReport
from metricdp.report import render

HEAD = "import metricdp as dp"
TOTAL = """@dp.measurement
def total(rows: dp.Records[float], eps: float):
    return dp.laplace(sum(dp.clamp(v, LO, HI) for v in rows), scale=1 / eps)
"""


def written(path: Path, *cells: str | dict[str, object], **metadata: object) -> str:
    """A notebook file of these cells; a text is a cell of code."""
    made = [
        {"cell_type": "code", "source": cell.splitlines(keepends=True), "outputs": []}
        if isinstance(cell, str)
        else cell
        for cell in cells
    ]
    path.write_text(json.dumps({"nbformat": 4, "cells": made, "metadata": metadata}))
    return str(path)


@pytest.fixture
def checked(tmp_path: Path):  # type: ignore[no-untyped-def]
    def check(*cells: str | dict[str, object], **metadata: object) -> CheckReport:
        return check_paths([written(tmp_path / "book.ipynb", *cells, **metadata)])

    return check


def verdicts(report: CheckReport) -> list[tuple[int, str, str]]:
    return [(file_and_cell(f.file)[1], f.name, f.verdict) for f in report.functions]


def test_names_of_other_cells_are_read_and_places_name_cell_and_line(checked) -> None:  # type: ignore[no-untyped-def]
    note = {"cell_type": "markdown", "source": "# Notes"}
    wrong = "@dp.measurement\ndef bare(rows: dp.Records[float]):\n    return len(rows)\n"
    report = checked(HEAD, note, "  \n", "LO, HI = 0, 20\nhalf = lambda v: v / 2", TOTAL, wrong)
    assert verdicts(report) == [(3, "total", "proved"), (4, "bare", "rejected")]
    assert report.functions[0].inputs[0].privacy == {"epsilon": "20*eps", "delta": "0"}
    (found,) = report.diagnostics
    assert found.code == "private-return" and found.span.file.endswith("book.ipynb:cell 4")
    text = render(report, "text")
    assert "book.ipynb:cell 4:3:5" in text and "3 |     return len(rows)" in text
    # Hosts show files: the notebook, without a line that would be one of its JSON.
    github = render(report, "github")
    assert "book.ipynb,title=" in github and "::cell 4, line 3: `bare`" in github
    (result,) = json.loads(render(report, "sarif"))["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].endswith("ipynb")
    assert "region" not in result["locations"][0]["physicalLocation"]


def test_cells_are_reported_in_their_order(checked) -> None:  # type: ignore[no-untyped-def]
    text = render(checked(HEAD, "LO, HI = 0, 1", *[TOTAL] * 9), "text")
    assert text.index("cell 9:") < text.index("cell 10:") < text.index("cell 11:")


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        # What stands before the function is overwritten before it is called.
        (("LO, HI = 0, 9", "HI = 20", TOTAL), "20*eps"),
        (("LO, HI = 0, 20", TOTAL, "LO, HI = 0, 20"), "20*eps"),
        ((TOTAL, "LO, HI = 0, 20"), "20*eps"),
        # Calls before the last cell would have another bound than calls after it.
        (("LO, HI = 0, 20", TOTAL, "HI = 200"), None),
        (("LO, HI = 0, 20", TOTAL, "for HI in (1, 200): pass"), None),
        (("LO, HI = 0, 20", TOTAL, "%time HI = 200"), None),
        (("LO, HI = 0, 20", TOTAL, "HI = !cat bound.txt"), None),
        (("LO, HI = 0, 20", TOTAL, "from bounds import *"), None),
        (("LO, HI = 0, 20", TOTAL, "def sum(rows): return 2 * len(rows)"), None),
        (("LO, HI = 0, 20", TOTAL, "dp.clamp = max"), None),
        (("LO, HI = 0, 20", "HI += 1", TOTAL), None),
        (("LO, HI = 0, 20", "del HI", TOTAL), None),
        (("LO = 0", TOTAL), None),
        ((TOTAL, "LO, HI = 0, 20", "HI = 200"), None),
    ],
)  # fmt: skip
def test_a_name_means_what_all_calls_would_find(  # type: ignore[no-untyped-def]
    checked, cells: tuple[str, ...], expected: str | None
) -> None:
    (function,) = checked(HEAD, *cells).functions
    assert function.verdict == ("proved" if expected else "rejected")
    assert expected is None or function.inputs[0].privacy == {"epsilon": expected, "delta": "0"}


def test_a_function_that_is_written_again_is_a_version_of_its_own(checked) -> None:  # type: ignore[no-untyped-def]
    report = checked(HEAD, "LO, HI = 0, 20", TOTAL, TOTAL.replace("HI)", "2 * HI)"))
    assert [f.inputs[0].privacy["epsilon"] for f in report.functions] == ["20*eps", "40*eps"]  # type: ignore[index]
    # A helper that changes after a function was written changes what that function does.
    helper = "def cut(v):\n    return dp.clamp(v, 0, {})"
    using = TOTAL.replace("dp.clamp(v, LO, HI)", "cut(v)")
    report = checked(HEAD, helper.format(1), using, helper.format(9), using)
    assert verdicts(report) == [(3, "total", "rejected"), (5, "total", "proved")]
    (found,) = report.diagnostics
    assert "book.ipynb:cell 2 and to something else in" in found.message


def test_lines_of_ipython_are_passed_over(checked) -> None:  # type: ignore[no-untyped-def]
    report = checked(
        f"%matplotlib inline\n!pip install metricdp 'x\n{HEAD}\ndp.clamp?",
        "%%bash\nLO=7 it's",
        "%%time\nLO, HI = 0, 20\ntext = '''\n%time LO = 9\n'''",
        TOTAL + "x = (7\n  % 4)\n%timeit 1 + 1",
    )
    assert verdicts(report) == [(4, "total", "proved")] and not report.diagnostics


def test_what_is_no_python_and_what_is_no_notebook(checked, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    report = checked(HEAD, "LO, HI = 0, 20", "def f(:\n", TOTAL)
    assert verdicts(report) == [(4, "total", "proved")]
    (found,) = report.diagnostics
    assert (found.code, found.span.line) == ("syntax-error", 1) and "cell 3" in found.span.file
    (found,) = checked(HEAD, kernelspec={"language": "R"}).diagnostics
    assert found.code == "unreadable-file" and "R" in found.message
    for text in ("{", "[]", '{"cells": 3}', '{"worksheets": []}', "[" * 100_000, "\x00"):
        (tmp_path / "book.ipynb").write_text(text)
        (found,) = check_paths([str(tmp_path / "book.ipynb")]).diagnostics
        assert found.code == "unreadable-file", text


def test_folders_and_the_other_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path / "book.ipynb", HEAD, "LO, HI = 0, 20", TOTAL)
    empty = written(tmp_path / "empty.ipynb", "1 + 1")

    def told(*arguments: str) -> str:
        main(arguments)
        captured = capsys.readouterr()
        return captured.out + captured.err

    assert "1 program: 1 proved" in told("check", str(tmp_path))
    assert "nothing-checked" in told("check", path, empty)
    assert "nothing-checked" not in told("check", path)
    assert len(programs([path]).outcomes) == 1
    assert "released with scale 1/eps" in told("explain", f"{path}:cell 3:3")
    assert "which cell?" in told("explain", f"{path}:3")
    assert "cell by cell" in told("audit", path)
