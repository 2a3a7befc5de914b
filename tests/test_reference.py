"""The reference is current, closed, and says what `help` says."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import metricdp as dp
from metricdp import algorithms, audit, laws, measures
from metricdp.checked.codes import codes_of
from metricdp.checked.reference.__main__ import examples
from metricdp.checked.reference.objects import GROUPS, objects_of
from metricdp.checked.reference.pages import pages
from metricdp.checked.rules import rule_names
from metricdp.record import REGISTRY

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
AGAIN = "run python -m metricdp.checked.reference (and then metricdp.checked.stubs)"


@pytest.fixture(scope="module")
def made() -> dict[str, str]:
    return dict(pages())


def headings(text: str) -> set[str]:
    return set(re.findall(r"^## (\S+)$", text, re.MULTILINE))


def test_examples_print_what_is_written() -> None:
    stored = (ROOT / "metricdp" / "primitives" / "_examples.py").read_text(encoding="utf-8")
    assert stored == examples(), AGAIN


def test_pages_are_current(made: dict[str, str]) -> None:
    stored = {f"reference/{page.name}" for page in (DOCS / "reference").glob("*.md")}
    assert stored | {"reference.md"} == set(made), AGAIN
    for name, text in made.items():
        assert (DOCS / name).read_text(encoding="utf-8") == text, f"{name}: {AGAIN}"


def test_every_public_name_has_its_place(made: dict[str, str]) -> None:
    found = {name for page in made.values() for name in headings(page)}
    wanted = set(rule_names()) | set(dp._NAMES)
    wanted |= {name for group in GROUPS for name in objects_of(group)}
    assert wanted <= found, f"no page for {sorted(wanted - found)}"


def test_every_primitive_has_an_example_and_a_source() -> None:
    for record in REGISTRY.values():
        if record.kind == "control":
            continue
        assert record.example, (
            f'{record.name}: write example = "x: dp.Real = 3; dp.{record.name}(x)"'
        )
        assert "Source:" in record.proof, record.name


def test_every_name_of_the_front_has_a_call(made: dict[str, str]) -> None:
    text = "".join(
        made[f"reference/{group}.md"] for group in ("programs", "spaces", "sessions", "maps")
    )
    for name in dp._NAMES:
        section = re.split(rf"^## (?:maps\.)?{name}$", text, flags=re.MULTILINE)[1]
        assert "```pycon" in section.split("\n## ")[0], name


def test_links_lead_somewhere(made: dict[str, str]) -> None:
    anchors = {
        name: {h.lower().replace(".", "") for h in headings(text)} for name, text in made.items()
    }
    for name, text in made.items():
        for page, anchor in re.findall(r"\]\(([\w./-]*\.md)?(?:#([\w-]+))?\)", text):
            file = (DOCS / name).parent.joinpath(page).resolve() if page else DOCS / name
            assert file.is_file(), (name, page)
            target = str(file.relative_to(DOCS))
            if target.startswith("algorithms/"):
                continue
            assert target in made, (name, page)
            assert not anchor or anchor in anchors[target], (name, page, anchor)


def test_pages_and_help_say_the_same(made: dict[str, str]) -> None:
    for name in ("clamp", "laplace", "histogram", "join"):
        shown = getattr(dp, name).__doc__
        (page,) = [text for text in made.values() if re.search(rf"^## {name}$", text, re.MULTILINE)]
        section = re.split(rf"^## {name}$", page, flags=re.MULTILINE)[1].split("\n## ")[0]
        for line in filter(None, map(str.strip, shown.splitlines())):
            if line.endswith(":") or re.match(r"[\w -]+: ", line):
                continue
            assert line in section, (name, line)


def test_codes_are_those_that_a_rule_gives() -> None:
    assert "reversed-bounds" in codes_of(REGISTRY["clamp"])
    assert "unbounded-sum" in codes_of(REGISTRY["sum"])
    assert "wrong-norm" in codes_of(REGISTRY["laplace"])
    assert "unbounded-sum" not in codes_of(REGISTRY["clamp"])


def test_no_public_function_is_hidden_by_a_file_of_its_name() -> None:
    """Importing `audit.x` binds the name in `audit`: a function of that name would be gone."""
    found = []
    for package in (dp, algorithms, audit, laws, measures):
        for name in package.__all__:
            value = getattr(package, name)
            own = getattr(value, "__module__", "") == package.__name__
            hidden = isinstance(value, ModuleType) or (isinstance(value, FunctionType) and own)
            if hidden and find_spec(f"{package.__name__}.{name}") is not None:
                found.append(f"{package.__name__}.{name}")
    assert not found
