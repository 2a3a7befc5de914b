"""`docs/measuring-distance.md` is executed: sessions, programs, tables of constants, names."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest
from mdtest import Program, blocks, check, mismatches, programs, same

import metricdp as dp
from metricdp.check import check_source
from metricdp.diagnostics.result import CheckOptions
from metricdp.record import REGISTRY

PAGE = Path(__file__).resolve().parent.parent / "docs" / "measuring-distance.md"
TEXT = PAGE.read_text(encoding="utf-8")
PROGRAMS = programs(PAGE)
HEAD = "import metricdp as dp\nfrom typing import Annotated\n"
NORMS = ("L1", "L2", "LInf")


def table(first: str) -> list[list[str]]:
    """The rows of the table whose first head cell is `first`, cell by cell."""
    lines = TEXT[TEXT.index(f"\n| {first} |") + 1 :].split("\n\n", 1)[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def test_sessions_are_executed() -> None:
    text = "\n".join(block.text for block in blocks(TEXT) if block.language == "pycon")
    test = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, None, 0)
    printed: list[str] = []
    doctest.DocTestRunner().run(test, out=printed.append)
    assert len(test.examples) >= 20
    assert not printed, "".join(printed)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_programs_are_checked(program: Program, tmp_path: Path) -> None:
    assert not mismatches(program, check(program, tmp_path))


def test_tables_of_constants_are_what_is_proved() -> None:
    """One transformation per cell, in one file; both tables, vectors and matrices."""
    cases: dict[str, str] = {}
    source = HEAD
    for of in ("vector", "matrix"):
        for p, *cells in table("vector, from"):
            for q, cell in zip(NORMS, cells, strict=True):
                name = f"from_{p}_to_{q}_{of}"
                size = 'dp.Size("n")' if of == "vector" else 'dp.Size("rows", "n")'
                space = f"Annotated[dp.{of.title()}[dp.Real, dp.{p}], {size}]"
                body = f"dp.norm_convert(dp.{q}, x)"
                source += f"@dp.transformation\ndef {name}(x: {space}):\n    return {body}\n"
                cases[name] = cell
    for p, *cells in table("clip to"):
        for q, cell in zip(NORMS, cells, strict=True):
            name = f"clip_{p}_in_{q}"
            space = f'Annotated[dp.Vector[dp.Real, dp.{q}], dp.Size("n")]'
            body = f"dp.norm_convert(dp.{q}, dp.clip(x, dp.{p}))"
            source += f"@dp.transformation\ndef {name}(x: {space}):\n    return {body}\n"
            cases[name] = cell
    report = check_source(source, "cells.py", CheckOptions())
    proved = {found.name: found for found in report.functions}
    assert len(cases) == len(proved) == 27
    for name, cell in cases.items():
        bound = proved[name].inputs[0].stability
        expected = f"({cell.replace('min(', 'Min(').replace('max(', 'Max(')})*d_in"
        assert bound and same(expected, bound, ["1", "2"]), (name, bound, cell)


def test_every_name_of_the_seeds_is_in_the_index_and_is_ours() -> None:
    index = table("there")
    there = " ".join(row[0] for row in index)
    for name in REGISTRY.seeds():
        assert re.search(rf"`{name}\b", there), name
    ours = [name for row in index for name in re.findall(r"`dp\.(\w+)", row[1])]
    assert len(ours) >= 35
    for name in ours:
        assert getattr(dp, name), name


def test_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\(([\w-]+\.md)\)", TEXT):
        assert (PAGE.parent / target).exists(), target
    beside = (PAGE.parent / "duet-and-dpi.md").read_text(encoding="utf-8")
    assert "(measuring-distance.md)" in beside
