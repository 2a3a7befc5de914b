"""`docs/pandas.md` is executed: ten questions in pandas, and the same in checked functions.

Released numbers are random.  Each tolerance of the page is missed with a probability below 1e-6, by
the tails of the noise that the page states, so all of them together below 2e-5 a run.  A page that
misses one is executed once more: by chance it fails twice with a probability below 1e-9.
"""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

pytest.importorskip("pandas")
pytest.importorskip("statsmodels")

PAGE = Path(__file__).resolve().parent.parent / "docs" / "pandas.md"


def test_the_page_is_executed() -> None:
    flags = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
    for _ in range(2):
        found = doctest.testfile(
            str(PAGE), module_relative=False, optionflags=flags, encoding="utf-8"
        )
        assert found.attempted >= 50
        if not found.failed:
            break
    assert not found.failed


def test_ten_questions_each_with_its_line_of_pandas() -> None:
    sections = re.split(r"^## (?=\d+\. )", PAGE.read_text("utf-8"), flags=re.MULTILINE)[1:]
    assert len(sections) == 10
    for section in sections:
        before, _, after = section.partition(">>> @dp.measurement")
        assert "voters" in before and "release.cost" in after, section.splitlines()[0]
