"""What the rows of a person add up to, on an engine: the same doubles and integers as in memory."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from math import copysign, fsum, ldexp
from pathlib import Path
from random import Random
from typing import Any

import pytest

import metricdp as dp
from metricdp.columns import row_hash
from metricdp.engines import hashes
from metricdp.engines.duckdb_sql import DuckDB
from metricdp.engines.exact_sums import ODD, in_parts, put_together, totals

duckdb = pytest.importorskip("duckdb")


@dataclass
class Visit:
    person: str
    ward: int | None
    cost: float
    day: date
    nights: int
    urgent: bool


@dp.transformation
def of_persons(rows: dp.Records[Visit, dp.Ids("person")]):
    costs = dp.sum_per_id(rows, "person", lambda r: r.cost)
    large = [dp.clamp(x, -(2.0**70), 2.0**70) for x in costs if x > 1.5 or x < -30.0]
    return dp.sum([dp.clamp(x, -100, 100) for x in costs]), dp.count(large), dp.count(costs)


@dp.transformation
def of_some_rows(rows: dp.Records[Visit, dp.Ids("person")]):
    some = [r for r in rows if r.ward is not None and r.cost > -5]
    costs = dp.sum_per_id(some, "person", lambda r: r.cost / 3 if r.urgent else 0.1)
    return dp.sum([dp.clamp(x, 0, 1) for x in costs]), dp.count([x for x in costs if x == 0.1])


@dp.transformation
def in_wards(rows: dp.Records[Visit, dp.Ids("person")]):
    sums = dp.sum_per_group(rows, "person", lambda r: r.cost, by=("ward", "day"), groups=2)
    found = {}
    for ward in range(4):
        mine = [s for place, day, s in sums if place is not None and place == ward]
        found[ward] = dp.sum([dp.clamp(s, -50, 50) for s in mine])
    nobody = [s for place, day, s in sums if place is None and day < date(2024, 1, 3)]
    return found, dp.sum([dp.clamp(s, -50, 50) for s in nobody])


@dp.transformation
def whole(rows: dp.Records[Visit, dp.Ids("person")]):
    nights = dp.sum_per_id(rows, "person", lambda r: r.nights)
    return (
        dp.sum([dp.clamp(n, -(2**40), 2**40) for n in nights]),
        dp.count([n for n in nights if n > 2**62]),
        dp.sum([dp.clamp(n, 0, 9) for n in dp.sum_per_id(rows, "person", lambda r: r.urgent)]),
        dp.sum([dp.clamp(n, 0, 9) for n in dp.sum_per_id(rows, "person", lambda r: len(r.person))]),
        dp.count(dp.sum_per_group(rows, "person", lambda r: r.nights, by="urgent", groups=1)),
    )


PROGRAMS = [of_persons, of_some_rows, in_wards, whole]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Also numbers that are too large, or too fine, for sums of three parts; and gaps."""
    path = tmp_path_factory.mktemp("visits") / "visits.parquet"
    duckdb.sql(
        "SELECT 'p' || least(hash(i) % 61, hash(i + 1) % 61) AS person, "
        "CASE WHEN i % 11 = 0 THEN NULL ELSE CAST(hash(i + 2) % 4 AS INT) END AS ward, "
        "CASE WHEN i % 83 = 0 THEN 1e300 * (i % 5 - 2) WHEN i % 89 = 0 THEN 1e-200 "
        "WHEN i % 97 = 0 THEN 'nan'::DOUBLE WHEN i % 101 = 0 THEN 'infinity'::DOUBLE "
        "WHEN i % 7 = 0 THEN -0.0 ELSE (hash(i + 3) % 100000) / 997.0 - 20 END AS cost, "
        "DATE '2024-01-01' + CAST(hash(i + 5) % 3 AS INT) AS day, "
        "CASE WHEN i % 9 = 0 THEN 9223372036854775807 ELSE i % 5 - 2 END AS nights, "
        "i % 3 = 0 AS urgent FROM range(2500) t(i)"
    ).write_parquet(str(path))
    return path


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_sums_of_persons_are_those_of_memory(program: Any, path: Path) -> None:
    wanted = program(dp.table(path, collect=True))
    assert program(path) == wanted
    assert program(duckdb.read_parquet(str(path))) == wanted


def test_groups_of_one_hash_are_told_apart(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (row_hash, hashes):
        monkeypatch.setattr(module, "ROUNDS", ((0, 0),))
    assert in_wards(path) == in_wards(dp.table(path, collect=True))


def test_a_table_without_rows_has_no_persons(path: Path) -> None:
    empty = path.with_name("empty.parquet")
    duckdb.read_parquet(str(path)).filter("false").write_parquet(str(empty))
    assert of_persons(empty) == (0, 0, 0)
    assert in_wards(empty) == in_wards(dp.table(empty, collect=True))


def test_sums_of_doubles_are_rounded_once() -> None:
    """Ties, cancellation, and what is left far below the last bit."""
    random, sql, connection = Random(3), DuckDB(), duckdb.connect()

    def number(kind: int) -> float:
        sign = random.choice((1, -1))
        if kind == 0:
            return random.expovariate(0.1)
        if kind == 1:
            return sign * ldexp(random.getrandbits(53), random.randint(-104, -11))
        if kind == 2:
            return sign * random.randrange(1 << 41) + random.choice((0, 0.5, 2.0**-11))
        edges = (2.0**41, 2.0**42 - 2.0**-11, 2.0**-104, 2.0**-60, 1.0, 0.0, 2.0**-12, 2.0**-105)
        return sign * random.choice(edges)

    groups = []
    for _ in range(1500):
        kind = random.randrange(4)
        mine = [number(kind) for _ in range(random.choice((1, 2, 3, 5, 20)))]
        undone = [-x for x in mine] if random.random() < 0.3 else []
        groups.append([*mine, *undone, *(number(3) for _ in undone[:1])])
    listed = [(place, x) for place, mine in enumerate(groups) for x in mine]
    lists = "unnest($1::BIGINT[]) AS place, unnest($2::DOUBLE[]) AS x"
    connection.execute(f"CREATE TABLE t AS SELECT {lists}", [*zip(*listed, strict=True)])
    added = f"(SELECT place, {', '.join(totals(sql))} FROM {in_parts(sql, 't', 'x')} GROUP BY 1)"
    source, text = put_together(sql, added)
    found = connection.execute(f"SELECT place, {ODD}, {text} FROM {source}").fetchall()
    for place, odd, x in found:
        assert bool(odd) == any(abs(y) >= 2.0**42 or y * 2.0**104 % 1 for y in groups[place])
        wanted = fsum(groups[place]) + 0.0
        assert odd or (x, copysign(1, x)) == (wanted, copysign(1, wanted))
    assert 0 < sum(odd for _, odd, _ in found) < 700
