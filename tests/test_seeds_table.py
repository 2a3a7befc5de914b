"""`docs/seeds.md`: every line of the table names something that is there, and its parts are run."""

from __future__ import annotations

import doctest
import re
from collections import Counter
from pathlib import Path

import pytest
from mdtest import Program, blocks, check, mismatches, programs

HERE = Path(__file__).resolve().parent
DOCS = HERE.parent / "docs"
PAGE = DOCS / "seeds.md"
TEXT = PAGE.read_text(encoding="utf-8")
LINES = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in TEXT.splitlines()
    if line.startswith("| ") and not line.startswith("| document |")
]
PROGRAMS = programs(PAGE)


def found(name: str) -> Path | None:
    """A page of the docs or of the programs, a test, or an OpenDP program."""
    folders = (DOCS, HERE / "programs", HERE)
    return next((folder / name for folder in folders if (folder / name).exists()), None)


@pytest.mark.parametrize("line", LINES, ids=[line[0][:40] for line in LINES])
def test_what_shows_a_line_is_there(line: list[str]) -> None:
    said, verdict, how, shown = line
    assert verdict in ("works", "wrong", "partly", "not") and said
    assert how or verdict == "works", "what holds, or what is missing, is said"
    (reference,) = re.fullmatch(r"`([^`]+)`", shown).groups()  # type: ignore[union-attr]
    file, mark, name = re.fullmatch(r"([\w/.-]+?)(::|#|$)(.*)", reference).groups()  # type: ignore[union-attr]
    path = found(file) if mark or "/" in file else PAGE
    assert path is not None, reference
    text = path.read_text(encoding="utf-8")
    if mark == "#":
        assert re.search(rf"^#+ {re.escape(name)}$", text, re.MULTILINE), reference
    elif mark or path == PAGE:
        assert re.search(rf"^def {name or file}\(", text, re.MULTILINE), reference


def test_the_counts_are_those_of_the_table() -> None:
    counts = Counter(line[1] for line in LINES)
    (stated,) = re.findall(
        r"Of (\d+) lines (\d+) work, (\d+) are wrong, (\d+) work partly, (\d+)", TEXT
    )
    order = ("works", "wrong", "partly", "not")
    assert [*map(int, stated)] == [len(LINES), *(counts[verdict] for verdict in order)]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_programs_are_checked(program: Program, tmp_path: Path) -> None:
    assert not mismatches(program, check(program, tmp_path))


def test_facts_are_executed() -> None:
    text = "\n".join(block.text for block in blocks(TEXT) if block.language == "pycon")
    test = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, None, 0)
    printed: list[str] = []
    flags = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
    doctest.DocTestRunner(optionflags=flags).run(test, out=printed.append)
    assert len(test.examples) >= 9 and not printed, "".join(printed)


def test_the_page_is_found_from_its_neighbours() -> None:
    for name in ("measuring-distance.md", "duet-and-dpi.md"):
        assert "(seeds.md)" in (DOCS / name).read_text(encoding="utf-8")
