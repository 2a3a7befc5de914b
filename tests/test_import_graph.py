"""Imports go downwards only, without cycles, by the table of floors in docs/architecture.md."""

from __future__ import annotations

import ast
import re
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest
from house import circles, edges, import_circles, imports, modules

ROOT = Path(__file__).resolve().parent.parent
#: The public front, `python -m metricdp` and the stubs for type checkers stand above every floor.
FRONT = {None, "__main__", "_typing"}
#: Programs as users write them: they import the public front, and nothing below it.
PROGRAMS = {"algorithms"}


def floors() -> dict[str, int]:
    """Unit (a module or package right below metricdp) -> floor, as the document says."""
    found: dict[str, int] = {}
    table = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for floor, units in re.findall(r"^\| (\d+) \| ([^|]+)\|", table, re.MULTILINE):
        found.update(dict.fromkeys(re.findall(r"`(\w+)`", units), int(floor)))
    return found


def unit(module: str) -> str | None:
    """First component below metricdp; None for the package itself."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else None


def test_every_unit_has_a_floor() -> None:
    known = floors()
    assert len(known) >= 12, known
    units = {unit(name) for name in modules()} - FRONT
    assert units <= set(known), f"not in the table of docs/architecture.md: {units - set(known)}"


def test_imports_go_downwards() -> None:
    known = floors()
    upwards = []
    for importer, imported, _ in edges():
        above, below = unit(importer), unit(imported)
        if above in FRONT or above == below or (above in PROGRAMS and below is None):
            continue
        if below in FRONT or known[below] > known[above]:
            upwards.append(f"{importer} imports {imported}")
    assert not upwards


def test_folders_of_check_read_those_below() -> None:
    said = ast.get_docstring(ast.parse((ROOT / "metricdp/check/__init__.py").read_text()))
    assert said is not None
    order = re.findall(r"`(\w+)`", said.partition("from the ground up")[2])
    assert {path.name for path in (ROOT / "metricdp" / "check").glob("[a-z]*/")} == set(order)
    rank = {f"metricdp.check.{name}": position for position, name in enumerate(order)}
    upwards = []
    for importer, imported, _ in edges():
        above, below = (".".join(name.split(".")[:3]) for name in (importer, imported))
        if above in rank and rank.get(below, 0) > rank[above]:
            upwards.append(f"{importer} imports {imported}")
    assert not upwards


def test_units_have_no_cycles() -> None:
    graph: dict[str, set[str]] = {}
    for importer, imported, at_load in edges():
        above, below = unit(importer), unit(imported)
        if at_load and above and below and above != below:
            graph.setdefault(above, set()).add(below)
    TopologicalSorter(graph).prepare()


def test_modules_have_no_cycles() -> None:
    known = modules()
    graph: dict[str, set[str]] = {}
    for importer, imported, at_load in edges():
        # A package that re-exports its modules is loaded before them: no cycle of work.
        if at_load and known[importer].name != "__init__.py":
            graph.setdefault(importer, set()).add(imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"import cycle: {error.args[1]}")


def test_imports_inside_functions_go_in_no_circles() -> None:
    assert import_circles() == []


def test_a_circle_inside_functions_would_be_seen() -> None:
    assert circles([("a", "b"), ("b", "c"), ("c", "b"), ("c", "d")]) == [["b", "c"]]
    tree = ast.parse("class C:\n    def f(self):\n        import metricdp.run\n")
    assert list(imports(tree, "metricdp.x", "metricdp", {"metricdp.run"})) == [
        ("metricdp.run", False)
    ]


def test_an_upward_import_would_be_seen() -> None:
    tree = ast.parse("def f():\n    from metricdp.check import check_paths\n")
    found = list(imports(tree, "metricdp.spaces.x", "metricdp.spaces", {"metricdp.check"}))
    assert found == [("metricdp.check", False)]
    assert floors()["check"] > floors()["spaces"]


def test_files_named_in_the_page_exist() -> None:
    """A path in backquotes is a file or a folder of the package; it would catch a renamed file."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`([a-z_]+(?:/[a-z_]+)+)`", page))
    homes = (ROOT, ROOT / "metricdp", ROOT / "metricdp" / "check")
    gone = {
        name
        for name in named
        if not any((home / name).exists() or (home / f"{name}.py").exists() for home in homes)
    }
    assert len(named) > 80
    assert not gone
