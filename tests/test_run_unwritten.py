"""What shows a write: every way to write to what is compared, and none of what only reads it."""

from __future__ import annotations

import builtins
import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from checked_modules import load
from msgspec.structs import force_setattr

from metricdp.checked.path import columns_path, library_path, the_path
from metricdp.errors import SourceError
from metricdp.families.added import Rounded
from metricdp.families.laplace import LAPLACE, LaplaceNoise
from metricdp.noise import certified, system_source
from metricdp.noise.source import SystemSource, _Words
from metricdp.record import REGISTRY, Registry
from metricdp.run import unwritten
from metricdp.run.pins import Pins
from metricdp.run.unwritten import Unwritten


class Slotted:
    __slots__ = ("table", "value")

    def __init__(self) -> None:
        self.value: Any = 1
        self.table: Any = {"a": 1}


class Kind:
    x: Any = 1


def works(x: Any = 1, *, y: Any = 2) -> Any:
    return x, y


def other(x: Any = 1, *, y: Any = 2) -> Any:
    return y, x


MODULE: Any = ModuleType("module")
TABLE: dict[str, Any] = {"a": 1}
HELD = Slotted()


def global_write() -> None:
    exec("global g\ng = object()", vars(MODULE))


WRITES: dict[str, Callable[[], object]] = {
    "another value in a table": lambda: TABLE.update(a=2),
    "an equal one of another type": lambda: TABLE.update(a=True),
    "one more": lambda: TABLE.setdefault("b", 3),
    "one less": lambda: TABLE.pop("b", None) or TABLE.pop("a"),
    "none left": TABLE.clear,
    "a name of a class": lambda: setattr(Kind, "x", object()),
    "a method that is looked up first": lambda: setattr(Kind, "__len__", lambda self: 0),
    "a name that goes": lambda: delattr(Kind, "__len__"),
    "a name of a module": lambda: setattr(MODULE, "x", object()),
    "a global": global_write,
    "code": lambda: setattr(works, "__code__", other.__code__),
    "defaults": lambda: setattr(works, "__defaults__", (True,)),
    "no defaults": lambda: setattr(works, "__defaults__", None),
    "named defaults": lambda: setattr(works, "__kwdefaults__", {"y": 2}),
    "a slot": lambda: setattr(HELD, "value", True),
    "a table in a slot": lambda: HELD.table.update(a=1.0),
    "another table in a slot": lambda: setattr(HELD, "table", {"a": 1}),
}  # fmt: skip


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES)
def test_every_write_shows(write: Callable[[], object]) -> None:
    TABLE.setdefault("a", 1)
    looked = Unwritten([TABLE, vars(Kind), vars(MODULE)], [works], [(HELD, Slotted.__slots__)])
    before = looked.now()
    assert before is not None
    works(1)
    Kind().x, HELD.value, MODULE.__name__, TABLE["a"], copy.copy(TABLE), dir(Kind)
    assert looked.now() == before
    write()
    assert looked.now() != before


def test_named_defaults_are_a_table() -> None:
    looked = Unwritten([], [other])
    before = looked.now()
    assert other.__kwdefaults__ is not None
    other.__kwdefaults__["y"] = 2.0
    assert looked.now() != before


def test_what_was_replaced_by_what_lies_at_an_address_again_is_not_the_same() -> None:
    """Code that is gone leaves its address to other code; only what is kept alive counts."""

    def run() -> int:
        return 0

    looked = Unwritten([], [run])
    first = looked.now()
    kept, seen = run.__code__, set()
    for number in range(50):
        exec(compile(f"def made(): return {number}", "", "exec"), space := {})  # type: ignore[var-annotated]
        run.__code__ = space.pop("made").__code__
        seen.add(looked.now())
    assert seen == {None}
    run.__code__ = kept
    assert looked.now() == first


def test_an_object_with_a_dictionary_is_refused() -> None:
    with pytest.raises(Exception, match="more fields"):
        Unwritten([], [], [(Kind(), ())])


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("unwritten._AFTER", (3, 11)),
        ("unwritten._Words.__array_interface__", {"version": 3, "shape": (-1,)}),
        ("unwritten._of_dictionaries", lambda: None),
        ("unwritten._of_functions", lambda: None),
        ("unwritten._of_classes", lambda: None),
    ],
)
def test_where_writes_are_not_counted_all_is_compared(
    place: str, value: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"metricdp.run.{place}", value)
    unwritten._layout.cache_clear()
    unwritten._memory.cache_clear()
    try:
        path = Pins()
        assert path._written.now() is None
        path.verify()
        monkeypatch.setattr(builtins, "sum", max)
        with pytest.raises(SourceError):
            path.verify()
    finally:
        unwritten._layout.cache_clear()
        unwritten._memory.cache_clear()


