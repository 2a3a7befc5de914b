"""Filters by disjoint rows, charged as parts of a table: attacked by exact losses of real runs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from checked_modules import load
from depth import depth
from random_filters import HEAD, program, row

from metricdp.check.domain import parallel
from metricdp.check.values import regions
from metricdp.check.values.forms import Source
from metricdp.errors import InternalError, NotProvedError
from metricdp.expr import D
from metricdp.measures.counts import counts
from metricdp.measures.events import Choice, Parallel, all_apart, apart, moved_by, nodes
from metricdp.measures.readings import spent
from metricdp.run.emit import Recording, Replay, Seeded, handling
from metricdp.sessions.costs import UNIT, joined, reads_rows

EPS = Fraction(1)
#: The loss of a value that moves and has no noise: more than any that is claimed.
NO_NOISE = Fraction(10**9)


def loss(function: Any, table: list[Any], other: list[Any], seed: int) -> Fraction:
    """The largest privacy loss of two inputs along the releases of a run: Laplace noise has all of
    |v - w| / scale as its loss, whichever way the answers lie."""
    recorder = Recording(Seeded(seed))
    with handling(recorder):
        function(table, eps=1.0)
    replay = Replay(recorder.log)
    with handling(replay):
        function(other, eps=1.0)
    assert replay.finished
    total = Fraction(0)
    for here, there in zip(recorder.log, replay.seen, strict=True):
        pairs = zip(_numbers(here.value), _numbers(there.value), strict=True)
        moved = sum((abs(a - b) for a, b in pairs), Fraction(0))
        if moved and not here.draw.scale:
            return NO_NOISE
        total += moved / Fraction(here.draw.scale) if moved else 0
    return total


def _numbers(value: Any) -> list[Fraction]:
    return [Fraction(v) for v in value] if hasattr(value, "__iter__") else [Fraction(value)]


def proved(function: Any, distance: int) -> Fraction:
    found = function.map(distance, eps=1.0)
    return Fraction(found if not isinstance(found, tuple) else found[0])


def neighbours(
    rng: random.Random, kind: Any, replaces: bool
) -> Iterator[tuple[list[Any], list[Any], int]]:
    for distance in (*[1] * 6, 2, 3):
        table = [row(rng, kind) for _ in range(rng.randint(3, 4))]
        fresh = [row(rng, kind) for _ in range(distance)]
        if rng.random() < 0.5:
            fresh = [fresh[0]] * distance
        if replaces:
            yield table, [*fresh, *table[distance:]], distance
        else:
            yield table, [*table, *fresh], distance


def attacked(
    module: ModuleType, names: list[str], replaces: bool, rng: random.Random
) -> Iterator[str]:
    """Programs whose loss is larger than what was proved."""
    for name in names:
        function = getattr(module, name)
        try:
            costs = {d: proved(function, d) for d in (1, 2, 3)}
        except NotProvedError:
            continue
        for seed, (table, other, distance) in enumerate(neighbours(rng, module.R, replaces)):
            if loss(function, table, other, seed) > costs[distance]:
                yield name
                break


def random_module(
    folder: Path, seed: int, count: int, metric: str = ""
) -> tuple[ModuleType, list[str]]:
    rng = random.Random(seed)
    names = [f"p{i}" for i in range(count)]
    text = HEAD + "".join(program(rng, name, metric) for name in names)
    return load(folder, text), names


# Seeds 0 and 1 see every planted defect.
@pytest.mark.parametrize("seed", range(depth(2, 6)))
def test_no_run_loses_more_than_was_proved(seed: int, tmp_path: Path) -> None:
    module, names = random_module(tmp_path, seed, 25)
    assert not list(attacked(module, names, False, random.Random(seed)))


@pytest.mark.parametrize("seed", depth((0, 1908), (0, 1, 1908)))
def test_replaced_rows_lose_no_more_than_was_proved(seed: int, tmp_path: Path) -> None:
    module, names = random_module(tmp_path, 100 + seed, 25, ", dp.ChangeOne")
    assert not list(attacked(module, names, True, random.Random(seed)))


DEFECTS = {
    "constants": ("_known", lambda a, op, b: a != b),
    "what failed": ("_exclude", lambda a, b: a != b),
    "one key for all": (
        "_contradict",
        lambda a, b: any(x.op == y.op == "==" for x in a for y in b),
    ),
    "rounds": ("new_rows_each_round", lambda region, index: frozenset()),
    "anything": ("disjoint", lambda a, b: True),
}


#: Where a defect is seen in few modules: this one is looked at first.
SEEN = {"constants": 1}


@pytest.mark.parametrize("name", DEFECTS)
def test_a_wrong_claim_of_disjoint_rows_is_seen(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attribute, wrong = DEFECTS[name]
    regions._contradict.cache_clear()
    monkeypatch.setattr(regions, attribute, wrong)
    monkeypatch.setattr(parallel, attribute, wrong, raising=False)
    try:
        seeds = (SEEN.get(name, 0), *range(4))
        modules = ((seed, *random_module(tmp_path, seed, 25)) for seed in seeds)
        assert any(
            next(attacked(module, names, False, random.Random(seed)), None)
            for seed, module, names in modules
        )
    finally:
        if hasattr(regions._contradict, "cache_clear"):
            regions._contradict.cache_clear()


SITES = """
@dataclass
class P:
    group: str
    age: int


