"""Rows of Spark that are others each time, workers that are lost, and what is refused at once."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any

import pytest
from cluster import Cluster

import metricdp as dp
from metricdp.engines import spark_frames
from metricdp.errors import EngineError


@dataclass
class Visit:
    person: str
    ward: int
    cost: float


@dp.transformation
def both_halves(rows: dp.Records[Visit]):
    low = dp.count([r for r in rows if r.cost < 0.5])
    return low, dp.count([r for r in rows if r.cost >= 0.5])


@dp.transformation
def by_ward(rows: dp.Records[Visit, dp.Ids("person")]):
    kept = dp.limit_rows(rows, "person", 3)
    found = {}
    for ward in range(4):
        found[ward] = dp.sum([dp.clamp(r.cost, 0, 1) for r in kept if r.ward == ward])
    return found


def random_visits(spark: Any, count: int) -> Any:
    """Visits that are others each time: a function of Python, and Spark's own."""
    return spark.range(count).selectExpr(
        "concat('p', id % 50) AS person", "CAST(id % 4 AS INT) AS ward",
        "CAST(java_method('java.lang.Math', 'random') AS DOUBLE) AS cost",
    )  # fmt: skip


def test_rows_that_are_others_each_time_are_copied_once(spark: Any) -> None:
    """Somebody in two parts that share nobody would be counted in both, and paid for once."""
    frame = random_visits(spark, 1000)
    assert frame.where("cost < 0.5").count() != frame.where("cost < 0.5").count()
    table = dp.table(frame)
    counts = {both_halves(table) for _ in range(4)}
    assert len(counts) == 1 and sum(counts.pop()) == 1000


def test_a_table_that_is_written_anew_is_not_read_again(spark: Any, tmp_path: Any) -> None:
    path = str(tmp_path / "visits")
    random_visits(spark, 100).write.parquet(path)
    table = dp.table(spark.read.parquet(path))
    before = both_halves(table)
    random_visits(spark, 300).write.mode("overwrite").parquet(path)
    assert both_halves(table) == before


def test_one_person_with_most_of_the_rows(spark: Any) -> None:
    """A million rows of one id, and three each of the others."""
    frame = spark.range(1_003_000).selectExpr(
        "CASE WHEN id < 1000000 THEN 'busy' ELSE concat('p', id % 1000) END AS person",
        "CAST(id % 4 AS INT) AS ward", "1D AS cost",
    )  # fmt: skip
    assert sum(map(int, by_ward(frame).values())) == 3003


@dp.measurement
def released(rows: dp.Records[Visit, dp.Ids("person")], eps: float):
    kept = dp.limit_rows(rows, "person", 3)
    return dp.laplace(dp.count(kept), epsilon=eps), dp.laplace(
        dp.count_ids(rows, "person"), epsilon=eps
    )


def test_a_worker_that_is_lost(spark: Any, cluster: Cluster) -> None:
    """Each part of the copy lies with two workers: one may end during a job.

    The answers are those of the same rows, or an error that is told before or after the spend.
    """
    table = dp.table(random_visits(spark, 200_000).repartition(4))
    before = by_ward(table), both_halves(table)
    gone = threading.Thread(target=lambda: (time.sleep(0.3), cluster.lose(0)))
    gone.start()
    for _ in range(3):
        try:
            assert (by_ward(table), both_halves(table)) == before
        except EngineError as error:
            assert "Spark failed" in str(error)
    gone.join()
    assert (by_ward(table), both_halves(table)) == before
    cluster.workers[0] = cluster.worker(2)
    assert (by_ward(table), both_halves(table)) == before


def test_a_copy_that_is_lost_is_told_of(spark: Any) -> None:
    """It is not made anew: it would have other rows."""
    table = dp.table(random_visits(spark, 1000))
    before = both_halves(table)
    for each in spark.sparkContext._jsc.getPersistentRDDs().values():
        each.unpersist(True)
    try:
        assert both_halves(table) == before
    except EngineError as error:
        assert "Spark failed" in str(error)
    else:
        pytest.fail("rows that nobody held any more")


@dataclass
class Named:
    name: str
    age: int


@dp.transformation
def grown_up(rows: dp.Records[Named]):
    return dp.count([r for r in rows if r.age >= 18 and r.name.upper() != "ANN"])


