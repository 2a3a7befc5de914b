"""What a person contributes, on an engine: the rows that are kept are those that arrays keep."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import metricdp as dp
from metricdp.columns import row_hash
from metricdp.engines import hashes as hashes_on_engines

duckdb = pytest.importorskip("duckdb")


@dataclass
class Visit:
    person: str
    ward: int
    cost: float
    day: date
    urgent: bool | None


@dp.transformation
def cost(rows: dp.Records[Visit, dp.Ids("person")]):
    kept = dp.limit_rows(rows, "person", 3)
    return dp.sum([dp.clamp(r.cost * 1000 + r.ward, 0, 10**6) for r in kept])


@dp.transformation
def by_ward(rows: dp.Records[Visit, dp.Ids("person")]):
    kept = dp.limit_rows([r for r in rows if r.cost > -10], "person", 2)
    found = {}
    for ward in range(6):
        found[ward] = dp.sum([dp.clamp(r.cost, 0, 50) for r in kept if r.ward == ward])
    return found


@dp.transformation
def persons(rows: dp.Records[Visit, dp.Ids("person")]):
    return dp.count_ids([r for r in rows if r.ward == 3], "person")


@dp.transformation
def by_ward_and_person(rows: dp.Records[Visit, dp.Ids("person")]):
    kept = dp.limit_groups(rows, "person", by=("ward", "day"), groups=3, rows=2)
    found = {}
    for ward in range(6):
        found[ward] = dp.sum([dp.clamp(r.cost, 0, 50) for r in kept if r.ward == ward])
    return found


@dp.transformation
def groups_of_urgent(rows: dp.Records[Visit, dp.Ids("person")]):
    urgent = [r for r in rows if r.urgent is not None and r.urgent]
    kept = dp.limit_groups(urgent, "person", by="ward", groups=2, rows=1)
    return dp.sum([dp.clamp(r.cost * 100 + r.ward, 0, 10**5) for r in kept])


@dp.transformation
def of_few_and_many(rows: dp.Records[Visit, dp.Ids("person")]):
    many = dp.keep_ids([r for r in rows if r.ward < 4], "person", 12)
    few = dp.keep_ids(rows, "person", 2, most=9)
    kept = dp.limit_rows(many, "person", 5)
    total = dp.sum([dp.clamp(r.cost * 100 + r.ward, 0, 10**5) for r in kept])
    return (
        total,
        dp.count_ids(many, "person"),
        dp.count_ids([r for r in few if r.ward == 1], "person"),
    )


@dp.transformation
def weighed(rows: dp.Records[Visit, dp.Ids("person")]):
    return dp.weighted_count_by([r for r in rows if r.cost > 0], "person", by="ward", groups=3)


def visits(n: int) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    cost = np.round(rng.normal(20, 20, n), 1)
    cost[: n // 3] = np.round(cost[: n // 3])
    cost[::97] = np.nan
    days = np.datetime64("2024-02-27") + rng.integers(0, 4, n)
    urgent = rng.integers(0, 3, n)
    return {
        "person": np.array(["Ann", "Ånn", "Bo's", "", "🤒"] + [f"p{i}" for i in range(60)], object)[
            np.minimum(rng.zipf(1.5, n) - 1, 64)
        ],
        "ward": rng.integers(0, 6, n),
        "cost": cost,
        "day": days.astype("datetime64[D]"),
        "urgent": [None if x == 2 else bool(x) for x in urgent],
    }


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    path, columns = tmp_path_factory.mktemp("visits") / "visits.parquet", visits(3000)
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t(person TEXT, ward INT, cost DOUBLE, day DATE, urgent BOOL)")
    rows = zip(*(list(columns[name]) for name in columns), strict=True)
    plain = [(p, int(w), float(c), d.astype(object), u) for p, w, c, d, u in rows]
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?)", plain)
    connection.execute(f"COPY t TO '{path}'")
    return path, columns


@pytest.mark.parametrize(
    "program",
    [cost, by_ward, persons, by_ward_and_person, groups_of_urgent, of_few_and_many, weighed],
    ids=lambda f: f.__name__,
)
def test_the_same_rows_are_kept(program: Any, files: tuple[Path, dict[str, Any]]) -> None:
    path, columns = files
    wanted = program(columns)
    assert program(path) == wanted
    assert program(duckdb.read_parquet(str(path))) == wanted
    assert program(dp.table(path, collect=True)) == wanted


@pytest.mark.parametrize("rounds", [row_hash.ROUNDS, ((0, 0),)], ids=["hashes", "no hashes"])
def test_rows_of_one_hash_are_told_apart_by_what_they_hold(
    rounds: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Rows that are equal, and rows that are not, of which the hash says nothing."""
    for module in (row_hash, hashes_on_engines):
        monkeypatch.setattr(module, "ROUNDS", rounds)
    path = tmp_path / "alike.parquet"
    duckdb.sql(
        "SELECT 'p' || (i % 7) AS person, CAST(i % 5 AS INT) AS ward, (i % 3) / 2e0 AS cost, "
        "DATE '2024-01-01' + CAST(i % 2 AS INT) AS day, i % 4 = 0 AS urgent FROM range(400) t(i)"
    ).write_parquet(str(path))
    here = dp.table(path, collect=True)
    for program in (by_ward, by_ward_and_person):
        assert program(path) == program(here)
        assert program(duckdb.read_parquet(str(path))) == program(here)


def test_persons_with_many_rows_that_are_alike_keep_as_many_as_in_memory(tmp_path: Path) -> None:
    """Rows of one hash may all lie beyond the hashes that are looked at first: then all are."""
    path = tmp_path / "alike.parquet"
    duckdb.sql(
        "SELECT 'p' || (i % 30) AS person, CAST(i % 30 % 6 AS INT) AS ward, "
        "CASE WHEN i < 9000 THEN i % 30 % 7 ELSE i % 4001 END / 2e0 AS cost, "
        "DATE '2024-01-01' AS day, CAST(NULL AS BOOLEAN) AS urgent FROM range(9900) t(i)"
    ).write_parquet(str(path))
    here = dp.table(path, collect=True)
    for program in (cost, by_ward, by_ward_and_person):
        assert program(path) == program(here)
