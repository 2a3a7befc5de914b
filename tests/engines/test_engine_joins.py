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
}


def put(connection: Any, name: str, some: list[Any]) -> Any:
    """Rows as a table of a connection, and a relation of it."""
    connection.execute(f"CREATE OR REPLACE TABLE {name} {TYPES[name]}")
    rows = [list(row.values() if isinstance(row, dict) else vars(row).values()) for row in some]
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


#: Every program in depth; of empty tables one, for what DuckDB plans takes as long as with rows.
CASES = [(80, every_way), (80, joins_of_joins), (80, in_months), (0, joins_of_joins)]
CASES += depth([], [(0, every_way), (0, in_months)])


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
        written(connection, name, rows, tmp_path) for name, rows in zip(TYPES, (a, b), strict=True)
    ]
    mixed = [(first, files[1]), (files[0], second), tuple(files), (first, second)]
    for given in mixed[:1] if program is every_way or not size else mixed[1:3]:
        assert program(*given) == wanted


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
