"""Parts of divided tables attacked: how far neighbours move them, and what the ledger charges.

Distances are enumerated over small tables, charges compared with the worst that a unit can lose to
any order of questions; each test is shown to catch a planted defect.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, product
from random import Random
from typing import Any

import pytest
from depth import depth

import metricdp as dp
from metricdp.sessions import divided as dividing
from metricdp.sessions.costs import star
from metricdp.sessions.part_names import PartName
from metricdp.sessions.parts import PartSums

F = Fraction


@dataclass
class Visit:
    who: int
    plan: str
    pay: int


METRICS = {
    "rows": (dp.Records[Visit], None),
    "replaced rows": (dp.Records[Visit, dp.ChangeOne], None),
    "persons in one part": (dp.Records[Visit, dp.Ids("who")], 1),
    "persons in two parts": (dp.Records[Visit, dp.Ids("who")], 2),
    "changed persons": (dp.Records[Visit, dp.Ids("who", dp.ChangeOne)], 1),
}
KEYS = ["a", "b", "c"]
ROWS = [Visit(who, plan, 0) for who, plan in product((1, 2), "abcx")]


def tables(metric: str) -> list[list[Visit]]:
    if metric == "replaced rows":
        return [[*each] for each in combinations_with_replacement(ROWS[:4], 3)]
    if metric == "rows":
        return [[*each] for n in range(4) for each in combinations_with_replacement(ROWS[:4], n)]
    first = [[r for r, there in zip(ROWS[:4], kept, strict=True) if there]
             for kept in product((0, 1), repeat=4)]  # fmt: skip
    second = [[], ROWS[4:6]]
    return [one + other for one in first for other in second]


def parts_of(metric: str, rows: list[Visit], distance: int) -> Any:
    annotation, most = METRICS[metric]
    session = dp.Session({"v": (annotation, rows)}, unit=distance, budget=dp.Budget(epsilon=1))
    found = dividing.divided(session._tables["v"], session["v"], F(distance), "plan", KEYS, most, 0)
    return session._tables["v"], [*found.values()]


def too_far(metric: str) -> bool:
    """Whether some neighbours move parts farther than they are said to move."""
    read = []
    for rows in tables(metric):
        whole, parts = parts_of(metric, rows, 1)
        read.append(([*whole.admitted], [[*part.table.admitted] for part in parts]))
    most, moved = parts[0].name.most, parts[0].distance
    for (rows, each), (others, other) in product(read, repeat=2):
        d = whole.space.length(rows, others).whole
        if not 0 < d <= 3:
            continue
        moves = [part.table.space.length(x, y).whole
                 for part, x, y in zip(parts, each, other, strict=True)]  # fmt: skip
        if max(moves) > d * moved or sum(moves) > d * most * moved:
            return True
    return False


@pytest.mark.parametrize("metric", METRICS)
def test_neighbours_move_parts_by_no_more_than_is_charged(metric: str) -> None:
    """Would catch: parts that share rows, persons in more parts, replaced rows that move one."""
    assert not too_far(metric)


_bounded, _filtered = dividing._bounded, dividing._filtered
DEFECTS: dict[str, tuple[str, str, Any]] = {
    "parts share rows": (
        "rows", "_filtered", lambda x, by, keys: _filtered(x, by, [("a",), *keys])),
    "a replaced row moves one part": ("replaced rows", "compose", lambda outer, inner: inner),
    "persons stay in all parts": (
        "persons in one part", "_bounded", lambda held, *rest: held.admitted),
    "persons are in one part more": (
        "persons in one part", "_bounded", lambda *given: _bounded(*given[:-1], 2)),
    "changed persons stay in all parts": (
        "changed persons", "_bounded", lambda held, *rest: held.admitted),
}  # fmt: skip


@pytest.mark.parametrize("defect", DEFECTS)
def test_parts_that_move_farther_are_seen(defect: str, monkeypatch: pytest.MonkeyPatch) -> None:
    metric, place, planted = DEFECTS[defect]
    monkeypatch.setattr(dividing, place, planted)
    assert too_far(metric)


# -- charges ---------------------------------------------------------------------------------


Cost = Callable[[Fraction], Fraction]


def some_cost(rng: Random) -> Cost:
    """A cost by distance: linear, quadratic, one that ends somewhere, or one that jumps."""
    size, end = F(rng.randint(1, 6)), rng.randint(1, 3)
    return rng.choice([
        lambda d: size * d, lambda d: size * d * d, lambda d: size * min(d, end),
        lambda d: size if d else F(0),
    ])  # fmt: skip


def lost(asked: list[list[Cost]], d: int, most: int) -> Fraction:
    """What the unluckiest unit loses: each part moves by at most d, all by at most most * d."""
    moves = (m for m in product(range(d + 1), repeat=len(asked)) if sum(m) <= most * d)
    return max(
        sum((c(F(x)) for x, costs in zip(m, asked, strict=True) for c in costs), F(0))
        for m in moves
    )


def undercharged(rng: Random, most: int, d: int, charge: Any = star, counted: int = 0) -> bool:
    sums, asked, total = PartSums(["epsilon"]), [[] for _ in range(4)], F(0)
    for _ in range(rng.randint(1, 8)):
        k, cost = rng.randrange(4), some_cost(rng)
        name = PartName("v", ("plan",), f"number {k}", counted or most)
        paid = charge(lambda a, c=cost: {"epsilon": c(a)}, F(d))
        free, due = sums.free(name), sums.due(name, paid)
        assert (paid["epsilon"] <= free["epsilon"] + due["epsilon"]) and min(due.values()) >= 0
        sums.spend(name, paid)
        total += due["epsilon"]
        asked[k].append(cost)
    return total < lost(asked, d, most)


def games(seed: str) -> Iterator[tuple[Random, int, int]]:
    for number in range(depth(150, 3000)):
        rng = Random(f"{seed} {number}")
        yield rng, rng.randint(1, 3), rng.randint(1, 3)


def test_no_order_of_questions_costs_a_unit_more_than_was_charged() -> None:
    assert not any(undercharged(*game) for game in games("parts"))


def _at_the_unit(at: Any, d: Fraction) -> Any:
    return dict(at(d))


def test_a_charge_that_is_too_small_is_seen() -> None:
    """Costs that are not shared out by distance; one part where units move several."""
    assert any(undercharged(*game, charge=_at_the_unit) for game in games("star"))
    assert any(undercharged(*game, counted=1) for game in games("largest"))
