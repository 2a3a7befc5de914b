"""The pages on laws' distances are executed: what Python prints is what they say."""

from __future__ import annotations

import doctest
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parent.parent / "docs"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
#: Page -> the least number of its examples.
PAGES = {"metric-formulations.md": 35, "distances.md": 20}


def run(text: str, name: str) -> tuple[int, str]:
    """Examples of a page, and what went wrong."""
    test = doctest.DocTestParser().get_doctest(_code(text), {}, name, None, 0)
    printed: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=printed.append)
    return len(test.examples), "".join(printed)


def _code(text: str) -> str:
    return "\n".join("" if line.startswith("```") else line for line in text.splitlines())


@pytest.mark.parametrize("page", PAGES)
def test_the_page_is_executed(page: str) -> None:
    examples, wrong = run((DOCS / page).read_text(encoding="utf-8"), page)
    assert not wrong, wrong
    assert examples >= PAGES[page]


@pytest.mark.parametrize("page", PAGES)
def test_a_wrong_number_is_noticed(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    wrong = text.replace("\nln(3)\n", "\nln(4)\n", 1)
    assert wrong != text
    assert "ln(3)" in run(wrong, page)[1]


def test_every_correction_is_on_the_page() -> None:
    text = (DOCS / "metric-formulations.md").read_text(encoding="utf-8")
    assert text.count("**Correction:") == 6
