"""Persons with so many rows: on lists, arrays and DuckDB alike, and no further apart than persons.

Pairs of tables are made by adding, removing and replacing whole persons, 1 to 3 of them; the rows
that the engine itself keeps are held against the space's own distance.  A choice that depends on
others' rows (the share of all rows that a person has) is caught by the same search.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from depth import depth

import metricdp as dp
from metricdp.primitives.records import keep_ids
from metricdp.spaces import ChangeOne, Ids, Owned, Row, Scalar, Symmetric

Person = list[int]


@dataclass
class Paid:
    who: int
    what: int
    pay: float


@dataclass
class Visit:
    who: int
    what: int


def pair(rng: Random, d: int, change: bool) -> tuple[dict[int, Person], dict[int, Person]]:
    """Two tables, person by person, at distance d at most."""
    some = {who: [rng.randrange(3) for _ in range(rng.randrange(1, 5))] for who in range(4)}
    other = dict(some)
    left = d
    while left > 0:
        who, kind = rng.randrange(6), rng.randrange(3)
        new = [rng.randrange(3) for _ in range(rng.randrange(1, 5))]
        if who in some and other.get(who) != some[who]:
            continue  # counted already
        if kind == 0 and who in other:
            del other[who]
            left -= 1
        elif who not in other:
            other[who] = new
            left -= 1
        elif change or left >= 2:
            other[who] = new
            left -= 1 if change else 2
        else:
            del other[who]
            left -= 1
    return some, other


def rows_of(persons: dict[int, Person], rng: Random) -> list[Visit]:
    rows = [Visit(who, what) for who, all_of_them in persons.items() for what in all_of_them]
    rng.shuffle(rows)
    return rows


def apart(space: Owned, x: list[Any], y: list[Any]) -> Any:
    """The distance of the space, in its own words."""
    held = [Counter((row.who, row.what) for row in each) for each in (x, y)]
    of_each: list[dict[int, Counter[int]]] = [{}, {}]
    for found, rows in zip(of_each, held, strict=True):
        for (who, what), n in rows.items():
            found.setdefault(who, Counter())[what] += n
    total = 0
    for who in {*of_each[0], *of_each[1]}:
        mine, theirs = (each.get(who) for each in of_each)
        if mine != theirs:
            total += 1 if space.replaces or mine is None or theirs is None else 2
    return total


def of_share(rows: list[Visit], least: int) -> list[Visit]:
    """A defect: who is kept depends on how many rows there are in all."""
    many = Counter(row.who for row in rows)
    return [row for row in rows if many[row.who] * 4 >= least * len(rows) / 3]


@pytest.mark.parametrize("change", [Symmetric, ChangeOne])
def test_who_is_kept_moves_by_those_who_move(change: Any) -> None:
    row = Row(("who", "what"), (Scalar("Data", kind="int"),) * 2, "Visit", "attributes")
    space = Owned.of(row, Ids("who", change))
    rng, caught = Random(1), 0
    for _ in range(depth(300, 5000)):
        d, least = rng.choice((1, 2, 3)), rng.choice((1, 2, 3))
        most = rng.choice((None, least, 3))
        x, y = (rows_of(each, rng) for each in pair(rng, d, space.replaces))
        assert apart(space, x, y) <= d
        built = ([row.build((v.who, v.what)) for v in each] for each in (x, y))
        kept = [keep_ids.run(each, "who", least, most) for each in built]
        assert apart(space, *kept) <= d
        caught += apart(space, of_share(x, least), of_share(y, least)) > d
    assert caught > 5


def of_all(rows: list[Visit], least: int) -> list[Visit]:
    """A defect: who is kept depends on what all rows add up to."""
    sums = sum(row.what for row in rows)
    return [row for row in rows if row.what * 4 >= least + sums // 3]


@pytest.mark.parametrize("change", [Symmetric, ChangeOne])
def test_who_has_so_much_moves_by_those_who_move(change: Any) -> None:
    row = Row(("who", "what"), (Scalar("Data", kind="int"),) * 2, "Visit", "attributes")
    space = Owned.of(row, Ids("who", change))
    rng, caught = Random(3), 0
    for _ in range(depth(300, 5000)):
        d, least = rng.choice((1, 2, 3)), rng.choice((None, 1, 2, 3.5))
        most = rng.choice((None, 3, 4.5)) if least is not None else 2
        x, y = (rows_of(each, rng) for each in pair(rng, d, space.replaces))
        built = ([row.build((v.who, v.what)) for v in each] for each in (x, y))
        kept = [keep_ids.run(each, "who", least, most, lambda r: r.what) for each in built]
        assert apart(space, *kept) <= d
        caught += apart(space, of_all(x, least or 0), of_all(y, least or 0)) > d
    assert caught > 5


@dp.transformation
def so_much(rows: dp.Records[Paid, dp.Ids("who")], least: float, most: float):
    kept = dp.keep_ids(rows, "who", least, most, value=lambda r: r.pay)
    whole = dp.keep_ids(rows, "who", None, 1, value=lambda r: r.what)
    return [dp.count([r for r in dp.limit_rows(some, "who", 9) if r.who == who])
            for some in (kept, whole) for who in range(4)]  # fmt: skip


def test_the_engine_and_arrays_keep_whom_lists_keep_by_what_rows_add_up_to() -> None:
    """Sums are exact and rounded once: 0.1 + 0.2 is more than 0.3, and 1e17 hides nothing."""
    duckdb, numpy = pytest.importorskip("duckdb"), pytest.importorskip("numpy")
    rng, connection = Random(4), duckdb.connect()
    connection.execute("CREATE TABLE paid (who INT, what INT, pay DOUBLE)")
    for _ in range(depth(8, 60)):
        rows = [Paid(rng.randrange(4), rng.randrange(-2, 3),
                     rng.choice((0.1, 0.2, 0.3, 1e17, -1e17))) for _ in range(24)]  # fmt: skip
        connection.execute("DELETE FROM paid")
        connection.executemany(
            "INSERT INTO paid VALUES (?, ?, ?)", [[*vars(r).values()] for r in rows]
        )
        columns = {n: numpy.array([getattr(r, n) for r in rows]) for n in ("who", "what", "pay")}
        for least, most in ((0.3, 10), (0.1, 0.3), (0.30000000000000004, 5)):
            found = [[int(n) for n in so_much(each, least=least, most=most)]
                     for each in (rows, columns, connection.table("paid"))]  # fmt: skip
            assert found[0] == found[1] == found[2]


@dp.transformation
def chosen(rows: dp.Records[Visit, dp.Ids("who")], least: int):
    kept = dp.limit_rows(dp.keep_ids(rows, "who", least), "who", 4)
    return [dp.count([r for r in kept if r.who == who and r.what == what])
            for who in range(6) for what in range(3)]  # fmt: skip


def test_the_engine_keeps_whom_lists_keep_and_is_no_further_apart() -> None:
    duckdb = pytest.importorskip("duckdb")
    rng, connection = Random(2), duckdb.connect()
    for number in range(depth(12, 100)):
        d, least = rng.choice((1, 2, 3)), rng.choice((2, 3))
        found = []
        for each in pair(rng, d, False):
            rows = rows_of(each, rng)
            connection.execute(f"CREATE OR REPLACE TABLE t{number} (who INT, what INT)")
            for visit in rows:
                connection.execute(f"INSERT INTO t{number} VALUES (?, ?)", (visit.who, visit.what))
            counts = [int(n) for n in chosen(connection.table(f"t{number}"), least=least)]
            assert counts == [int(n) for n in chosen(rows, least=least)]
            # Persons have four rows at most, so that counts are all that is kept.
            found.append([visit for visit, n in zip(
                [Visit(w, what) for w in range(6) for what in range(3)], counts, strict=True
            ) for _ in range(n)])  # fmt: skip
        row = Row(("who", "what"), (Scalar("Data", kind="int"),) * 2, "Visit", "attributes")
        assert apart(Owned.of(row, Ids("who")), *found) <= d


@dp.measurement
def counted(rows: dp.Records[Visit, dp.Ids("who")], eps: float):
    return dp.laplace(dp.count_ids(dp.keep_ids(rows, "who", 3), "who"), epsilon=eps)


@dp.measurement
def unbounded(rows: dp.Records[Visit, dp.Ids("who")], eps: float):
    return dp.laplace(dp.count(dp.keep_ids(rows, "who", 1, most=2)), epsilon=eps)


@dp.measurement
def of_another(rows: dp.Records[Visit, dp.Ids("who")], eps: float):
    many = dp.count_ids(rows, "who")
    kept = dp.keep_ids(rows, "who", 3, value=lambda r: r.what + many)
    return dp.laplace(dp.count_ids(kept, "who"), epsilon=eps)


@dp.measurement
def by_a_private_end(rows: dp.Records[Visit, dp.Ids("who")], eps: float):
    kept = dp.keep_ids(rows, "who", dp.count_ids(rows, "who"), value=lambda r: r.what)
    return dp.laplace(dp.count_ids(kept, "who"), epsilon=eps)


@dp.measurement
def without_an_end(rows: dp.Records[Visit, dp.Ids("who")], eps: float):
    kept = dp.keep_ids(rows, "who", None, value=lambda r: r.what)
    return dp.laplace(dp.count_ids(kept, "who"), epsilon=eps)


def test_costs_and_what_is_refused() -> None:
    for wrong in (of_another, by_a_private_end, without_an_end):
        with pytest.raises(dp.errors.NotProvedError):
            wrong.guarantee  # noqa: B018
    rows = [Visit(who, 0) for who in range(50) for _ in range(who % 5)]
    with dp.handling(dp.Seeded(1)):
        release = counted(rows, eps=1000)
    assert release.cost == "ε = 1000" and round(release.value) == 20
    with pytest.raises(dp.errors.NotProvedError, match="any number of rows"):
        unbounded(rows, eps=1)
