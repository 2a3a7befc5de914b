"""Runs at the same public numbers share what exact numbers say, and nobody writes to it."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from checked_modules import load

from metricdp.checked import prepared
from metricdp.errors import ParameterError
from metricdp.run.emit import Recording, Seeded, handling
from metricdp.values import ExactVector

PROGRAMS = """
@dp.measurement
def noisy(rows: dp.Records[float], scale: float):
    return dp.laplace(dp.sum(dp.clamp(rows, 0, 1)), scale=scale)

@dp.measurement
def said(x: dp.Data, eps: float):
    return dp.randomized_response(x, epsilon=eps, choices=("a", "b"))

@dp.measurement
def scaled(rows: dp.Records[float], top: float, scale: float):
    return dp.laplace(dp.sum(dp.clamp(rows, 0, top)), scale=scale)
"""
ROWS = [0.25, 0.5, 2.0]


@pytest.fixture
def programs(tmp_path: Path) -> ModuleType:
    return load(tmp_path, PROGRAMS)


def test_what_a_release_shows_is_no_part_of_the_next_run(programs: ModuleType) -> None:
    shown = programs.noisy(ROWS, 3.0).draws[0]
    for number in (shown.scale, shown.bound):
        number._numerator = 0
    shown.extra["threshold"] = 1
    again = programs.noisy(ROWS, 3.0)
    assert (again.draws[0].scale, again.draws[0].bound) == (3, 1)
    assert again.draws[0].extra == {}
    again.privacy["epsilon"] = "0"
    assert programs.noisy(ROWS, 3.0).privacy["epsilon"] != "0"


def test_what_a_handler_is_given_is_no_part_of_the_next_run(programs: ModuleType) -> None:
    with handling(Recording()) as kept:
        first = programs.said("a", 2.0).draws[0].extra["epsilon"]
    kept.log[0].draw.extra.update(epsilon=Fraction(0), k=3)
    assert programs.said("a", 2.0).draws[0].extra == {"k": 2, "epsilon": first}


def test_a_run_for_tests_prepares_nothing_for_a_release(
    programs: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = prepared.site_draws

    def quiet(*given: Any) -> Any:
        found = real(*given)
        for draw in found.values():
            draw.scale._numerator = 0  # type: ignore[union-attr]
        return found

    with monkeypatch.context() as patched, handling(Seeded(1)):
        patched.setattr(prepared, "site_draws", quiet)
        assert programs.noisy(ROWS, 5.0).draws[0].scale == 0
    assert programs.noisy(ROWS, 5.0).draws[0].scale == 5


def test_every_number_has_its_own_draws_and_bounds(programs: ModuleType) -> None:
    for top in (1.0, 2.0, 0.5, 1.0, 1):
        with handling(Recording(Seeded(1))) as kept:
            released = programs.scaled(ROWS, top, 7.0)
        assert kept.log[0].value == sum(min(Fraction(x), Fraction(top)) for x in ROWS)
        assert released.draws[0].bound == Fraction(top)
    with pytest.raises(ParameterError):
        programs.scaled(ROWS, 1.0, 0.0)
    with pytest.raises(ParameterError):
        programs.scaled(ROWS, 1.0, 0.0)


def test_nothing_of_the_data_is_kept(programs: ModuleType) -> None:
    with handling(Seeded(1)):
        for start in range(prepared._MOST + 5):
            programs.scaled(np.array(ROWS), 1.0 + start, 7.0)
    program = programs.scaled._checked[1]
    assert 0 < len(program.kept) <= prepared._MOST
    seen: set[int] = set()
    pending: list[Any] = [program.kept]
    while pending:
        item = pending.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        assert not isinstance(item, np.ndarray | ExactVector)
        if isinstance(item, dict):
            pending += [*item, *item.values()]
        elif isinstance(item, tuple | list | set | frozenset):
            pending += item
        else:
            names = getattr(item, "__struct_fields__", None) or getattr(item, "__dict__", {})
            pending += [getattr(item, name) for name in names]


CHANGING = """
@dp.measurement
def counts(rows: dp.Records[float], keys: list[float], scale: float):
    return dp.laplace(dp.histogram(rows, categories=keys), scale=scale)

@dp.measurement
def whole(rows: dp.Records[int], keys: tuple[float, ...], scale: float):
    return dp.laplace(dp.histogram(rows, categories=keys), scale=scale)

@dp.measurement
def rounds(rows: dp.Records[float], weight: float, steps: int, scale: float):
    made = []
    for _ in range(steps):
        total = 0.0
        for row in rows:
            total += dp.clamp(row * weight, 0, 10)
        weight = dp.laplace(total, scale=scale)
        made.append(weight)
    return made
"""


@pytest.fixture(scope="module")
def changing(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(tmp_path_factory.mktemp("changing"), CHANGING)


def entered(function: Any, *given: Any) -> list[Any]:
    """What enters the draws of a call."""
    with handling(Recording(Seeded(1))) as kept:
        function(*given, 1.0)
    return [
        [Fraction(x) for x in entry.value] if hasattr(entry.value, "__len__") else entry.value
        for entry in kept.log
    ]


def test_public_values_that_change_between_calls_are_read_in_each(changing: ModuleType) -> None:
    rows = [0.0, 1.0, 1.0, 2.5]
    keys: list[Any] = [0.0, 1.0]
    assert entered(changing.counts, rows, keys) == [[1, 2]]
    keys[0] = 2.5
    assert entered(changing.counts, rows, keys) == [[1, 2]]
    keys.append(0.0)
    assert entered(changing.counts, rows, keys) == [[1, 2, 1]]
    keys[:] = [float("nan"), 1.0]
    found = entered(changing.counts, rows, keys)
    assert found == [[0, 2]] == entered(changing.counts, rows, keys)


def test_keys_that_are_equal_are_not_of_one_kind(changing: ModuleType) -> None:
    for first in (1, True, 1.0, Fraction(1), Fraction(1, 3), 1.5, 1):
        found = entered(changing.whole, [1, 1, 1, 2], (first, 2))
        assert found == [[3 if first == 1 else 0, 1]]


def test_a_number_that_changes_from_round_to_round_is_read_in_each(changing: ModuleType) -> None:
    rows = [1.0, 0.5]
    for weight in (2.0, 3.0):
        with handling(Recording(Seeded(1))) as kept:
            changing.rounds(rows, weight, 5, 1.0)
        for entry in kept.log:
            expected = sum(min(max(x * weight, 0), 10) for x in rows)
            assert abs(entry.value - Fraction(expected)) < 2**-30
            weight = entry.output
