"""Programs on data frames of Spark Connect, in a process of their own: what they give on rows here.

A process has one kind of Spark.  `test_spark_connect` starts this one, which starts a server.
"""

from __future__ import annotations

import gc
import logging
import os
import sys
import time
import warnings
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent / "engines")]
warnings.simplefilter("ignore")

import test_engine_persons as persons  # noqa: E402
import test_engine_programs as programs  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402
from questions import sample  # noqa: E402
from test_spark_programs import PERSON, VISIT, frame_of  # noqa: E402

import metricdp as dp  # noqa: E402
from metricdp.engines import spark_connect, spark_frames  # noqa: E402
from metricdp.errors import EngineError  # noqa: E402


def same_numbers(spark: Any) -> None:
    """Sums, counts, texts of which Python computes, orders, first rows of persons."""
    people, visits = programs.people(300), persons.visits(400)
    frame = dp.table(frame_of(spark, people, PERSON))
    for program in programs.PROGRAMS:
        assert program(frame) == program(people), program.__name__
    frame = dp.table(frame_of(spark, visits, VISIT))
    for program in (persons.cost, persons.by_ward, persons.persons, persons.by_ward_and_person):
        assert program(frame) == program(visits), program.__name__


def same_answers(spark: Any) -> None:
    """Questions with noise, joins among them."""
    frames = {
        name: spark.createDataFrame(sample.rows()[name], schema)
        for name, schema in sample.SCHEMAS.items()
    }
    for name, (tables, public, _) in sample.CALLS.items():
        found = []
        for each in (
            [sample.in_memory(table) for table in tables],
            [dp.table(frames[table]) for table in tables],
        ):
            with dp.handling(dp.Seeded(5)):
                value = getattr(sample.programs(), name)(*each, **public).value
            found.append(value.tolist() if hasattr(value, "tolist") else value)
        assert found[0] == found[1] != {}, name


def settings_do_not_count(spark: Any) -> None:
    """A caller's settings, views and functions reach no query of ours."""
    spark.conf.set("spark.sql.ansi.enabled", "false")
    spark.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    spark.udf.register("floor", lambda x: 0.0, "double")
    spark.sql("SELECT 1 AS age").createOrReplaceTempView("metricdp_rows")
    same_numbers(spark)
    own = dp.table(spark.range(3)).source._own
    assert own.conf.get("spark.sql.ansi.enabled") == "true"
    assert own.conf.get("spark.sql.session.timeZone") == "UTC"


def copied_once_and_seen_by_nobody(spark: Any) -> None:
    """Rows are the same whenever they are asked, and no other session of the server finds them."""
    opened = dp.table(spark.sql("SELECT CAST(id AS STRING) AS k, rand() AS x FROM range(1000)"))
    copy = opened.source.settled(["k", "x"])
    name, own = copy.rows, opened.source._own
    asked = f"SELECT sum(CAST(x * 1e9D AS BIGINT)) FROM {name}"
    assert copy.ask(asked) == copy.ask(asked)
    for session in (spark, spark.newSession()):
        found = [view.viewName for view in session.sql("SHOW VIEWS IN global_temp").collect()]
        assert name not in found
        for rows in (name, f"global_temp.{name}"):
            refuses(session, rows)
    del opened, copy
    gc.collect()
    start = time.monotonic()
    while _knows(own, name) and time.monotonic() < start + 60:
        time.sleep(0.1)
    refuses(own, name)


def _knows(session: Any, rows: str) -> bool:
    return any(view.viewName == rows for view in session.sql("SHOW VIEWS").collect())


def refuses(session: Any, rows: str) -> None:
    """A session does not know such rows, whatever it says."""
    try:
        session.sql(f"SELECT * FROM {rows}").collect()
    except Exception:
        return
    raise AssertionError("it answered")


def refused(spark: Any) -> None:
    """A stream, and servers that compute in other ways, before anything is copied."""
    told: Any = spark_connect.settings
    # What is set for the server itself is seen in a session of ours.
    seen = told(dp.table(spark.range(3)).source._own)  # type: ignore[attr-defined]
    assert seen("spark.driver.memory") == "1g" and seen("spark.plugins") == ""
    for key, value in (("spark.speculation", "true"), ("spark.plugins", "org.other.Plugin"),
                       ("spark.sql.extensions", "org.other.Rules")):  # fmt: skip
        spark_connect.settings = lambda own, key=key, value=value: (
            lambda asked: value if asked == key else ""
        )
        failed(lambda: dp.table(spark.range(3)), "a Spark")
    spark_connect.settings = told
    readers = spark_connect._READERS
    spark_connect._READERS = ("spark.app.id",)
    failed(lambda: dp.table(spark.range(3)), "a server with extensions")
    spark_connect._READERS = readers
    stream = spark.readStream.format("rate").load()
    failed(lambda: dp.table(stream), "a stream")
    # What fails says nothing of rows.
    bad = spark.sql("SELECT CAST(raise_error('secret') AS BIGINT) AS age FROM range(2)")
    failed(lambda: dp.table(bad).source.settled(["age"]), "Spark failed")


def failed(ask: Any, words: str) -> None:
    """An `EngineError` that begins with some words."""
    try:
        ask()
    except EngineError as error:
        assert str(error).startswith(words) or words in str(error), error
        assert "secret" not in str(error)
        return
    raise AssertionError(f"{words}: not refused")


def main() -> None:
    logging.disable(logging.CRITICAL)
    build = SparkSession.builder.remote("local[2]").config("spark.driver.memory", "1g")
    build = build.config("spark.sql.shuffle.partitions", "2").config("spark.ui.enabled", "false")
    spark = build.getOrCreate()
    assert type(spark.range(1)).__module__ == spark_connect.MODULE
    for each in (same_numbers, same_answers, copied_once_and_seen_by_nobody, refused,
                 settings_do_not_count):  # fmt: skip
        each(spark)
        print(each.__name__, flush=True)
    # A session that the server ended is made anew.
    own = dp.table(spark.range(3)).source._own
    own.client.release_session()
    again = dp.table(spark.range(3)).source
    assert again._own is not own and again.settled(["id"]).ask("SELECT 1") == [(1,)]
    assert len(spark_frames._known) == 1
    print("all", flush=True)
    spark.stop()
    # Clients of sessions of ours wait for a server that is gone.
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
