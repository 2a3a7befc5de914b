"""Moments of Spark become the clock that a field names, as in memory and on DuckDB."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Annotated, Any

import numpy as np
import pytest

import metricdp as dp
from metricdp.columns.zones import EARLIEST, LATEST, clock
from metricdp.engines.spark_sql import Spark
from metricdp.engines.zones import clock as in_sql
from metricdp.errors import SchemaError
from metricdp.spaces.transitions import transitions

SECOND = 10**6


@pytest.mark.parametrize(
    "zone", ["Europe/Berlin", "Australia/Lord_Howe", "Africa/Casablanca", "Pacific/Apia"]
)
def test_the_clock_is_that_of_arrays(zone: str, spark: Any) -> None:
    rng, held = Random(zone), [EARLIEST - 10**9, EARLIEST, EARLIEST + 1, LATEST, LATEST + 10**9]
    for each in transitions(zone).until(9999)[0]:
        if each < 4_200_000_000 or rng.random() < 0.01:
            held += [each * SECOND + by for by in (-1, 0, 1)]
    held += [rng.randint(EARLIEST, LATEST) for _ in range(500)]
    sql = Spark(lambda columns, rows: "")
    told = sql.read("instant", "timestamp", "`at`")
    assert told is not None
    frame = spark.createDataFrame(list(enumerate(held)), "n long, x long")
    frame = frame.selectExpr("n", "timestamp_micros(x) AS at")
    spark.conf.set("spark.sql.session.timeZone", "America/Los_Angeles")  # whose is never asked
    try:
        found = frame.selectExpr("n", f"{in_sql(sql, zone, '`at`', told)} AS shown").collect()
        none = spark.sql("SELECT CAST(NULL AS TIMESTAMP) AS at")
        assert (
            none.selectExpr(f"{in_sql(sql, zone, '`at`', told)} AS shown").collect()[0][0] is None
        )
    finally:
        spark.conf.unset("spark.sql.session.timeZone")
    shown = [line.shown for line in sorted(found, key=lambda line: line.n)]
    assert shown == clock(zone, np.array(held)).tolist()


@dataclass
class Ring:
    person: int
    at: Annotated[datetime, dp.Zone("Europe/Berlin")]


@dataclass
class Bare:
    person: int
    at: datetime


@dp.transformation
def clocks(rings: dp.Records[Ring]):
    hours = dp.histogram([r.at.hour for r in rings], categories=range(24))
    return hours, sum(1 for r in rings if r.at >= datetime(2024, 3, 31, 3, 0, 0, 1))


@dp.transformation
def bare(rings: dp.Records[Bare]):
    return sum(1 for r in rings if r.at.hour == 1)


@dp.transformation
def months(rings: dp.Records[Ring, dp.Ids("person", per="month", of="at")]):
    return dp.count_ids(rings, "person")


def test_programs(spark: Any) -> None:
    start = datetime(2024, 3, 30, 22, tzinfo=UTC)
    times = [start + timedelta(minutes=30 * step) for step in range(60)]
    rows = [Ring(at.minute, at) for at in times]
    micros = [(r.person, int(r.at.timestamp()) * SECOND) for r in rows]
    frame = spark.createDataFrame(micros, "person long, x long")
    frame = frame.selectExpr("person", "timestamp_micros(x) AS at")
    assert clocks(frame) == clocks(rows)
    assert months(frame) == months(rows) == 4
    with pytest.raises(SchemaError, match="timestamp where datetime is needed") as caught:
        bare(frame)
    assert 'dp.Zone("Europe/Berlin")' in caught.value.remedy
    with pytest.raises(SchemaError, match="timestamp_ntz where a moment with a zone"):
        clocks(frame.selectExpr("person", "TIMESTAMP_NTZ '2024-01-01 00:00:00' AS at"))
    assert "    # at: moments" in dp.schema_of(frame)
