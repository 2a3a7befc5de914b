"""Handlers, samplers and tables replaced after the check: refused, or the release is a test.

Only a run with the library's own handler makes a release that is not marked as a test, and only
while everything on the path of its draws is what was loaded.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest
from checked_modules import load
from spies import open_session

from metricdp.errors import MetricdpError, SourceError
from metricdp.families.family import Draw
from metricdp.families.laplace import LAPLACE, LaplaceNoise
from metricdp.families.recorded import Recorded
from metricdp.maps import make
from metricdp.record import REGISTRY, Registry
from metricdp.run import emit
from metricdp.run.draws import perform
from metricdp.run.emit import Recording, Replay, RunLog, Seeded, handling
from metricdp.spaces import space_of
from metricdp.values import Exact

PROGRAMS = """
import metricdp.run.emit

@dp.measurement
def noisy(x: dp.Real, scale: float):
    return dp.laplace(x, scale=scale)

@dp.measurement
def sampled(rows: dp.Records[float, dp.ChangeOne], b: int):
    return dp.laplace(dp.sum(dp.clamp(dp.sample(b, rows), 0, 1)), scale=1)

@dp.measurement
def noisy_count(rows: dp.Records[float], scale: float):
    return dp.laplace(dp.count(rows), scale=scale)

HOOK = []

@dp.black_box(returns=dp.Data)
def boxed(row):
    metricdp.run.emit._hook()
    return row

@dp.measurement
def answered(x: dp.Data, epsilon: float):
    return dp.randomized_response(boxed(x), epsilon=epsilon, choices=("a", "b"))
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    module = load(tmp_path_factory.mktemp("attack"), PROGRAMS)
    module.noisy(1.0, 1.0)  # checked, before anything is replaced
    module.sampled([0.5, 0.5], 1)
    return module


class Claiming:
    """A handler that says that it makes releases, and adds no noise."""

    test_only = False

    def handle(self, draw: Draw, value: Any) -> Any:
        return float(value)


class Quiet(RunLog):
    """A handler that passes for the library's own."""

    def handle(self, draw: Draw, value: Any) -> Any:
        return float(value)


class Named(Seeded):
    test_only = False


@pytest.mark.parametrize(
    "handler", [Claiming(), Quiet(), Named(1), Recording(Seeded(1)), Recording(Claiming())],
    ids=lambda h: type(h).__name__,
)  # fmt: skip
def test_a_handler_is_not_believed(programs: ModuleType, handler: Any) -> None:
    with handling(handler):
        assert programs.noisy(1.0, 1.0).test_only
        session = open_session(epsilon=4)
        assert session.run(programs.noisy_count, scale=1.0).test_only
        again = session.run(programs.noisy_count, scale=1.0)
    assert again.test_only and session.left() == {"epsilon": 2}


def test_a_handler_that_is_patched_is_not_believed(
    programs: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Seeded, "test_only", False)
    monkeypatch.setattr(Replay, "test_only", False)
    with handling(Seeded(1)):
        assert programs.noisy(1.0, 1.0).test_only
    for handler in (RunLog(), Recording()):
        with pytest.raises(AttributeError):
            handler.handle = lambda draw, value: value  # type: ignore[method-assign, union-attr]
    with pytest.raises(AttributeError):
        Recording().inner = Claiming()  # type: ignore[misc]


def test_the_library_s_own_handler_makes_releases(programs: ModuleType) -> None:
    assert not programs.noisy(1.0, 1.0).test_only
    with handling(RunLog()):
        assert not programs.noisy(1.0, 1.0).test_only
    with handling(Recording()):
        assert not programs.noisy(1.0, 1.0).test_only


def _quiet(*args: Any, **keywords: Any) -> Any:
    return 0


#: Owner (a module, or a class in one) and the name that is replaced.
REPLACED = [
    ("run.emit", "perform"), ("values.numbers", "Numbers.whole"), ("values.forms", "_VECTORS"),
    ("run.applied", "in_arrays"), ("noise.vector_discrete", "nearest"),
    ("noise.flips", "geometric"),
    ("noise.vector_rounded", "places_of_multiples"),
    ("run.emit", "RunLog.handle"), ("run.emit", "RunLog.source"),
    ("noise", "system_source"), ("noise.source", "_SYSTEM"), ("noise.source", "_urandom"),
    ("noise.source", "SystemSource.take"), ("noise.source", "_Words.randbits"),
    ("noise", "discrete_laplace"), ("noise", "bernoulli"), ("noise.rounded", "laplace"),
    ("noise.vector_rounded", "ticks"), ("noise.grid", "choose_grid"), ("run.emit", "drawn"),
    ("families.family", "Draw.scale"), ("run.emit", "current_handler"), ("run.emit", "_COLLECTED"),
    ("checked.execution", "emit"), ("checked.execution", "RowSampler"),
    ("checked.prepared", "site_draws"), ("checked.samples", "positions"),
    ("checked.samples", "RowSampler.__call__"), ("checked.private_selection", "Selector.__call__"),
    ("families.laplace", "LaplaceNoise.plus"), ("families.family", "Family.grid"),
    ("checked.path", "is_test"), ("run.machine", "Machine.noise"),
    ("run.machine", "Machine.arithmetic"), ("values.exact", "Exact.__add__"),
    ("values.exact", "exact"), ("families.chosen", "NoisyMaxChoice.choose"),
    ("families.added", "Rounded.perform"), ("primitives.mechanisms.top_k", "run.__code__"),
    ("primitives.mechanisms.top_k", "_TopK.shown"),
    ("noise.rounded_scalar", "one_laplace.__code__"),
    ("families.recorded", "arguments.__code__"), ("run.draws", "perform.__code__"),
    ("noise.discrete", "discrete_laplace.__defaults__"),
]  # fmt: skip


