"""Random positions: entries are counted as often as they are read, and a checker that counts them
less often is noticed.

Seeds are fixed, so there are no false alarms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from depth import depth
from random_positions import PositionGenerator
from test_check_random import Tally, violation

from metricdp.expr import ONE


def first_violation(seeds: range) -> str | None:
    """The first violation among these seeds."""
    tally = Tally()
    for seed in seeds:
        found = violation(seed, tally, PositionGenerator)
        if found is not None:
            return found
    return None


def test_inferred_bounds_hold_on_random_positions() -> None:
    tally = Tally()
    for seed in range(depth(45, 90)):
        found = violation(seed, tally, PositionGenerator)
        assert found is None, found
    assert tally.proved > 2 * tally.rejected, (tally.proved, tally.rejected)
    assert tally.finite > tally.proved / 2, (tally.finite, tally.proved)


#: Where the search starts for defects that few programs show; the rest start at 0.
FIRST = {
    "any_position_is_another_one_in_every_round": 310,
    "captured_values_move_one_entry": 160,
    "containers_are_the_same_in_every_round": 130,
    "lists_grow_by_one_round": 160,
    "negative_positions_are_read_once": 310,
    "quotients_are_read_once": 360,
}
DEFECTS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {}


def defect(plant: Callable[[pytest.MonkeyPatch], None]) -> Callable[[pytest.MonkeyPatch], None]:
    """Registers a way to break the checker."""
    DEFECTS[plant.__name__] = plant
    return plant


@defect
def any_position_is_another_one_in_every_round(patch: pytest.MonkeyPatch) -> None:
    from metricdp.check.loops.positions import ReadPositions

    patch.setattr(ReadPositions, "times", lambda self, index: 1)


@defect
def negative_positions_are_read_once(patch: pytest.MonkeyPatch) -> None:
    from metricdp.check.loops import positions

    patch.setattr(positions, "for_all_rounds", lambda *args: (ONE, ">=", ONE))


@defect
def quotients_are_read_once(patch: pytest.MonkeyPatch) -> None:
    from metricdp.check.loops.positions import ReadPositions

    kept = ReadPositions.times
    patch.setattr(ReadPositions, "times", lambda self, index: kept(self, index) and 1)


@defect
def entries_at_any_two_positions_are_the_same(patch: pytest.MonkeyPatch) -> None:
    from metricdp.check.loops.positions import ReadPositions

    kept = ReadPositions.row

    def one(self: Any, base: Any, index: Any, times: int) -> Any:
        for (form, _), row in self.found.items():
            if form == base.form:
                return row
        return kept(self, base, index, times)

    patch.setattr(ReadPositions, "row", one)


@defect
def containers_are_the_same_in_every_round(patch: pytest.MonkeyPatch) -> None:
    from metricdp.check.loops import positions

    patch.setattr(positions, "_same_in_every_round", lambda *args: True)


@defect
def captured_values_move_one_entry(patch: pytest.MonkeyPatch) -> None:
    from metricdp.check.loops import collecting

    patch.setattr(collecting, "_sum", lambda plan, bound: bound.subs({plan.index: ONE}))


@defect
def the_widest_entry_is_the_first(patch: pytest.MonkeyPatch) -> None:
    from metricdp.check.loops import collecting

    patch.setattr(collecting, "at_most", lambda bound, index, count: bound.subs({index: ONE * 0}))


@defect
def lists_grow_by_one_round(patch: pytest.MonkeyPatch) -> None:
    from metricdp.check.loops.lengths import after_rounds

    def once(plan: Any, *rest: Any) -> Any:
        return after_rounds(msgspec.structs.replace(plan, count=ONE), *rest)

    patch.setattr("metricdp.check.loops.recurrence.after_rounds", once)


@pytest.mark.parametrize("name", sorted(DEFECTS))
def test_planted_defects_are_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from metricdp.primitives import load

    load()
    DEFECTS[name](monkeypatch)
    start = FIRST.get(name, 0)
    assert first_violation(range(start, start + 3000)) is not None
