"""Moments on an engine become the clock that a field names, in SQL of our own and by one table."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from runpy import run_path
from typing import Annotated, Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pytest
from depth import depth

import metricdp as dp
from metricdp.columns.zones import EARLIEST, LATEST, clock
from metricdp.engines.duckdb_sql import DuckDB
from metricdp.engines.zones import clock as in_sql
from metricdp.errors import SchemaError
from metricdp.spaces.transitions import transitions

duckdb = pytest.importorskip("duckdb")

ZONES = ("Europe/Berlin", "Australia/Lord_Howe", "Pacific/Apia", "Europe/Dublin", "Asia/Hebron",
         "Africa/Casablanca", "Asia/Kathmandu", "UTC", "Antarctica/Troll", "America/New_York",
         "America/Santiago", "Africa/Monrovia")  # fmt: skip
#: Half hours around days on which clocks were changed, in universal time.
CHANGES = {
    "Europe/Berlin": ("2024-03-30 22:00", "2024-10-26 22:00"),
    "Pacific/Apia": ("2011-12-29 20:00", "2011-12-30 20:00"),
}


@dataclass
class Ring:
    at: datetime


@pytest.fixture(scope="module")
def connection() -> Any:
    made = duckdb.connect()
    made.execute("SET TimeZone = 'America/Los_Angeles'")  # whose clock is never the one asked
    yield made
    made.close()


def moments(zone: str) -> list[datetime]:
    starts = [datetime.fromisoformat(at).replace(tzinfo=UTC) for at in CHANGES[zone]]
    return [start + timedelta(minutes=30 * step) for start in starts for step in range(50)]


@pytest.mark.parametrize("zone", ZONES)
def test_the_clock_is_that_of_arrays(zone: str, connection: Any) -> None:
    rng, second = Random(zone), 10**6
    held = [EARLIEST - 10**9, EARLIEST, EARLIEST + 1, LATEST - 1, LATEST, LATEST + 10**9]
    for each in transitions(zone).until(9999)[0]:
        if each < 4_200_000_000 or rng.random() < 0.01:
            held += [each * second + by for by in (-1, 0, 1)]
    held += [rng.randint(EARLIEST, LATEST) for _ in range(depth(500, 20_000))]
    held += [rng.randint(-4 * 10**15, 5 * 10**15) for _ in range(depth(500, 20_000))]
    connection.register("numbers", pd.DataFrame({"n": np.arange(len(held)), "x": held}))
    connection.execute(
        'CREATE OR REPLACE TABLE t AS SELECT n, make_timestamptz(x) "at" FROM numbers'
    )
    sql = DuckDB()
    told = sql.read("instant", "TIMESTAMP WITH TIME ZONE", '"at"')
    assert told is not None
    shown = in_sql(sql, zone, '"at"', told)
    rows = connection.execute(f"SELECT {shown} FROM t ORDER BY n").fetchall()
    assert [row for (row,) in rows] == clock(zone, np.array(held)).tolist()
    special = "VALUES (NULL::TIMESTAMPTZ), ('infinity'), ('-infinity')"
    found = connection.execute(f'SELECT {shown} FROM ({special}) t("at")').fetchall()
    ends = clock(zone, np.array([LATEST, EARLIEST])).tolist()
    assert [row for (row,) in found] == [None, *ends]


@dp.transformation
def clocks(rings: dp.Records[Ring]):
    hours = dp.histogram([r.at.hour for r in rings], categories=range(24))
    days = dp.histogram([r.at.day for r in rings], categories=range(1, 32))
    return hours, days, sum(1 for r in rings if r.at >= datetime(2024, 3, 31, 3, 0, 0, 1))


def zoned(zone: str, folder: Path) -> Any:
    """The same program over moments of a zone."""
    body = Path(__file__).read_text(encoding="utf-8")
    body = body[body.index("@dp.transformation\ndef clocks") :].split("\n\n\n")[0]
    text = (
        "from dataclasses import dataclass\nfrom datetime import datetime\n"
        "from typing import Annotated\n\nimport metricdp as dp\n\n\n@dataclass\nclass Ring:\n"
        f'    at: Annotated[datetime, dp.Zone("{zone}")]\n\n\n{body}\n'
    )
    path = folder / "program.py"
    path.write_text(text, encoding="utf-8")
    return run_path(str(path))["clocks"]


@pytest.mark.parametrize("zone", CHANGES)
def test_programs_on_files_relations_and_texts(zone: str, connection: Any, tmp_path: Path) -> None:
    held, program = moments(zone), zoned(zone, tmp_path)
    shown = [Ring(at.astimezone(ZoneInfo(zone)).replace(tzinfo=None)) for at in held]
    expected = clocks(shown)
    frame = pd.DataFrame({"at": pd.to_datetime(held, utc=True).tz_convert("Asia/Tokyo")})
    connection.register("rings", frame)
    connection.execute(f"COPY (SELECT * FROM rings) TO '{tmp_path / 'rings.parquet'}'")
    lines = [f"{at.astimezone(ZoneInfo('Asia/Kolkata')).isoformat()}\n" for at in held]
    (tmp_path / "rings.csv").write_text("at\n" + "".join(lines), encoding="utf-8")
    relation = connection.sql('SELECT * FROM rings WHERE "at" IS NOT NULL')
    sources = [frame, relation, str(tmp_path / "rings.parquet"), str(tmp_path / "rings.csv")]
    for source in sources:
        assert program(source) == expected
        with pytest.raises(
            SchemaError, match=r"TIMESTAMP WITH TIME ZONE|none of the declared|zone|Tokyo"
        ):
            clocks(source)
    with pytest.raises(SchemaError, match="TIMESTAMP where a moment with a zone") as caught:
        program(connection.sql("SELECT TIMESTAMP '2024-01-01 00:00:00' AS \"at\""))
    assert "declare the field as datetime" in caught.value.remedy
    (tmp_path / "rings.csv").write_text("at\n2024-01-01T00:00:00\n", encoding="utf-8")
    with pytest.raises(SchemaError, match="none of the declared kind"):
        program(str(tmp_path / "rings.csv"))


@dataclass
class Visit:
    person: int
    at: Annotated[datetime | None, dp.Zone("Antarctica/Troll")]
    left: Annotated[datetime, dp.Zone("Antarctica/Troll")]


@dp.transformation
def limited(visits: dp.Records[Visit, dp.Ids("person")]):
    kept = dp.limit_rows(visits, "person", 2)
    hours = dp.histogram([v.left.hour for v in kept], categories=range(24))
    return hours, sum(1 for v in kept if v.at is not None and v.at > v.left)


@dp.transformation
def of_weeks(visits: dp.Records[Visit, dp.Ids("person", per="week", of="left")]):
    return dp.count(dp.limit_rows(visits, "person", 1))


@dataclass
class Bill:
    person: int
    paid: Annotated[datetime, dp.Zone("Asia/Kathmandu")]


@dataclass
class Stay:
    person: int
    left: Annotated[datetime, dp.Zone("Pacific/Apia")]


@dp.transformation
def of_both(stays: dp.Records[Stay, dp.Ids("person")], bills: dp.Records[Bill, dp.Ids("person")]):
    kept = dp.limit_rows(dp.join_by_id(stays, bills, "person"), "person", 3)
    return sum(1 for s in kept if s.left.hour < 12 and s.paid.hour < 12)


def test_two_files_on_two_clocks_are_joined(connection: Any, tmp_path: Path) -> None:
    rng, times = Random(3), moments("Europe/Berlin")
    stays = [Stay(rng.randrange(5), rng.choice(times)) for _ in range(30)]
    bills = [Bill(rng.randrange(5), rng.choice(times)) for _ in range(30)]
    paths = []
    for name, rows in (("stays", stays), ("bills", bills)):
        connection.register(name, pd.DataFrame([vars(row) for row in rows]))
        paths.append(str(tmp_path / f"{name}.parquet"))
        connection.execute(f"COPY (SELECT * FROM {name}) TO '{paths[-1]}'")
    relations = [connection.table(name) for name in ("stays", "bills")]
    assert of_both(*paths) == of_both(*relations) == of_both(stays, bills)


def test_the_same_rows_of_a_person_are_kept(connection: Any) -> None:
    """Around two hours that come twice, whose rows are alike on every evaluator."""
    rng, start = Random(7), datetime(2024, 10, 26, 20, tzinfo=UTC)
    times = [start + timedelta(minutes=30 * step) for step in range(60)]
    rows = [
        Visit(rng.randrange(4), rng.choice([None, *times]), rng.choice(times)) for _ in range(60)
    ]
    columns = {name: [getattr(r, name) for r in rows] for name in ("at", "left")}
    moments_of = {name: pd.to_datetime(column, utc=True) for name, column in columns.items()}
    frame = pd.DataFrame({"person": [r.person for r in rows], **moments_of})
    connection.register("visits", frame)
    relation = connection.sql("SELECT * FROM visits")
    for program in (limited, of_weeks):
        assert program(rows) == program(frame) == program(relation)


def test_hours_that_come_twice_and_never() -> None:
    """A day of 23 hours and one of 25: what the clock shows, which no zone can tell apart."""
    for day, hour, rings in (("2024-03-31", 2, 0), ("2024-10-27", 2, 4), ("2024-10-27", 3, 2)):
        shown = [at.astimezone(ZoneInfo("Europe/Berlin")) for at in moments("Europe/Berlin")]
        mine = [Ring(at.replace(tzinfo=None)) for at in shown if str(at.date()) == day]
        assert clocks(mine)[0][hour] == rings


def test_rows_with_and_without_a_zone_are_refused() -> None:
    naive = datetime(2024, 1, 1, 3)
    for zone in (UTC, ZoneInfo("Europe/Berlin")):
        for rows in (
            [Ring(naive.replace(tzinfo=zone))],
            [Ring(naive), Ring(naive.replace(tzinfo=zone))],
        ):
            with pytest.raises(SchemaError, match="a datetime with a zone"):
                clocks(rows)
