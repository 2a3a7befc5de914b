"""Spark beside DuckDB: a cluster of two workers for all tests, and the tables of laws on it."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pyspark")

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "engines")]

from cluster import Cluster, session  # noqa: E402
from engine_tables import Both  # noqa: E402

from metricdp.engines.spark_frames import _session, _small_tables  # noqa: E402
from metricdp.engines.spark_sql import Spark  # noqa: E402


class OnSpark:
    """A source that is one table of Spark; see `engine_tables.Asked`."""

    name, engine, rows = "a table", "Spark", "engine_rows"
    spark: Any = None

    def __init__(self, held: dict[str, Any], bases: dict[str, str]) -> None:
        self.schema, self.own = dict.fromkeys(held, ""), type(self).spark
        self.dialect = Spark(_small_tables(self.own, []))
        kinds = {"double": "double", "integer": "bigint", "boolean": "boolean", "text": "string"}
        told = ", ".join(f"`{name}` {kinds[base]}" for name, base in bases.items())
        lines = list(zip(*(column.tolist() for column in held.values()), strict=True))
        frame = self.own.createDataFrame(lines, told).coalesce(2)
        frame.localCheckpoint().createOrReplaceTempView(self.rows)

    def ask(self, text: str) -> list[tuple[Any, ...]]:
        return [tuple(map(_plain, line)) for line in self.own.sql(text).collect()]


def _plain(value: Any) -> Any:
    return int(value) if type(value).__name__ == "Decimal" else value


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    logging.disable(logging.ERROR)  # what Spark says of queries that have to fail
    made = Cluster()
    try:
        yield made
    finally:
        made.close()


@pytest.fixture(scope="session")
def spark(cluster: Cluster) -> Iterator[Any]:
    """A session of the caller, with settings that are not those of ours."""
    made = session(cluster.address)
    yield made
    made.stop()


@pytest.fixture(autouse=True)
def _tables_on_spark(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    if OnSpark.spark is None:
        OnSpark.spark = _session(spark.newSession())
    monkeypatch.setattr(Both, "engine", OnSpark)
