"""`docs/auditing.md` is executed."""

from __future__ import annotations

import doctest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def test_the_page_is_executed() -> None:
    page = (ROOT / "docs" / "auditing.md").read_text(encoding="utf-8")
    text = "\n".join("" if line.startswith("```") else line for line in page.splitlines())
    test = doctest.DocTestParser().get_doctest(text, {}, "auditing.md", None, 0)
    assert len(test.examples) >= 20
    printed: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=printed.append)
    assert not printed, "".join(printed)
