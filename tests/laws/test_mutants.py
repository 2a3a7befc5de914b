"""Law: a wrong map is refuted by the same attack that the right one survives.

Mutations: signs for absolute values, the distance forgotten, its root, half the bound, norms
swapped.  A mutant that is as large as the right map at every attainable distance is excused, as is
one that is as large as the diameter of the results; maps that are declared not known tight are not
mutated.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from importlib import import_module

import pytest
from laws.helpers import PAIRS, at_every_instance, concluded, own_norm

from metricdp.audit.records import attack_record, moves_of
from metricdp.audit.wrong_maps import equal_on, mutants
from metricdp.expr import ZERO, Expr, compare, compose
from metricdp.record import Instance, Moves, Record
from metricdp.spaces import Space, diameter

#: The module, whose name in the package is that of its function.
SEARCH = import_module("metricdp.audit.search")


@pytest.fixture(autouse=True)
def _as_it_was_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pair that refutes need not be made small, which takes longer than to find it."""
    monkeypatch.setattr(SEARCH, "shrink", lambda subject, trial, *_: trial)


@at_every_instance("transformation", "control", tight=("attained", "approached"))
def test_mutants_are_refuted(record: Record, instance: Instance) -> None:
    conclusion = concluded(record, instance)
    if conclusion.space is None:
        return
    moves = {name: moves_of(conclusion, name) for name in instance.private}
    wrong = {name: change for each in moves.values() for name, change in mutants(each).items()}
    for name, change in wrong.items():
        result = attack_record(
            record, instance, 2, PAIRS, mutate=change, seconds=PAIRS / 50, least=PAIRS
        )
        if not result.refuted:
            assert _excused(instance, conclusion.space, moves, change), f"{name} survived: {result}"


def _excused(
    instance: Instance,
    result: Space,
    moves: dict[str, Moves],
    change: Callable[[Moves], Moves],
) -> bool:
    """Every mutated map is sound: at least the right one at the distances that the input space has,
    or at least the diameter of the results."""
    for name, each in moves.items():
        wrong = change(each)
        for (p, q), g in each.items():
            widest = compare(wrong[p, q].subs({"d_in": ZERO}), ">=", diameter(result, q))
            space = instance.private[name]
            if widest is not True and not _large_enough(space, g, wrong[p, q]):
                return False
    return True


def _large_enough(space: Space, g: Expr, wrong: Expr) -> bool:
    """At the distances that the input space attains, at most its diameter."""
    reach = diameter(space, own_norm(space))
    if getattr(space, "element", "") != "Real" or reach.is_infinite:
        return equal_on(space, g, wrong)
    near = [reach * Fraction(1, k) for k in (1, 2, 10, 1000)]
    return all(compare(compose(wrong, d), ">=", compose(g, d)) is True for d in near)