def test_a_failure_tells_no_value(spark: Any) -> None:
    frame = spark.sql(
        "SELECT 'x' AS name, CAST(concat('Ann, HIV', id) AS BIGINT) AS age FROM range(3)"
    )
    with pytest.raises(EngineError, match="Spark failed") as error:
        grown_up(frame)
    assert "Ann" not in f"{error.value}{error.value.__cause__}{error.value.__context__}"


def test_values_of_rows_are_in_no_query(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of which Python computes a function go back in a table: logs have the queries."""
    asked: list[str] = []
    ask = spark_frames.SparkFrame.ask
    monkeypatch.setattr(
        spark_frames.SparkFrame, "ask", lambda self, text: asked.append(text) or ask(self, text)
    )
    frame = spark.createDataFrame([("Ann", 30), ("Zoe secret", 40)], "name string, age int")
    assert grown_up(frame) == 1
    assert len(asked) > 1 and "Zoe" not in "".join(asked) and b"Zoe".hex() not in "".join(asked)


def test_what_is_no_table_that_stays(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = spark.readStream.format("rate").load()
    with pytest.raises(EngineError, match="a stream"):
        dp.table(stream)
    told = {"__module__": "pyspark.sql.dataframe", "sparkSession": None}
    with pytest.raises(EngineError, match="a Spark before 4"):
        dp.table(type("DataFrame", (), told)())
    frame = spark.range(3)
    for key, told in (("spark.plugins", "a Spark with plugins"),
                      ("spark.speculation", "computes rows several times")):  # fmt: skip
        held = spark.sparkContext.getConf().set(key, "true")
        with monkeypatch.context() as patched:
            patched.setattr(type(spark.sparkContext), "getConf", lambda self, held=held: held)
            with pytest.raises(EngineError, match=told):
                dp.table(frame)
    conf = type(spark.conf)
    told_before = conf.get
    answers: dict[str, str] = {}

    def get(self: Any, key: str, *default: Any) -> Any:
        return answers.get(key) or told_before(self, key, *default)

    monkeypatch.setattr(conf, "get", get)
    answers["spark.sql.extensions"] = "io.delta.sql.DeltaSparkSessionExtension"
    dp.table(frame)
    answers["spark.sql.extensions"] += ", org.other.Rules"
    with pytest.raises(EngineError, match="extensions of SQL"):
        dp.table(frame)


def test_settings_that_nobody_here_knows_are_taken_back(spark: Any) -> None:
    conf = spark.newSession()
    for key, value in (("spark.sql.legacy.timeParserPolicy", "LEGACY"),
                       ("spark.sql.optimizer.excludedRules", "a.Rule"),
                       ("spark.sql.adaptive.enabled", "false")):  # fmt: skip
        conf.conf.set(key, value)

    made = spark_frames._session(conf)
    assert made.conf.get("spark.sql.legacy.timeParserPolicy") != "LEGACY"
    assert made.conf.get("spark.sql.optimizer.excludedRules", "") == ""
    assert made.conf.get("spark.sql.adaptive.enabled") == "false"


def test_settings_of_the_caller_mean_nothing(spark: Any) -> None:
    """Other names, other signs, other zones, other ways of arithmetic."""
    frame = spark.createDataFrame([("Ann", 30), ("ann", 17)], "name string, age int")
    before = grown_up(frame)
    settings = {"spark.sql.caseSensitive": "true", "spark.sql.groupByOrdinal": "false",
                "spark.sql.parser.escapedStringLiterals": "true",
                "spark.sql.ansi.doubleQuotedIdentifiers": "true"}  # fmt: skip
    for key, value in settings.items():
        spark.conf.set(key, value)
    try:
        assert grown_up(frame) == before
    finally:
        for key in settings:
            spark.conf.unset(key)


def test_queries_leave_nothing_behind(spark: Any) -> None:
    """Views and copies go with the table."""
    import gc

    def views() -> set[str]:
        base = spark.conf.get("spark.sql.globalTempDatabase")
        catalogs = (spark.catalog, base), (spark_frames._session_of(spark, False).catalog, None)
        found = (each for catalog, name in catalogs for each in catalog.listTables(name))
        return {each.name for each in found if each.isTemporary}

    gc.collect()
    before = views()
    table = dp.table(random_visits(spark, 100))
    by_ward(table)
    assert len(views() - before) == 1
    texts = dp.table(spark.createDataFrame([("Ann", 30)], "name string, age int"))
    assert grown_up(texts) == 0
    assert len(views() - before) > 2  # texts that Python worked on
    del table, texts
    gc.collect()
    assert views() == before
