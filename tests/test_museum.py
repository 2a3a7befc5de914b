"""The index of the museum names every hole, and what it names exists."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from mdtest import blocks, programs

MUSEUM = Path(__file__).parent / "programs" / "museum"
INDEX = (MUSEUM / "README.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (?!id |---)(.+?) \| .+? \| (.+) \|$", INDEX, re.MULTILINE)
HOLES = {
    *(f"R{i}" for i in range(1, 8)),
    *(f"U{i}" for i in range(1, 17)),
    *(f"S{i}" for i in range(1, 4)),
    *(f"D{i}" for i in range(1, 16)),
    *(f"Solo {i}" for i in range(1, 7)),
    *(f"DDuo {i}" for i in range(1, 10)),
    *(f"W{i}" for i in range(1, 13)),
    *(f"2026-A{i}" for i in range(1, 20)),
}


def test_every_hole_is_listed_once() -> None:
    names = [name for name, _ in ROWS]
    assert len(names) == len(set(names))
    assert set(names) >= HOLES


@cache
def functions(path: Path) -> set[str]:
    """Names of the tests of a file."""
    tests = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tests.body if isinstance(node, ast.FunctionDef)}


def test_what_the_index_names_exists() -> None:
    for name, cell in ROWS:
        links = re.findall(r"\[(.+?)\]\(([\w./]+?)(?:#([\w-]*))?\)", cell)
        assert links, name
        for text, target, anchor in links:
            path = (MUSEUM / target).resolve()
            if path.suffix == ".py":
                assert text.strip("`") in functions(path), (name, text)
                continue
            with_programs = {program.source.section for program in programs(path)}
            assert text in with_programs, (name, text, target)
            assert anchor == re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-"), name


def test_every_page_of_the_museum_has_programs() -> None:
    for page in MUSEUM.glob("*.md"):
        assert page.name == "README.md" or any(
            b.language == "python" for b in blocks(page.read_text())
        )


def test_every_feature_has_accepted_and_rejected_programs() -> None:
    folder = MUSEUM.parent / "features"
    table = (MUSEUM.parent.parent.parent / "docs" / "features.md").read_text(encoding="utf-8")
    seen: dict[int, str] = {}
    for page in sorted(folder.glob("*.md")):
        for program in programs(page):
            number, _, _ = program.source.section.partition(" ")
            seen[int(number)] = seen.get(int(number), "") + program.source.text
    assert set(seen) == set(range(1, 28))
    for number, text in seen.items():
        assert f"| {number} |" in table
        # Output (24) and the definition that check and run share (23) have nothing to reject.
        wanted = "refuted" if number == 26 else "proved"
        assert f"# {wanted}" in text, number
        assert number in (23, 24, 26) or "# rejected" in text or "# refuted" in text, number
