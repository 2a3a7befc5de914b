"""A module makes a record by its names; what is forgotten or misspelt is an error at load."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import pytest

from metricdp.primitives import THEMES, load
from metricdp.record import REGISTRY, Conclusion, Spelling, read
from metricdp.spaces import Scalar

WHOLE = """
from fractions import Fraction

def rule(x): ...
def run(x): return x
def instances(): return ()
def tight(instance, d, tol): return None
"""


def module(text: str = WHOLE, doc: str | None = "twice: the double.", **names: Any) -> ModuleType:
    """A module of this text, with these names added."""
    made = ModuleType("folder.twice", doc)
    exec(text, vars(made))
    vars(made).update(names)
    return made


def test_the_names_of_a_module_are_the_record() -> None:
    spelling = Spelling(seed=("double",))
    given = module(spelling=spelling, version=3, Space=Scalar, conclude=Conclusion, _own=1, MOST=2)
    record = read(given, "transformation")
    assert (record.name, record.proof, record.kind) == ("twice", given.__doc__, "transformation")
    assert record.run(3) == 3 and record.spelling is spelling and record.version == 3
    assert record.tabular is None


@pytest.mark.parametrize("name", ["rule", "run", "instances", "tight"])
def test_a_part_that_is_missing(name: str) -> None:
    given = module()
    delattr(given, name)
    with pytest.raises(ValueError, match=f"lacks {name}"):
        read(given, "transformation")


def test_a_kind_that_is_missing_or_another() -> None:
    with pytest.raises(ValueError, match="lacks kind"):
        read(module())
    assert read(module(kind="control")).kind == "control"
    with pytest.raises(ValueError, match="a mechanism by its folder, and says control"):
        read(module(kind="control"), "mechanism")


def test_a_proof_note_and_a_law_are_needed() -> None:
    with pytest.raises(ValueError, match="lacks a docstring"):
        read(module(doc=None), "transformation")
    with pytest.raises(ValueError, match="lacks law"):
        read(module(), "mechanism")


@pytest.mark.parametrize("line", ["def arrray(x): ...", "spellling = 3", "class helper: ..."])
def test_a_misspelt_part_is_no_helper(line: str) -> None:
    name = line.split()[0 if "=" in line else 1].split("(")[0].rstrip(":")
    with pytest.raises(ValueError, match=f"{name} is no part"):
        read(module(f"{WHOLE}\n{line}\n"), "transformation")
    read(module(f"{WHOLE}\n{line}\n__all__ = ['{name}']\n"), "transformation")


def test_every_theme_is_loaded_in_order() -> None:
    load()
    first = {REGISTRY[name].kind for name in ("abs", "clip", "matmul", "count", "select_column")}
    assert first == {"transformation"} and THEMES["control"] is None
    assert REGISTRY["laplace"].kind == "mechanism" and REGISTRY["branch"].kind == "control"
    order = list(REGISTRY)
    assert order.index("abs") < order.index("trunc") < order.index("clip") < order.index("laplace")