@pytest.mark.parametrize("of", [the_path, columns_path, library_path, Pins])
def test_nothing_is_compared_twice(of: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    path = of()
    path.verify()
    asked: list[int] = []
    monkeypatch.setattr(type(path), "_compare", lambda self: asked.append(1))
    path._same = path._written.now()  # that was a write to a class of the path
    path.verify()
    assert not asked
    monkeypatch.setattr(type(path), "_other", 1, raising=False)
    path.verify()
    assert len(asked) == (of is the_path)


@pytest.mark.parametrize(
    "write",
    [
        lambda patch: patch.setitem(REGISTRY._held, "laplace", copy.copy(REGISTRY["laplace"])),
        lambda patch: patch.setattr(REGISTRY, "_held", {**REGISTRY._held, "laplace": None}),
        lambda patch: patch.setattr(Registry, "__getitem__", Registry.get),
        lambda patch: patch.setattr("metricdp.noise.source.system_source", None),
        lambda patch: patch.setattr("metricdp.noise.rounded.laplace.__code__", other.__code__),
    ],
)  # fmt: skip
def test_after_calls_without_a_comparison_a_write_is_refused(write: Any) -> None:
    path = the_path()
    for _ in range(3):
        path.verify()
    with pytest.MonkeyPatch.context() as patch:
        write(patch)
        for _ in range(3):
            with pytest.raises(SourceError):
                path.verify()
    path.verify()
    pickle.loads(pickle.dumps(LAPLACE))  # leaves notes on classes
    path.verify()


def test_a_dictionary_that_took_the_place_of_another_is_looked_at() -> None:
    """The registry with another table of the same records is compared each time from then on."""
    path, held = the_path(), REGISTRY._held
    path.verify()
    try:
        REGISTRY._held = dict(held)
        path.verify()
        REGISTRY._held["laplace"] = copy.copy(held["laplace"])
        with pytest.raises(SourceError):
            path.verify()
    finally:
        REGISTRY._held = held
    path.verify()


def test_a_field_of_a_family() -> None:
    path = the_path()
    path.verify()
    was = LAPLACE.name
    force_setattr(LAPLACE, "name", "other")
    try:
        with pytest.raises(SourceError):
            path.verify()
    finally:
        force_setattr(LAPLACE, "name", was)
    path.verify()


class AsModule(ModuleType):
    """A module whose functions are others."""

    log_scalar = property(lambda self: lambda word: 0.0)


class NoNoise(LaplaceNoise, frozen=True):
    def plus(self, *given: Any) -> Any:
        return given[0]


class OwnRegistry(Registry):
    __slots__ = ()


class NoBits(SystemSource):
    __slots__ = ()

    def take(self, n: int) -> bytes:
        return b"\x80" * n


@pytest.mark.parametrize(
    ("held", "kind"),
    [
        (certified, AsModule), (LAPLACE, NoNoise), (REGISTRY, OwnRegistry),
        (system_source(), NoBits),
    ],
    ids=lambda each: getattr(each, "__name__", type(each).__name__),
)  # fmt: skip
def test_another_class_in_the_place_of_one_is_refused(held: Any, kind: Any, tmp_path: Path) -> None:
    """Names, code and fields stay as they are; what is asked by attribute would be another's."""
    noisy = load(
        tmp_path,
        "@dp.measurement\ndef noisy(x: dp.Real):\n    return dp.laplace(x, scale=1)\n",
    ).noisy
    was, put = type(held), force_setattr if held is LAPLACE else setattr
    for _ in range(2):
        assert not noisy(5.0).test_only
        put(held, "__class__", kind)
        try:
            for _ in range(2):
                with pytest.raises(SourceError, match="the class of"):
                    noisy(5.0)
        finally:
            put(held, "__class__", was)


class FewBits(_Words):
    __slots__ = ()

    def randbits(self, k: int) -> int:
        return 1 << (k - 1)


class Known(Rounded, frozen=True):
    def perform(self, *given: Any) -> Any:
        return 42.0


@pytest.mark.parametrize(("kind", "base"), [(SystemSource, FewBits), (LaplaceNoise, Known)])
def test_another_base_of_a_class_is_refused(kind: Any, base: Any, tmp_path: Path) -> None:
    """What a class inherits is in the dictionaries of its bases, which would be others."""
    noisy = load(
        tmp_path,
        "@dp.measurement\ndef noisy(x: dp.Real):\n    return dp.laplace(x, scale=1)\n",
    ).noisy
    was = kind.__bases__
    assert not noisy(5.0).test_only
    kind.__bases__ = (base,)
    try:
        for _ in range(2):
            with pytest.raises(SourceError, match="a base of"):
                noisy(5.0)
    finally:
        kind.__bases__ = was
    assert not noisy(5.0).test_only
    the_path.cache_clear()  # an equal order at another address is compared each time
