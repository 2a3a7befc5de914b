"""Tables of Ibis and data sets of Arrow: copied once, and then as any table on DuckDB.

They need packages that are too heavy for the main suite.
"""

from __future__ import annotations

import datetime
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import metricdp as dp
from metricdp.errors import EngineError, SchemaError

ibis = pytest.importorskip("ibis")
arrow = pytest.importorskip("pyarrow")
dataset = pytest.importorskip("pyarrow.dataset")

# What Ibis does with other libraries is its own affair.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


@dataclass
class Visit:
    person: int
    ward: str
    day: datetime.date
    cost: float | None


PLANS = ["east", "west", "o'hare \0 -- \u00e9"]
ROWS = [
    Visit(n % 37, PLANS[n % 3], datetime.date(2026, 1, 1 + n % 28), None if n % 11 == 0 else n / 8)
    for n in range(500)
]


@dp.transformation
def costs(rows: dp.Records[Visit, dp.Ids("person")]):
    kept = dp.limit_rows(rows, "person", 3)
    return [
        sum(dp.clamp(r.cost if r.cost is not None else 0, 0, 40) for r in kept if r.ward == w)
        for w in PLANS
    ]


@dp.transformation
def weekend(rows: dp.Records[Visit]):
    return sum(1 for r in rows if r.day.weekday() >= 5)


@dp.measurement
def noisy(rows: dp.Records[Visit], eps: float):
    return dp.laplace(len(rows), epsilon=eps)


def _lite(path: Path) -> Any:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE v(person INTEGER, ward TEXT, day DATE, cost REAL, more BLOB)")
    lines = [(r.person, r.ward, r.day.isoformat(), r.cost, b"") for r in ROWS]
    connection.executemany("INSERT INTO v VALUES (?, ?, ?, ?, ?)", lines)
    connection.commit()
    connection.close()
    return ibis.sqlite.connect(str(path)).table("v")


def _arrow() -> Any:
    return arrow.table(
        {name: [getattr(r, name) for r in ROWS] for name in ("ward", "person", "day", "cost")}
    )


@pytest.fixture(params=["sqlite", "dataset", "file", "filtered", "duckdb", "memory"])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    if request.param == "dataset":
        return dataset.dataset(_arrow())
    if request.param == "file":
        dataset.write_dataset(_arrow(), tmp_path / "parts", format="parquet")
        return dataset.dataset(tmp_path / "parts", format="parquet")
    if request.param == "memory":
        return ibis.memtable(_arrow())
    if request.param == "duckdb":
        pytest.importorskip("pyarrow.parquet").write_table(_arrow(), tmp_path / "v.parquet")
        return ibis.duckdb.connect().read_parquet(tmp_path / "v.parquet").filter(ibis._.person >= 0)
    lite = _lite(tmp_path / "v.sqlite")
    return lite.filter(lite.person >= 0) if request.param == "filtered" else lite


def test_the_same_numbers_come_out(table: Any) -> None:
    assert costs(table) == costs(ROWS)
    assert weekend(table) == weekend(ROWS)
    opened = dp.table(table)
    assert weekend(opened) == weekend(opened) == weekend(ROWS)
    assert abs(float(noisy(table, eps=50.0)) - len(ROWS)) < 2  # false alarm: exp(-100)


def test_its_schema_is_told(table: Any) -> None:
    told = dp.schema_of(table)
    for field in ("person: int | None", "ward: str | None", "day: date | None"):
        assert field in told
    assert "cost: float | None" in told


def test_rows_that_change_afterwards_are_not_seen(tmp_path: Path) -> None:
    opened = dp.table(_lite(tmp_path / "v.sqlite"))
    before = weekend(opened)
    connection = sqlite3.connect(tmp_path / "v.sqlite")
    connection.execute("DELETE FROM v")
    connection.commit()
    assert weekend(opened) == before == weekend(ROWS)


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    lite = _lite(tmp_path / "v.sqlite")
    with pytest.raises(SchemaError, match="no column ward"):
        costs(lite.drop("ward"))
    with pytest.raises(SchemaError, match="column"):
        costs(lite.mutate(ward=lite.person))
    connection = sqlite3.connect(tmp_path / "v.sqlite")
    connection.execute("DROP TABLE v")
    connection.commit()
    with pytest.raises(EngineError, match=r"a table of Ibis: its library failed \(") as found:
        costs(lite)
    assert "SELECT" not in str(found.value)