@dp.measurement
def four(rows: dp.Records[P], other: dp.Records[int], n: int, eps: float):
    out = []
    for group in ("a", "b"):
        part = [r for r in rows if r.group == group]
        out.append(dp.laplace(dp.count(part), epsilon=eps))
    for i in range(n):
        out.append(dp.laplace(dp.count([r for r in rows if r.age == i]), epsilon=eps))
    out.append(dp.laplace(dp.count(other), epsilon=eps))
    return out
"""


@pytest.fixture
def four(tmp_path: Path) -> Any:
    return load(tmp_path, "from dataclasses import dataclass\n" + SITES).four


def test_every_filter_is_drawn_as_often_as_it_is_read(four: Any) -> None:
    tree = four.outcome.guarantee.tree
    found = counts(tree)
    assert not found.choices
    often = sorted(str(times) for times in found.most.values())
    assert often == ["1", "1", "1", "Max(0, n)"]
    assert {str(times) for times in counts(all_apart(tree)).most.values()} == {"1", "Max(0, n)"}


def test_one_after_the_other_they_cost_their_sum(four: Any) -> None:
    tree = four.outcome.guarantee.tree
    rows = Source("param", "rows")
    assert str(spent(tree, "pure", rows, D)[0]) == "2*eps*d_in"
    assert spent(all_apart(tree), "pure", rows, D)[0].upper({"d_in": 1, "eps": 1, "n": 5}) == 7
    assert not any(isinstance(node, Parallel) for node in nodes(all_apart(tree)))
    # The targets stay what they are: noise is set for twice the movement.
    twice = moved_by(tree, 2 * D)
    assert spent(twice, "pure", rows, D)[0].upper({"d_in": 1, "eps": 1, "n": 5}) == 7


def test_a_session_whose_unit_moves_two_tables_reads_them_one_after_the_other(four: Any) -> None:
    tree = four.outcome.guarantee.tree
    assert reads_rows(tree) and not reads_rows(all_apart(tree))
    sources = {Source("param", name): Fraction(1) for name in ("rows", "other")}
    one = joined(all_apart(tree), sources)
    assert spent(one, "pure", UNIT, D)[0].upper({"d_in": 1, "eps": 1, "n": 5}) == 8


def test_what_may_not_be_read_one_after_the_other() -> None:
    rows = Parallel(Choice(()), "row", "x", unit=True, each=True)
    with pytest.raises(InternalError):
        apart(rows)
    with pytest.raises(InternalError):
        apart(Parallel(Choice(()), "row", "x"))
