"""Joins by the id and calendar windows on an engine: the rows are those that arrays have."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, TypedDict

import pytest
from depth import depth

import metricdp as dp
from metricdp.errors import EngineError
from metricdp.run.guards import admit
from metricdp.spaces import space_of

duckdb = pytest.importorskip("duckdb")


@dataclass
class Visit:
    person: str
    ward: int
    cost: float
    day: date
    urgent: bool | None


class Bill(TypedDict):
    patient: str
    ward: int
    cents: int | None
    paid: datetime


class Cost(NamedTuple):
    person: str
    ward: int
    cost: float
    urgent: bool


class Price(NamedTuple):
    ward: int
    bed: int
    price: float
    name: str


VISITS = dp.Records[Visit, dp.Ids("person")]
BILLS = dp.Records[Bill, dp.Ids("patient", unit="person")]
MONTHS = dp.Records[Visit, dp.Ids("person", per="month", of="day")]
OF_MONTHS = dp.Records[Bill, dp.Ids("patient", unit="person", per="month", of="paid")]
ON = ("person", "patient")
#: Texts that an engine, a collation or SQL could hold to be others.
WHO = (
    "Ann",
    "ann",
    "Ånn",
    "A\u030ann",
    "it's",
    "",
    " ",
    "a ",
    "a",
    "\x00",
    "NULL",
    "🤒",
    "7",
    "07",
)


def visits(rng: Random, n: int) -> list[Visit]:
    costs = (0.0, -0.0, 1.5, float("nan"), float("inf"), -7.25)
    first = date(2023, 12, 27)
    return [
        Visit(rng.choice(WHO), rng.randrange(3), rng.choice(costs),
              first + timedelta(rng.randrange(40)), rng.choice((None, True, False)))
        for _ in range(n)
    ]  # fmt: skip


def bills(rng: Random, n: int) -> list[Bill]:
    first = datetime(2023, 12, 27, 23, 59)
    return [
        Bill(patient=rng.choice(WHO[:-3]), ward=rng.randrange(3),
             cents=rng.choice((None, 0, -3, 2**40)), paid=first + timedelta(rng.randrange(40)))
        for _ in range(n)
    ]  # fmt: skip


TYPES = {
    "visits": "(person TEXT, ward INT, cost DOUBLE, day DATE, urgent BOOL)",
    "bills": "(patient TEXT, ward INT, cents BIGINT, paid TIMESTAMP)",
    "costs": "(person TEXT, ward INT, cost DOUBLE, urgent BOOL)",
    "prices": "(ward INT, bed INT, price DOUBLE, name TEXT)",
}


def put(connection: Any, name: str, some: list[Any]) -> Any:
    """Rows as a table of a connection, and a relation of it."""
    connection.execute(f"CREATE OR REPLACE TABLE {name} {TYPES[name]}")
    rows = [
        list(
            row
            if isinstance(row, tuple)
            else (row if isinstance(row, dict) else vars(row)).values()
        )
        for row in some
    ]
    if rows:
        connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", rows)
    return connection.sql(f"SELECT * FROM {name}")


def written(connection: Any, name: str, some: list[Any], folder: Path) -> str:
    put(connection, name, some)
    path = folder / f"{name}.parquet"
    connection.execute(f"COPY {name} TO '{path}'")
    return str(path)


@dp.transformation
def every_way(a: VISITS, b: BILLS):
    some = [v for v in a if v.urgent is None or v.cost < 1]
    cheap = [x for x in b if x["cents"] is None or x["cents"] < 9]
    inner = dp.limit_rows(dp.join_by_id(some, b, ON), "0", 3)
    left = dp.limit_rows(
        dp.join_by_id(a, cheap, ON, "left", columns=("cents", "paid")), "person", 5
    )
    semi = dp.limit_rows(dp.join_by_id(a, cheap, ON, "semi"), "person", 2)
    anti = dp.limit_rows(dp.join_by_id(some, cheap, ON, "anti"), "person", 2)
    found = [dp.count(inner), dp.count(left), dp.count(semi), dp.count(anti)]
    found.append(sum(dp.clamp(r[2] + 10 * r[1] + r[5], 0, 99) for r in inner))
    found.append(dp.count([r for r in left if r.cents is None]))
    found.append(dp.count([r for r in left if r.paid is None]))
    found.append(sum(dp.clamp(r.cents, -9, 9) for r in left if r.cents is not None))
    found.append(
        dp.count([r for r in left if r.paid is not None and r.paid > datetime(2024, 1, 5)])
    )
    found.append(dp.count([r for r in left if r.urgent is None and r.cents is None]))
    found.append(dp.count([r for r in semi if r.day > date(2024, 1, 1)]))
    found.append(sum(dp.clamp(r.cost, -1, 1) for r in anti))
    return found


@dp.transformation
def joins_of_joins(a: VISITS, b: BILLS):
    none = dp.join_by_id(a, [x for x in b if x["ward"] == 1], ON, "anti")
    left = dp.join_by_id(none, b, ON, "left", columns=("cents", "ward"))
    again = dp.join_by_id(left, dp.join_by_id(a, b, ON, "semi"), "person", "left", columns="day")
    pairs = dp.join_by_id(a, a, "person")
    kept = dp.limit_rows(again, "person", 4)
    return [
        dp.count(kept), dp.count([r for r in kept if r.cents is None]),
        dp.count([r for r in kept if r.day_b is not None and r.day_b > r.day_a]),
        dp.count(dp.limit_rows([p for p in pairs if p.ward_a < p.ward_b], "person", 3)),
    ]  # fmt: skip


@dp.transformation
def in_months(a: MONTHS, b: OF_MONTHS):
    both = dp.join_by_id(a, b, ON, "left", columns="cents")
    kept = dp.limit_rows(both, "person", 2)
    return [
        dp.count_ids(a, "person"), dp.count(kept), dp.count([r for r in kept if r.cents is None]),
        dp.count_ids([r for r in both if r.ward == 1], "person"),
        dp.count_distinct([r.person for r in kept]),
    ]  # fmt: skip


#: Keys that stand several times, that no row has, and texts that SQL means something by.
WARDS = ((0, "north", True, 5), (0, "it's", False, 1 - 2**63), (1, "", True, 2**62),
         (7, "x\x1f0\x1d", True, 0))  # fmt: skip
PERSONS = (("Ann", 1), ("ann", 2), ("Ann", 3), ("🤒", 4), ("\x00", 5))


@dp.transformation
def beside_public_tables(a: VISITS, b: BILLS):
    inner = dp.join_public(a, "ward", WARDS, columns=("region", "open", "beds"))
    named = dp.join_public(a, "person", PERSONS, columns="n", how="left")
    some = dp.limit_rows(inner, "person", 2)
    all_of_them = dp.limit_rows(named, "person", 3)
    of_bills = dp.join_public(b, "patient", PERSONS, columns="n")
    return [
        dp.count(some), dp.count([r for r in some if r.region == "it's"]),
        dp.count([r for r in some if r.open]), sum(dp.clamp(r.beds, -9, 9) for r in some),
        dp.count(all_of_them), dp.count([r for r in all_of_them if r.n is None]),
        sum(dp.clamp(r.n * 2 + r.cost, -9, 9) for r in all_of_them if r.n is not None),
        dp.count(dp.limit_rows(of_bills, "patient", 4)),
    ]  # fmt: skip


#: Every program in depth; of empty tables one, for what DuckDB plans takes as long as with rows.
CASES = [(80, every_way), (80, joins_of_joins), (80, in_months), (0, joins_of_joins),
         (80, beside_public_tables)]  # fmt: skip
CASES += depth([], [(0, every_way), (0, in_months), (0, beside_public_tables)])


@pytest.mark.parametrize(("size", "program"), CASES, ids=lambda x: getattr(x, "__name__", x))
def test_joins_of_files_and_relations_are_those_of_arrays(
    program: Any, size: int, tmp_path: Path
) -> None:
    rng = Random(size)
    a, b = visits(rng, size), bills(rng, size // 2)
    wanted = program(a, b)
    connection = duckdb.connect()
    connection.execute("SET default_collation = 'NOCASE.NOACCENT'; SET threads = 1")
    first, second = put(connection, "visits", a), put(connection, "bills", b)
    files = [
        written(connection, name, rows, tmp_path) for name, rows in zip(TYPES, (a, b), strict=False)
    ]
    mixed = [(first, files[1]), (files[0], second), tuple(files), (first, second)]
    for given in mixed[:1] if program is every_way or not size else mixed[1:3]:
        assert program(*given) == wanted


@dp.transformation
def cut_on_both_sides(a: dp.Records[Cost], b: dp.Records[Price]):
    """By whole numbers, texts, and doubles of which some are zero with a sign."""
    wards = dp.join([r for r in a if r.cost < 2], b, lambda r: r.ward, lambda s: s.ward, 3, 2)
    costs = dp.join(a, b, lambda r: r.cost, lambda s: s.price, 2)
    names = dp.join(a, b, lambda r: r.person, lambda s: s.name, 4, 1)
    made = dp.join(a, [s for s in b if s.bed != 1], lambda r: r.ward * 2, lambda s: s.bed % 3, 1, 5)
    found = []
    for table in (wards, costs, names, made):
        found.append(dp.count(table))
        found.append(sum(dp.clamp(r.bed * 3 + r.cost + r.ward_a, -99, 99) for r in table))
    found.append(dp.count([r for r in costs if r.person == r.name and r.urgent]))
    return found


def costs(rng: Random, n: int) -> tuple[list[Cost], list[Price]]:
    some = (0.0, -0.0, 1.5, float("nan"), float("inf"), -7.25)
    a = [Cost(rng.choice(WHO), rng.randrange(3), rng.choice(some), rng.random() < 0.5)
         for _ in range(n)]  # fmt: skip
    return a, [Price(rng.randrange(4), rng.randrange(9), rng.choice(some), rng.choice(WHO))
               for _ in range(n)]  # fmt: skip


@pytest.mark.parametrize("size", depth([60], [0, 3, 200]))
def test_tables_that_are_cut_on_both_sides_are_those_of_arrays(size: int, tmp_path: Path) -> None:
    a, b = costs(Random(size), size)
    connection = duckdb.connect()
    connection.execute("SET default_collation = 'NOCASE.NOACCENT'; SET threads = 1")
    first, second = put(connection, "costs", a), put(connection, "prices", b)
    files = [written(connection, name, rows, tmp_path) for name, rows in
             (("costs", a), ("prices", b))]  # fmt: skip
    wanted = cut_on_both_sides(a, b)
    mixed = [tuple(files), (first, files[1])]
    for given in mixed if size == 60 else [(files[0], second), (first, second)]:
        assert cut_on_both_sides(*given) == wanted


@dp.measurement
def of_two_kinds(a: dp.Records[Cost], b: dp.Records[Price], eps: float):
    pairs = dp.join(a, b, lambda r: r.ward, lambda s: s.price, 1)
    return dp.laplace(dp.count(pairs), epsilon=eps)


@dp.measurement
def no_unicode(a: dp.Records[Cost], eps: float):
    pairs = dp.join_public(a, "person", (("\ud800", 1), ("?", 2)), columns="n")
    return dp.laplace(dp.count(pairs), epsilon=eps)


def test_keys_that_only_python_compares_are_refused(tmp_path: Path) -> None:
    """A whole number and a double, of which SQL would say that they are equal when rounded."""

    a, b = costs(Random(1), 5)
    connection = duckdb.connect()
    first, second = put(connection, "costs", a), put(connection, "prices", b)
    data = {"a": (dp.Records[Cost], first), "b": (dp.Records[Price], second)}
    session = dp.Session(data, budget=dp.Budget(epsilon=9))
    with pytest.raises(EngineError, match="a join of keys of two kinds"):
        session.run(of_two_kinds, eps=1)
    with pytest.raises(EngineError, match="a text that is no Unicode"):
        session.run(no_unicode, eps=1)
    with pytest.raises(EngineError, match="one of which lies elsewhere"):
        of_two_kinds(first, b, eps=1)
    assert session.left() == {"epsilon": 9}


@dp.measurement
def after_a_release(a: VISITS, b: BILLS, eps: float):
    first = dp.laplace(dp.count_ids(a, "person"), epsilon=eps)
    both = dp.join_by_id(a, b, ON, "semi")
    return first, dp.laplace(dp.count_ids(both, "person"), epsilon=eps)


def test_tables_that_nobody_reaches_are_refused_before_anything_is_spent(tmp_path: Path) -> None:
    rng = Random(1)
    a, b = visits(rng, 9), bills(rng, 9)
    one, other = duckdb.connect(), duckdb.connect()
    apart = put(one, "visits", a), put(other, "bills", b)
    data = {"a": (VISITS, apart[0]), "b": (BILLS, apart[1])}
    for given in (apart, (apart[0], b), (a, apart[1])):
        after_a_release(
            put(one, "visits", a), put(one, "bills", b), eps=1
        )  # the same schema, and refused still
        with pytest.raises(EngineError, match="rows of two tables, side by side"):
            after_a_release(*given, eps=1)
    session = dp.Session(data, budget=dp.Budget(epsilon=4))
    with pytest.raises(EngineError, match="rows of two tables, side by side"):
        session.run(after_a_release, eps=1)
    assert session.left() == {"epsilon": 4}
    path = written(other, "bills", b, tmp_path)
    table = dp.table(path)
    after_a_release(apart[0], table, eps=1)
    written(other, "bills", b * 2, tmp_path)
    with pytest.raises(EngineError, match="changed since it was opened"):
        after_a_release(apart[0], table, eps=1)


class Day(NamedTuple):
    who: int
    on: date


class Time(NamedTuple):
    who: int
    on: datetime


@pytest.mark.parametrize("per", ["day", "week", "month", "year"])
@pytest.mark.parametrize("row", [Day, Time])
def test_ids_of_windows_are_the_same_texts(per: str, row: Any) -> None:
    """At the ends of years and of the calendar, before 1970, and of ids at both ends."""
    days = [date(y, m, d) for y in (1, 2, 999, 1969, 1970, 2020, 2024, 9999)
            for m, d in ((1, 1), (1, 4), (2, 28), (12, 28), (12, 31))]  # fmt: skip
    some = [(who, day) for who in (0, -7, 2**62) for day in days]
    if row is Time:
        some = [(who, datetime(d.year, d.month, d.day, *time)) for who, d in some
                for time in ((0, 0), (23, 59, 59, 999_999))]  # fmt: skip
    connection = duckdb.connect()
    kind = "DATE" if row is Day else "TIMESTAMP"
    connection.execute(f'CREATE TABLE t (who BIGINT, "on" {kind})')
    connection.executemany("INSERT INTO t VALUES (?, ?)", some)
    space: Any = space_of(dp.Records[row, dp.Ids("who", per=per, of="on")])
    wanted = sorted(r[0] for r in admit("t", space, [row(*each) for each in some]).rows())
    table = admit("t", space, connection.sql("SELECT * FROM t"))
    found, counts = table.with_row(table.row[0]).occurrences()
    assert sorted(x for x, n in zip(found, counts, strict=True) for _ in range(n)) == wanted
    assert len(wanted) < len(some)
