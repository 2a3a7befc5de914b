"""What one person has in groups of a table: what is kept, and how far counts by group move."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from column_graphs import evaluated_by

import metricdp as dp
from metricdp import expr
from metricdp.check.values.forms import Source
from metricdp.columns.language import lt, nearest
from metricdp.columns.owners import limited_groups
from metricdp.errors import ParameterError
from metricdp.measures.events import Choice, Parallel, Reach, Spent
from metricdp.measures.readings import leaves, spent
from metricdp.measures.steps import steps
from metricdp.primitives.records import limit_groups, sum_per_group
from metricdp.primitives.records._keys import row_keys
from metricdp.run.guards import admit
from metricdp.spaces import Owned, space_of


@dataclass
class Visit:
    person: str
    ward: int | None
    day: date
    minutes: float | None


@dataclass
class Ward:
    person: int
    ward: int
    late: bool


TABLE = dp.Records[Visit, dp.Ids("person")]
NUMBERS = dp.Records[tuple[str, int, str | None, float, int], dp.Ids("0")]
WARDS = dp.Records[Ward, dp.Ids("person")]


def rows(rng: Random, count: int) -> list[Any]:
    build = space_of(TABLE).row.build  # type: ignore[attr-defined]
    return [
        build(
            (
                rng.choice("abcd"), rng.choice((None, 0, 1, 2, 3)),
                date(2024, 1, rng.randint(1, 3)), rng.choice((None, 0.0, 1.5)),
            )
        )
        for _ in range(count)
    ]  # fmt: skip


def key(row: Any) -> Hashable:
    return row.person, row.ward, row.day, row.minutes


def nothing_told(fields: Any) -> Any:
    values, _ = fields[0]
    return np.zeros(len(values), np.uint64)


# -- what is kept


@pytest.mark.parametrize("evaluator", ["arrays", "parts", "reference"])
def test_rows_that_are_kept_are_those_of_the_reference(evaluator: str) -> None:
    rng, held = Random(2), space_of(TABLE)
    for by, k, m in product(("ward", ("ward", "day"), ("person", "minutes")), (0, 1, 2), (1, 2)):
        some = rows(rng, rng.choice((0, 1, 7, 40)))
        with evaluated_by(evaluator, 7):
            table = admit("visits", held, some)
            found = limit_groups.tabular(table, "person", by, k, m).rows()
            fields = [getattr(table.row, name) for name in ((by,) if isinstance(by, str) else by)]
            # Hashes that all collide leave the rest of the order, which is the same.
            collide = limited_groups(
                table, table.row.person, fields, table.row, k, m, nothing_told, row_keys
            ).rows()
        wanted = limit_groups.run(some, "person", by, k, m)
        assert [*map(key, found)] == [*map(key, collide)] == [*map(key, wanted)]


@pytest.mark.parametrize("evaluator", ["arrays", "parts", "reference"])
def test_sums_by_group_are_those_of_the_reference_and_exact(evaluator: str) -> None:
    """Also of doubles that cancel and overflow, after filters, and of integers beyond 64 bits."""
    rng, build = Random(7), space_of(NUMBERS).row.build  # type: ignore[attr-defined]
    doubles, whole = (1e300, -1e300, 1.7e308, 0.1, -0.0, 3.0), (2**62, -(2**62), 2**62 - 1, 1, 0)
    for by, k, at in product(("1", ("1", "2")), (0, 1, 2), (3, 4)):
        some = [
            build((rng.choice("abc"), rng.randrange(3), rng.choice((None, "x", "y")),
                   rng.choice(doubles), rng.choice(whole)))
            for _ in range(rng.choice((0, 1, 9, 30)))
        ]  # fmt: skip
        for late in (False, True):
            given = [row for row in some if not late or row[1] > 0]
            with evaluated_by(evaluator, 5):
                table = admit("x", space_of(NUMBERS), some)
                if late:
                    table = table.accepted(lambda row: lt(0, row[1]))
                found = sum_per_group.tabular(table, "0", lambda row, at=at: row[at], by, k).rows()
            wanted = sum_per_group.run(given, "0", lambda row, at=at: row[at], by, k)
            # The reference sees numbers, and leaves whole sums of doubles as they are.
            rounded = [(*r[:-1], nearest(r[-1]) if at == 3 else r[-1]) for r in wanted]
            assert [(*r[:-1], Fraction(r[-1])) for r in found] == rounded


def test_as_much_is_kept_as_there_is_and_nobody_else_changes_it() -> None:
    rng = Random(3)
    for _ in range(150):
        some, k, m = rows(rng, rng.randrange(24)), rng.choice((1, 2)), rng.choice((1, 2, 3))
        kept = limit_groups.run(some, "person", "ward", k, m)
        there = Counter((row.person, row.ward) for row in some)
        found = Counter((row.person, row.ward) for row in kept)
        assert all(n == min(there[group], m) for group, n in found.items())
        persons = Counter(person for person, _ in there)
        assert Counter(person for person, _ in found) == {p: min(n, k) for p, n in persons.items()}
        shuffled = limit_groups.run(rng.sample(some, len(some)), "person", "ward", k, m)
        assert Counter(map(key, shuffled)) == Counter(map(key, kept))
        alone = limit_groups.run([r for r in some if r.person != "a"], "person", "ward", k, m)
        assert [*map(key, alone)] == [key(row) for row in kept if row.person != "a"]


def test_which_groups_are_kept_has_nothing_to_do_with_how_large_they_are() -> None:
    """Group g of 0 to 8 has 1 + 3 g rows; each of 600 persons keeps 3 of 9 groups: 200 of each,
    standard deviation 12; five of them.  Which groups they are does not change with the sizes."""
    some = [(p, g, i) for p in range(600) for g in range(9) for i in range(1 + 3 * g)]
    kept = limit_groups.run(some, "0", "1", 3, 1)
    found = Counter(group for _, group, _ in kept)
    assert found.total() == 1800 and all(abs(n - 200) < 60 for n in found.values())
    even = limit_groups.run([row for row in some if row[2] == 0], "0", "1", 3, 1)
    assert {row[:2] for row in even} == {row[:2] for row in kept}


def test_the_worst_pairs_of_tables_are_met_in_every_norm_and_none_is_worse() -> None:
    """k m, k m^2 (the square of L2) and m for a person who is added, of counts by group; a changed
    one moves twice as many rows, and counts by as much as two who are added."""
    rng, k, m = Random(4), 2, 2
    for change, factor in ((dp.Symmetric, 1), (dp.ChangeOne, 2)):
        held = space_of(dp.Records[tuple[str, int], dp.Ids("0", change)])
        assert isinstance(held, Owned)
        worst = [0, 0, 0, 0]
        for _ in range(700):
            x = [(p, rng.randrange(5)) for p in "ab" for _ in range(rng.choice((0, 2, 9)))]
            y = [r for r in x if r[0] == "a"]
            if change is dp.ChangeOne:
                y += [("b", rng.randrange(5)) for _ in range(9)]
            assert held.distance_float(x, y) <= 1
            a, b = (Counter(limit_groups.run(table, "0", "1", k, m)) for table in (x, y))
            assert ((a - b).total() + (b - a).total()) <= factor * k * m
            by = [Counter(group for _, group in kept.elements()) for kept in (a, b)]
            moved = [abs(by[0][group] - by[1][group]) for group in range(5)]
            squares = sum(n * n for n in moved)
            found = sum(moved), squares, max(moved), sum(n > 0 for n in moved)
            worst = [max(pair) for pair in zip(worst, found, strict=True)]
        # Of a changed person k m^2 factor: two groups lose m rows each and two gain as many.
        assert worst == [factor * k * m, factor * k * m * m, m, factor * k]


# -- what it costs


@dp.measurement
def by_ward(visits: WARDS, k: int, m: int):
    kept = dp.limit_groups(visits, "person", by="ward", groups=k, rows=m)
    return [dp.gaussian(sum(1 for v in kept if v.ward == w), scale=1) for w in range(4)]


@dp.measurement
def public_keys(visits: WARDS, wards: list[int]):
    kept = dp.limit_groups(visits, "person", by="ward", groups=2, rows=5)
    return [dp.gaussian(sum(1 for v in kept if v.ward == w), scale=1) for w in wards]


def test_keys_of_a_caller_have_to_be_different() -> None:
    """Two rounds about one ward would be two parts of one group, and cost 37.5 with a third."""
    assert "ρ = 25*Min(2, len_wards)/2" in str(public_keys.guarantee)
    with pytest.raises(ParameterError, match="different"):
        public_keys([Ward(1, 1, True)], wards=[1, 2, 1])


@dp.measurement
def by_ward_laplace(visits: WARDS):
    kept = dp.limit_groups(visits, "person", by="ward", groups=2, rows=3)
    return [dp.laplace(sum(1 for v in kept if v.ward == w), scale=1) for w in range(4)]


def test_costs_of_counts_are_those_of_the_worst_neighbours() -> None:
    """Half the squares of what 4 counts move by, over all persons with up to 6 rows who are added;
    m = 1 to 3 and k = 1 to 3, and what the accountant reads is the same."""
    people = [c for c in product(range(4), repeat=4) if sum(c) <= 6]
    for k, m in product((1, 2, 3), (1, 2, 3)):
        worst = 0.0
        for mine in people:
            table = [(0, w, i) for w, n in enumerate(mine) for i in range(n)]
            kept = Counter(w for _, w, _ in limit_groups.run(table, "0", "1", k, m))
            worst = max(worst, sum(n * n for n in kept.values()) / 2)
        claimed = by_ward.at(k=k, m=m).map(1)
        assert float(claimed) == pytest.approx(min(k, 4) * m * m / 2)
        if k * m <= 6:
            assert worst == k * m * m / 2


def test_a_reach_is_read_as_the_worst_allocation_at_every_distance() -> None:
    """Three parts, of which d units move two each, by at most d each: half units are tried."""
    source = Source("param", "visits")
    row = Source("part", "visits", 1)
    for name, costs in (("pure", lambda x: x), ("zcdp", lambda x: x * x / 2)):
        program = by_ward.outcome.guarantee if name == "zcdp" else by_ward_laplace.outcome.guarantee
        event = leaves(program.tree)[0].event
        parts = tuple(Spent(event, {row: expr.D}) for _ in range(3))
        reach = Reach(expr.num(2), expr.ONE)
        tree = Parallel(
            Choice(parts), row, source, factor=expr.num(2), each=True, reach=reach
        )  # fmt: skip
        for d in (1, 2, 3):
            halves = [Fraction(i, 2) for i in range(2 * d + 1)]
            worst = max(sum(map(costs, x)) for x in product(halves, repeat=3) if sum(x) <= 2 * d)
            (read,) = spent(tree, name, source, expr.num(d))
            assert read.as_fraction() == worst
            found = steps(tree, source, d, {}) if name == "zcdp" or d == 1 else []
            assert not found or sum(step.count for step in found) == 2
        assert sum(step.count for step in steps(tree, source, 2, {})) == (
            2 if name == "zcdp" else 3
        )


# -- programs


def test_a_table_gives_what_pandas_gives() -> None:
    import pandas as pd

    rng = Random(6)
    some = [Ward(rng.randrange(9), rng.randrange(4), rng.random() < 0.5) for _ in range(300)]
    frame = pd.DataFrame([vars(row) for row in some])
    kept = limit_groups.run([(r.person, r.ward, r.late) for r in some], "0", "1", 2, 3)
    expected = Counter(ward for _, ward, _ in kept)
    for given in (some, frame):
        found = by_ward_exactly(given, eps=1e9)
        assert [round(n) for n in found.value] == [expected[w] for w in range(4)]
    assert any("at most 2 groups of each person by ward" in line for line in found.rests_on)


@dp.measurement
def by_ward_exactly(visits: WARDS, eps: float):
    kept = dp.limit_groups(visits, "person", by="ward", groups=2, rows=3)
    return [dp.laplace(sum(1 for v in kept if v.ward == w), epsilon=eps) for w in range(4)]


@dp.measurement
def late_by_ward(visits: WARDS):
    each = dp.sum_per_group(visits, "person", lambda v: v.late, by="ward", groups=2)
    return [
        dp.laplace(sum(dp.clamp(n, 0, 2) for w, n in each if w == k), epsilon=1e9) for k in (0, 1)
    ]


def test_sums_by_group_in_a_program() -> None:
    rng = Random(8)
    some = [Ward(rng.randrange(9), rng.randrange(4), rng.random() < 0.5) for _ in range(300)]
    rows_ = [(r.person, r.ward, r.late) for r in some]
    expected: Counter[int] = Counter()
    for ward, n in sum_per_group.run(rows_, "0", lambda row: row[2], "1", 2):
        expected[ward] += min(n, 2)
    assert [round(n) for n in late_by_ward(some).value] == [expected[0], expected[1]]
