"""Random branches: what a condition says is used soundly, and a checker that misuses it is noticed.

Seeds are fixed, so there are no false alarms.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from depth import depth
from random_branches import BranchGenerator
from test_check_random import Tally, violation

from metricdp.expr import ZERO


def first_violation(seeds: range) -> str | None:
    """The first violation among these seeds."""
    tally = Tally()
    for seed in seeds:
        found = violation(seed, tally, BranchGenerator)
        if found is not None:
            return found
    return None


def test_inferred_bounds_hold_on_random_branches() -> None:
    tally = Tally()
    for seed in range(depth(75, 150)):
        found = violation(seed, tally, BranchGenerator)
        assert found is None, found
    assert tally.proved > 2 * tally.rejected, (tally.proved, tally.rejected)
    assert tally.finite > tally.proved / 3, (tally.finite, tally.proved)


#: Where the search starts for defects that few programs show; the rest start at 0.
FIRST = {
    "half_of_or_is_known": 630,
    "ranges_outlive_their_branch": 220,
}
DEFECTS: dict[str, Callable[[pytest.MonkeyPatch], None]] = {}


def defect(plant: Callable[[pytest.MonkeyPatch], None]) -> Callable[[pytest.MonkeyPatch], None]:
    """Registers a way to break the checker."""
    DEFECTS[plant.__name__] = plant
    return plant


@defect
def the_other_branch_has_the_same_facts(patch: pytest.MonkeyPatch) -> None:
    from metricdp.check.values import facts

    patch.setattr(facts, "OPPOSITE", {op: op for op in facts.OPPOSITE})


@defect
def ranges_outlive_their_branch(patch: pytest.MonkeyPatch) -> None:
    from metricdp.check.language import narrowing

    kept = narrowing._narrow_names

    def forgotten(*args: Any) -> dict[str, Any]:
        kept(*args)
        return {}

    patch.setattr(narrowing, "_narrow_names", forgotten)


@defect
def branches_always_meet(patch: pytest.MonkeyPatch) -> None:
    from metricdp.check.domain import continuous

    patch.setattr(continuous, "_meet", lambda *args: True)


@defect
def half_of_or_is_known(patch: pytest.MonkeyPatch) -> None:
    from metricdp.check.language import narrowing

    patch.setattr(narrowing, "disjunction", narrowing.conjunction)


@defect
def quotients_move_with_the_numerator_only(patch: pytest.MonkeyPatch) -> None:
    from metricdp.primitives.scalars import div

    patch.setattr(div, "times", lambda a, b: ZERO)


@pytest.mark.parametrize("name", sorted(DEFECTS))
def test_planted_defects_are_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from metricdp.primitives import load

    load()
    DEFECTS[name](monkeypatch)
    start = FIRST.get(name, 0)
    assert first_violation(range(start, start + 3000)) is not None
