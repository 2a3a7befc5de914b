"""Moments of a column with a zone: refused with what to write, which gives that zone's clock."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

import metricdp as dp
from metricdp.errors import SchemaError

duckdb = pytest.importorskip("duckdb")

#: Half hours around the days on which clocks were changed, in universal time.  Samoa had no 30th of
#: December in 2011; India's clocks stand half an hour beside the others'.
CHANGES = {
    "Europe/Berlin": ("2024-03-30 22:00", "2024-10-26 22:00"),
    "America/New_York": ("2024-03-10 04:00", "2024-11-03 04:00"),
    "Asia/Kolkata": ("2024-03-31 00:00",),
    "Pacific/Apia": ("2011-12-29 20:00", "2011-12-30 20:00"),
}


@dataclass
class Ring:
    at: datetime


@dp.transformation
def clocks(rings: dp.Records[Ring]):
    hours = dp.histogram([r.at.hour for r in rings], categories=range(24))
    halves = dp.histogram([r.at.minute for r in rings], categories=(0, 30))
    days = dp.histogram([r.at.day for r in rings], categories=range(1, 32))
    return hours, halves, days, dp.histogram([r.at.weekday() for r in rings], categories=range(7))


def moments(zone: str) -> list[datetime]:
    starts = [datetime.fromisoformat(at).replace(tzinfo=UTC) for at in CHANGES[zone]]
    return [start + timedelta(minutes=30 * step) for start in starts for step in range(50)]


@pytest.fixture(scope="module")
def connection() -> Any:
    made = duckdb.connect()
    try:
        made.execute("SELECT TIMESTAMPTZ '2024-01-01 00:00:00+00' AT TIME ZONE 'Asia/Kolkata'")
    except duckdb.Error:
        pytest.skip("this DuckDB has no zones (its extension icu is missing)")
    yield made
    made.close()


@pytest.mark.parametrize("zone", CHANGES)
def test_what_the_refusal_says_gives_the_clock_of_a_zone(zone: str, connection: Any) -> None:
    held = moments(zone)
    listed = ", ".join(f"(TIMESTAMPTZ '{at.isoformat()}')" for at in held)
    connection.execute("SET TimeZone = 'America/Los_Angeles'")  # whose clock is not the one asked
    connection.execute(f'CREATE OR REPLACE TABLE rings AS SELECT * FROM (VALUES {listed}) t("at")')
    with pytest.raises(SchemaError, match="TIMESTAMP WITH TIME ZONE where datetime") as caught:
        clocks(connection.table("rings"))
    written = re.search(r'duckdb\.sql\("(.*)"\)', caught.value.remedy)
    assert written is not None
    query = written[1].replace("Europe/Berlin", zone).replace("...", "rings")
    shown = [Ring(at.astimezone(ZoneInfo(zone)).replace(tzinfo=None)) for at in held]
    assert clocks(connection.sql(query)) == clocks(shown)


def test_hours_that_come_twice_and_never(connection: Any) -> None:
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
