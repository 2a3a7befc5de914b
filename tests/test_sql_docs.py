"""`docs/sql.md` is executed."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parent.parent / "docs" / "sql.md"


def test_the_page_is_executed() -> None:
    pytest.importorskip("statsmodels")
    pytest.importorskip("sqlglot")
    page = PAGE.read_text(encoding="utf-8")
    text = "\n".join("" if line.startswith("```") else line for line in page.splitlines())
    test = doctest.DocTestParser().get_doctest(text, {}, "sql.md", None, 0)
    assert len(test.examples) >= 10
    printed: list[str] = []
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    doctest.DocTestRunner(optionflags=flags).run(test, out=printed.append)
    assert not printed, "".join(printed)
