"""Pins are shared by programs only as long as a new one would hold the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from metricdp.columns import language
from metricdp.primitives import load
from metricdp.record import REGISTRY
from metricdp.run.pins import Pins, present
from metricdp.run.unwritten import Unwritten

load()


def other(*args: Any, **named: Any) -> Any:
    return args, named


def _record(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(REGISTRY, "sum", msgspec.structs.replace(REGISTRY["sum"], tabular=other))


def _equal_record(patch: pytest.MonkeyPatch) -> None:
    patch.setitem(REGISTRY, "sum", msgspec.structs.replace(REGISTRY["sum"]))


def _fewer(patch: pytest.MonkeyPatch) -> None:
    patch.delitem(REGISTRY, "sum")


def _code(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(REGISTRY["sum"].run, "__code__", other.__code__)


def _rule(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(REGISTRY["sum"].rule, "__code__", other.__code__)


def _defaults(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(REGISTRY["sum"].run, "__defaults__", (1,))


def _column(patch: pytest.MonkeyPatch) -> None:
    name = next(r.columnar for r in REGISTRY.values() if isinstance(r.columnar, str))
    patch.setattr(language, name, other)


def _builtin(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("builtins.abs", other)


def _nothing_known(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Unwritten, "now", lambda self: None)


@pytest.mark.parametrize(
    "change",
    [_record, _equal_record, _fewer, _code, _rule, _defaults, _column, _builtin, _nothing_known],
)
def test_after_a_change_there_are_others(change: Callable[[pytest.MonkeyPatch], None]) -> None:
    before = present()
    assert isinstance(before, Pins)
    assert present() is before
    with pytest.MonkeyPatch.context() as patch:
        change(patch)
        assert present() is not before
    assert present() is not before  # what was made meanwhile holds what was there meanwhile