@pytest.mark.parametrize(("home", "name"), REPLACED, ids=lambda v: v)
def test_what_is_replaced_on_the_path_of_a_draw_is_refused(
    programs: ModuleType, monkeypatch: pytest.MonkeyPatch, home: str, name: str
) -> None:
    """Before data are used, and before anything is spent."""
    session, owner = open_session(epsilon=1), import_module(f"metricdp.{home}")
    *classes, last = name.split(".")
    for each in classes:
        owner = getattr(owner, each)
    new: Any = {"__code__": _quiet.__code__, "__defaults__": (1, 2, 3)}.get(last, _quiet)
    monkeypatch.setattr(owner, last, new)
    with pytest.raises(SourceError, match="replaced after metricdp was loaded"):
        programs.noisy(1.0, 1.0)
    with pytest.raises(SourceError, match="replaced after metricdp was loaded"):
        session.run(programs.noisy_count, scale=1.0)
    monkeypatch.undo()
    assert session.left() == {"epsilon": 1}
    assert not programs.noisy(1.0, 1.0).test_only


#: What gives rows their values, and moves them into their bounds.
OF_ROWS = [
    ("columns.arrays", "range_ticks.__code__"), ("columns.arrays", "Plan.run"),
    ("columns.arrays", "_select.__code__"),
    ("columns.table", "Table.totals"), ("columns.table", "traced"), ("columns.stored", "LARGEST"),
    ("columns.stored", "Stored.piece.__code__"), ("columns.table", "range_of"),
    ("columns.tracing", "merged.__code__"), ("columns.language", "clamp.__code__"),
    ("columns.elementary", "FUNCTIONS"), ("run.rowwise", "bound_of"), ("run.rowwise", "clamp"),
    ("run.applied", "_of_tables"), ("run.machine", "Machine.each"),
    ("run.traced_once", "TracedOnce.asked"),
]  # fmt: skip


@pytest.mark.parametrize(("home", "name"), OF_ROWS, ids=lambda v: v)
def test_what_is_replaced_of_columns_is_refused(
    programs: ModuleType, monkeypatch: pytest.MonkeyPatch, home: str, name: str
) -> None:
    """A row that does not depend on itself alone moves more than was proved."""
    assert not programs.noisy_count([1.0, 2.0], 1.0).test_only
    owner = import_module(f"metricdp.{home}")
    *classes, last = name.split(".")
    for each in classes:
        owner = getattr(owner, each)
    monkeypatch.setattr(owner, last, _quiet.__code__ if last == "__code__" else _quiet)
    with pytest.raises(SourceError, match="replaced after metricdp was loaded"):
        programs.noisy_count([1.0, 2.0], 1.0)
    monkeypatch.undo()
    assert not programs.noisy_count([1.0, 2.0], 1.0).test_only


