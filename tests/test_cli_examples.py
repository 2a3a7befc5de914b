"""The catalogue's own examples under the real checker: rejected with that code, then proved."""

from __future__ import annotations

from pathlib import Path

import pytest

from metricdp.apps.checking import exit_code
from metricdp.diagnostics.catalogue import CATALOGUE
from metricdp.diagnostics.code import PRELUDE, Code
from metricdp.diagnostics.result import CheckOptions

pytest.importorskip("metricdp.check.verdicts.api")

PROGRAMS = [code for code in CATALOGUE.values() if code.language == "python"]


def checked(text: str, folder: Path) -> tuple[int, set[str]]:
    from metricdp.check import check_paths

    path = folder / "example.py"
    path.write_text(PRELUDE + text, encoding="utf-8")
    report = check_paths([str(path)], CheckOptions())
    return exit_code(report), {found.code for found in report.diagnostics}


#: Findings that inform and do not fail the check.
INFORMS = {"revealed"}
# Code made by `exec` is not in the file: only a run can see that it has no source.
REJECTED = [code for code in PROGRAMS if code.name != "no-source"]


@pytest.mark.parametrize("code", REJECTED, ids=lambda code: code.name)
def test_rejected_example_shows_its_code(code: Code, tmp_path: Path) -> None:
    status, found = checked(code.rejected, tmp_path)
    assert code.name in found
    assert status == (0 if code.name in INFORMS else 1)


@pytest.mark.parametrize("code", PROGRAMS, ids=lambda code: code.name)
def test_mended_example_is_proved(code: Code, tmp_path: Path) -> None:
    status, found = checked(code.mended, tmp_path)
    assert (status, found) == (0, set())
