"""The primitive of CONTRIBUTING.md is executed: it registers, checks, survives, and is tight."""

from __future__ import annotations

import importlib.util
import itertools
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest
from mdtest import blocks

from metricdp.check import check_paths
from metricdp.diagnostics.result import CheckOptions
from metricdp.primitives import THEMES
from metricdp.record import REGISTRY, Arg, Record, read, register

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def hinge(tmp_path: Path) -> Iterator[Record]:
    """The record of the tutorial, registered for one test."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    (block,) = [b for b in blocks(text) if "file" in b.options]
    assert not (ROOT / block.options["file"]).exists(), "the tutorial adds a file that exists"
    path = tmp_path / "hinge.py"
    path.write_text(block.text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("tutorial.hinge", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["tutorial.hinge"] = module
    try:
        spec.loader.exec_module(module)
        yield register(read(module, THEMES[Path(block.options["file"]).parent.name]))
    finally:
        REGISTRY.pop("hinge", None)
        del sys.modules["tutorial.hinge"]


def test_the_checker_knows_it(hinge: Record, tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(
        "import metricdp as dp\n\n"
        "@dp.transformation\ndef f(x: dp.Real):\n    return 3 * dp.hinge(x)\n"
    )
    (function,) = check_paths([str(program)], CheckOptions()).functions
    assert function.verdict == "proved"
    assert function.inputs[0].stability == "3*d_in"


def test_it_is_sound_and_tight(hinge: Record) -> None:
    (instance,) = hinge.instances()
    moves = hinge.rule(x=Arg(space=instance.private["x"], private=True)).maps["x"]
    (bound,) = moves.values()
    values = [Fraction(n, 2) for n in range(-6, 7)]
    for x, y in itertools.product(values, values):
        allowed = bound.exact({"d_in": abs(x - y)})
        assert abs(hinge.run(x) - hinge.run(y)) <= allowed
    for d in (1, 2, 3):
        left, right = hinge.tight(instance, d, Fraction(0))
        moved = abs(hinge.run(left["x"]) - hinge.run(right["x"]))
        assert moved == bound.exact({"d_in": d})


def test_the_guide_stays_short() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 50