@pytest.mark.parametrize("name", ["_RUN", "_HANDLER", "current_handler", "is_test"])
def test_another_answer_to_who_answers_makes_no_release(
    programs: ModuleType, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Asked before anything is compared: the run fails, or what it makes is marked as a test."""
    answers = {"_RUN": Claiming(), "current_handler": Claiming, "is_test": lambda handler: False}
    for home in (emit, import_module("metricdp.checked.path")):
        if hasattr(home, name):
            monkeypatch.setattr(home, name, answers.get(name))
    try:
        assert programs.noisy(1.0, 1.0).test_only
    except MetricdpError:
        return


def test_the_registry_is_compared(programs: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(REGISTRY, "top_k", None)
    with pytest.raises(SourceError, match="replaced after metricdp was loaded"):
        programs.noisy(1.0, 1.0)


@pytest.mark.parametrize("name", ["__getitem__", "_whole", "get", "__eq__"])
def test_the_registry_answers_as_it_was_made(
    programs: ModuleType, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(Registry, name, lambda *asked: REGISTRY._held, raising=False)
    with pytest.raises(SourceError, match="replaced after metricdp was loaded"):
        programs.noisy(1.0, 1.0)


def test_the_code_of_the_registry_is_compared(
    programs: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Registry.keys, "__code__", Registry.values.__code__)
    with pytest.raises(SourceError, match="replaced after metricdp was loaded"):
        programs.noisy(1.0, 1.0)


def test_a_method_in_the_place_of_a_note_is_seen(
    programs: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A class that has annotations has no fewer names without them, and one more method."""
    assert "is_sure" not in vars(LaplaceNoise)
    monkeypatch.delattr(LaplaceNoise, "__annotations__")
    monkeypatch.setattr(LaplaceNoise, "is_sure", _quiet, raising=False)
    with pytest.raises(SourceError, match="replaced after metricdp was loaded"):
        programs.noisy(1.0, 1.0)


@pytest.mark.parametrize("kind", [LaplaceNoise, Recorded])
def test_a_method_that_stands_before_an_inherited_one_is_seen(
    programs: ModuleType, monkeypatch: pytest.MonkeyPatch, kind: Any
) -> None:
    assert "is_sure" not in vars(kind)
    monkeypatch.setattr(kind, "is_sure", _quiet, raising=False)
    with pytest.raises(SourceError, match="replaced after metricdp was loaded"):
        programs.noisy(1.0, 1.0)


@pytest.mark.parametrize("field", ["name", "run"])
def test_the_objects_of_families_are_compared(programs: ModuleType, field: str) -> None:
    owner: Any = LAPLACE if field == "name" else REGISTRY["top_k"].family
    kept = getattr(owner, field)
    msgspec.structs.force_setattr(owner, field, _quiet)
    try:
        with pytest.raises(SourceError, match="replaced after metricdp was loaded"):
            programs.noisy(1.0, 1.0)
    finally:
        msgspec.structs.force_setattr(owner, field, kept)


def test_rationals_are_compared(programs: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Fraction.__add__
    monkeypatch.setattr(Fraction, "__add__", lambda self, other: kept(self, other))
    with pytest.raises(SourceError, match=r"Fraction\.__add__"):
        programs.noisy(1.0, 1.0)


def test_library_measurements_and_tracked_values_are_compared(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import metricdp as dp
    from metricdp.maps import functions

    rows = make("count", space_of(dp.Records[float]))
    measurement = rows >> make("laplace", rows.output_space, scale=1)
    for owner, name in ((emit, "emit"), (functions.NoiseDraw, "draw"), (emit, "perform")):
        session = open_session(epsilon=4)
        assert not session.release(measurement).test_only
        tracked = dp.count(session["rows"])
        monkeypatch.setattr(owner, name, _quiet)
        with pytest.raises(SourceError):
            session.release(measurement, fresh=True)
        with pytest.raises(SourceError):
            dp.laplace(tracked, scale=1)
        monkeypatch.undo()
        assert session.left() == {"epsilon": 3}


def _hooked(monkeypatch: pytest.MonkeyPatch, action: Callable[[], Any]) -> None:
    monkeypatch.setattr(emit, "_hook", action, raising=False)


def test_a_black_box_replaces_nothing(
    programs: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its code runs in the middle of the run."""
    _hooked(monkeypatch, lambda: None)
    assert not programs.answered("a", 1.0).test_only
    _hooked(monkeypatch, lambda: monkeypatch.setattr(emit, "perform", _quiet))
    with pytest.raises(SourceError, match="perform"):
        programs.answered("a", 1.0)


def test_a_black_box_does_not_change_the_handler(
    programs: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A randomised answer asked the context again, after the box had changed it."""
    blocks: list[Any] = []

    def enter() -> None:
        blocks.append(handling(Claiming()))
        blocks[-1].__enter__()

    _hooked(monkeypatch, enter)
    record = Recording()
    with handling(record):
        released = programs.answered("a", 1.0)
        blocks[-1].__exit__(None, None, None)
    assert not released.test_only and len(record.log) == 1


def test_a_replaced_sampler_is_used_in_tests_only(
    programs: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Audits and tests may plant what they like: their releases say so."""
    monkeypatch.setattr(emit, "perform", lambda draw, value, source: 17.0)
    with handling(Seeded(1)):
        release = programs.noisy(1.0, 1.0)
    assert release.value == 17.0 and release.test_only


def test_notes_that_python_leaves_on_classes_change_nothing(programs: ModuleType) -> None:
    """Copies of a release, and questions for the annotations of a class on the path."""
    release = programs.noisy(1.0, 1.0)
    assert copy.deepcopy(release).value == release.value
    for kind in type(release.draws[0].family).__mro__:
        getattr(kind, "__annotations__", None)
    assert not programs.noisy(1.0, 1.0).test_only


def test_a_table_of_the_path_names_its_changes(tmp_path: Path) -> None:
    """Everything that is compared is there, and nothing has changed by itself."""
    from metricdp.checked.path import columns_path, library_path, the_path

    path, others = the_path(), (columns_path(), library_path())
    watched = {label for label, _ in path.compared()}
    path.verify()
    for beside in others:
        beside.verify()
        watched |= {label for label, _ in beside.compared()}
    for name in (
        "run.emit.perform", "noise.source.SystemSource.take", "run.emit.emit",
        "columns.table.Table.totals",
    ):  # fmt: skip
        assert name in watched
    assert {perform, Exact.__mul__} <= {*path._functions}
