"""The names of a program decide which records a check loads, and nothing else changes by it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

import metricdp.primitives as primitives
from metricdp.check import check_source
from metricdp.errors import InternalError
from metricdp.primitives.__main__ import index
from metricdp.primitives._index import INDEX
from metricdp.record import REGISTRY, Record, Registry, Row

HERE = Path(__file__).parent
PROGRAM = """
import metricdp as dp

@dp.measurement
def total(rows: dp.Records[float], eps: float):
    return dp.laplace(dp.sum(dp.clamp(rows, 0, 1)), epsilon=eps)
"""


def _printed(*arguments: str) -> str:
    command = [sys.executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=HERE).stdout


def test_the_index_is_current() -> None:
    written = Path(primitives.__file__).with_name("_index.py").read_text(encoding="utf-8")
    assert written == index(), "python -m metricdp.primitives writes it again"


def test_a_record_or_a_program_alone_is_as_among_all() -> None:
    alone, whole = json.loads(_printed("loaded_alone.py"))
    assert alone.keys() == whole.keys() and {*INDEX} < {*alone}
    assert len(alone) > len(INDEX) + 60, "pages write the names of most primitives"
    assert [key for key in whole if alone[key] != whole[key]] == []
    assert not any("Error:" in text[:40] for text in whole.values())


def test_a_check_loads_what_it_names(tmp_path: Path) -> None:
    loaded = _printed(
        "-c",
        "import sys\nfrom metricdp.check import check_source\n"
        f"assert check_source({PROGRAM!r}).functions[0].verdict == 'proved'\n"
        "print(*(m for m in sys.modules if m.startswith('metricdp.primitives.mechanisms.')))",
    ).split()
    assert {name.rpartition(".")[2] for name in loaded} == {"laplace", "_laplace", "_noise"}


def test_a_function_that_runs_has_loaded_all(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    held = _printed(
        "-c",
        f"import sys\nsys.path.insert(0, {str(tmp_path)!r})\nfrom program import total\n"
        "from metricdp.record import REGISTRY\ntotal.guarantee\n"
        "print(*(type(held).__name__ for held in REGISTRY._held.values()))",
    ).split()
    assert held == ["Record"] * len(INDEX)


def _registry(row: Row) -> Registry:
    registry = Registry()
    registry.announce({"abs": row}, primitives.record_of)
    return registry


def test_names_are_known_before_they_are_loaded() -> None:
    registry = _registry(INDEX["abs"])
    assert "abs" in registry and [*registry] == ["abs"] and len(registry) == 1
    assert registry.versions() == "abs1" and "nothing" not in registry
    assert registry._held == {"abs": INDEX["abs"]}
    assert registry.get("nothing") is None and registry.by_operator("nothing") is None
    with pytest.raises(KeyError):
        registry["nothing"]
    record = registry["abs"]
    assert record.name == "abs" and registry.by_operator("abs") is record
    assert registry.by_numpy("numpy.abs") is record and registry.by_seed("abs") == [record]
    assert dict(registry.items()) == {"abs": record} and [*registry.values()] == [record]


@pytest.mark.parametrize("field", range(1, 5))
def test_an_index_that_says_something_else_is_an_error(field: int) -> None:
    row = list(INDEX["abs"])
    row[field] = 7 if field == 1 else ("another",)
    registry = _registry(tuple(row))
    for _ in range(2):
        with pytest.raises(InternalError, match=r"index of primitives is not current.*`abs`"):
            registry["abs"]
    with pytest.raises(InternalError):
        registry.items()


def test_a_module_that_stands_in_no_index_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    more = [*primitives.found(), ("hinge", "scalars")]
    monkeypatch.setattr(primitives, "found", lambda: iter(more))
    with pytest.raises(InternalError, match=r"scalars/hinge\.py"):
        primitives.load()
    monkeypatch.setattr(primitives, "found", lambda: iter(more[1:-1]))
    with pytest.raises(InternalError, match=r"scalars/abs\.py"):
        primitives.load()


def test_a_record_that_cannot_be_loaded_proves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str, theme: str) -> Record:
        raise ImportError(name)

    monkeypatch.setattr(REGISTRY, "_load", broken)
    monkeypatch.setitem(REGISTRY._held, "clamp", INDEX["clamp"])  # type: ignore[arg-type]
    report = check_source(PROGRAM)
    assert [f.verdict for f in report.functions] == ["rejected"]
    assert [d.code for d in report.diagnostics] == ["internal-error"]


def test_a_second_record_of_a_name_or_spelling_is_an_error() -> None:
    registry, record = _registry(INDEX["abs"]), REGISTRY["abs"]
    with pytest.raises(ValueError, match="two records named abs"):
        registry.add(record)
    with pytest.raises(ValueError, match="two records spelled abs"):
        registry.add(msgspec.structs.replace(record, name="other"))
    with pytest.raises(ValueError, match="two records named abs"):
        registry.announce({"abs": INDEX["abs"]}, primitives.record_of)
