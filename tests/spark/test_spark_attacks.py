"""Attempts to have Spark count wrongly: the integers of memory, or a refusal that costs nothing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, TypedDict

import pytest

import metricdp as dp
from metricdp.errors import EngineError, SchemaError

NAN, INF = float("nan"), float("inf")


@dataclass
class Odd:
    person: int
    key: float
    name: str
    x: float


@dp.transformation
def odd(rows: dp.Records[Odd, dp.Ids("person")]):
    """Doubles as keys, as values, in the order of a person's rows, and counted by their kinds."""
    kept = dp.limit_rows(rows, "person", 2)
    groups = dp.limit_groups(rows, "person", by="name", groups=2, rows=1)
    return (
        dp.histogram([r.key for r in kept], categories=(0.0, 1.5, -2.0, 1e308)),
        dp.sum([dp.clamp(r.x, -3, 7) for r in kept if r.key <= 0]),
        dp.sum([dp.clamp(r.x, -3, 7) for r in groups]),
        dp.count([r for r in kept if r.x == 0]),
        dp.count_distinct([r.key for r in kept]),
        dp.count_distinct([r.name for r in groups]),
        dp.count_ids(rows, "person"),
    )


def odd_rows() -> list[Odd]:
    doubles = [0.0, -0.0, NAN, INF, -INF, 1.5, -2.0, 5e-324, 1e308]
    names = ["", "a", "A", "a ", "é", "e\u0301", "\x00", "😀", "it's"]
    return [Odd(i % 7 - 3, doubles[i % 9], names[i * 5 % 9], doubles[i * 4 % 9]) for i in range(63)]


def test_doubles_and_texts_of_every_kind(spark: Any) -> None:
    rows = odd_rows()
    frame = spark.createDataFrame(
        [(r.person, r.key, r.name, r.x) for r in rows],
        "person long, key double, name string, x double",
    )
    assert odd(frame) == odd(rows)
    assert odd(frame.repartition(5)) == odd(rows)
    assert odd(frame.limit(0)) == odd([])


#: Names that queries of ours use, and signs that SQL means something by.
Named = TypedDict("Named", {"person": int, "c0": int, "o4": int, "h": int, "g2": int, "place": int,
                            "every": int, "line": int, "metricdp_0": int, "a.b": int, "x y": int,
                            "b`c": int, "ſ": int, "s": int})  # fmt: skip


@dp.transformation
def named(rows: dp.Records[Named, dp.Ids("person")]):
    kept = dp.limit_rows(rows, "person", 3)
    groups = dp.limit_groups(rows, "person", by=("a.b", "c0"), groups=2, rows=1)
    return (
        [dp.count([r for r in kept if r["c0"] + r["h"] > r["place"] + v]) for v in (-9, 0, 9)],
        [dp.count([r for r in groups if r["a.b"] == v]) for v in range(3)],
        dp.sum([dp.clamp(r["x y"] * 2 + r["b`c"] - r["ſ"] + 7 * r["s"], -50, 50) for r in kept]),
        dp.sum([dp.clamp(r["every"] - r["line"] + r["g2"], -50, 50) for r in groups]),
        dp.count_distinct([r["metricdp_0"] for r in kept]),
        dp.count([r for r in kept if r["o4"] == 1 and r["person"] != 3]),
    )


def test_names_of_columns(spark: Any) -> None:
    columns = tuple(Named.__annotations__)
    rows = [{name: (i * (at + 3) + at) % 11 for at, name in enumerate(columns)} for i in range(60)]
    frame = spark.createDataFrame([tuple(row.values()) for row in rows], list(columns))
    assert named(frame) == named(rows)
    struct = frame.selectExpr("*", "struct(person AS b) AS a").drop("a.b")
    with pytest.raises(SchemaError, match=r"no column a\.b"):
        named(struct)  # the field of a structure is no column
    other = spark.range(3).selectExpr("id AS person")
    with pytest.raises(EngineError, match="two columns person"):
        named(frame.join(other, frame["person"] == other["person"]))


@dataclass
class Seen:
    day: date
    n: int


@dp.transformation
def seen(rows: dp.Records[Seen]):
    return (
        dp.count([r for r in rows if r.day.day == 1]),
        dp.histogram([r.day.year for r in rows], categories=(1969, 1970, 2011, 2024)),
        dp.sum([dp.clamp(r.n, 0, 10) for r in rows]),
    )


def test_zones_and_arithmetic_of_the_caller(spark: Any) -> None:
    """What the caller's session says of days and of overflows changes nothing of what is asked."""
    days = [date(2011, 12, 30), date(1970, 1, 1), date(1969, 12, 31), date(2024, 1, 1)]
    rows = [Seen(day, 2**63 - 1 - i) for i, day in enumerate(days)]
    frame = spark.createDataFrame([(r.day, r.n) for r in rows], "day date, n long")
    expected = seen(rows)
    moments = frame.selectExpr("CAST(day AS TIMESTAMP_NTZ) AS day", "n")
    for zone in ("Pacific/Apia", "America/New_York", "UTC"):
        for ansi in ("true", "false"):
            spark.conf.set("spark.sql.session.timeZone", zone)
            spark.conf.set("spark.sql.ansi.enabled", ansi)
            try:
                assert seen(frame) == seen(moments) == expected
            finally:
                spark.conf.unset("spark.sql.session.timeZone")
                spark.conf.unset("spark.sql.ansi.enabled")


@dp.transformation
def parts(rows: dp.Records[Seen]):
    return [dp.count([r for r in rows if r.n % 3 == k]) for k in range(3)]


def test_columns_that_are_others_each_time(spark: Any) -> None:
    """Somebody would be in two parts; the copy has every row in one."""
    for n in ("CAST(rand() * 1000 AS BIGINT)", "monotonically_increasing_id()",
              "CAST(shuffle(sequence(1, 9))[0] AS BIGINT)"):  # fmt: skip
        frame = spark.range(300).repartition(3).selectExpr("DATE '2024-01-01' AS day", f"{n} AS n")
        table = dp.table(frame.sample(0.5))
        found = parts(table)
        assert found == parts(table) and sum(found) == seen(table)[1][3]


def test_a_view_that_is_replaced(spark: Any) -> None:
    def view(count: int) -> None:
        told = "DATE '2024-01-01' AS day", "id AS n"
        spark.range(count).selectExpr(*told).createOrReplaceTempView("attacked")

    view(10)
    frame = spark.table("attacked")
    session = dp.Session({"rows": (dp.Records[Seen], frame)}, budget=dp.Budget(epsilon=1))
    table = dp.table(frame)
    before = seen(table)
    view(1000)
    assert seen(table) == before
    assert session.left()["epsilon"] == 1
    spark.catalog.dropTempView("attacked")
    assert seen(table) == before


@dp.measurement
def released(rows: dp.Records[Seen], eps: float):
    return dp.laplace(dp.sum([dp.clamp(r.n, 0, 10) for r in rows]), epsilon=eps)


@pytest.mark.parametrize(
    "n",
    ["array(1L)", "map('a', 1L)", "struct(1L AS n)", "CAST(1.5 AS DECIMAL(38, 18))",
     "X'07'", "INTERVAL '1' DAY", "parse_json('7')", "CAST(NULL AS BIGINT)", "NULL",
     "TIMESTAMP '2024-01-01'", "1.5F"],
)  # fmt: skip
def test_columns_of_other_kinds_cost_nothing(spark: Any, n: str) -> None:
    frame = spark.sql(f"SELECT DATE '2024-01-01' AS day, {n} AS n")
    with pytest.raises(SchemaError):
        released(frame, eps=1)
    with pytest.raises(SchemaError):
        dp.Session({"rows": (dp.Records[Seen], frame)}, budget=dp.Budget(epsilon=1)).run(
            released, eps=1
        )


def test_a_schema_that_lies_of_missing_values(spark: Any) -> None:
    """What the schema says is never missing Spark reads as some value: we read the same."""
    from pyspark.sql import types

    held = [(date(2024, 1, 1), 7), (date(2024, 1, 1), None)]
    kinds = {"day": types.DateType(), "n": types.LongType()}
    schema = types.StructType([types.StructField(n, kind, False) for n, kind in kinds.items()])
    frame = spark.createDataFrame(held, schema, verifySchema=False)
    assert seen(frame)[2] == sum(max(0, min(line.n, 10)) for line in frame.collect())


def test_functions_of_the_caller(spark: Any) -> None:
    """Functions and tables that are called like those that queries of ours ask for."""
    rows = odd_rows()
    frame = spark.createDataFrame(
        [(r.person, r.key, r.name, r.x) for r in rows],
        "person long, key double, name string, x double",
    )
    made = []
    functions = "md5(s STRING) RETURNS STRING RETURN 'x'", "rint(d DOUBLE) RETURNS DOUBLE RETURN 0D"
    for text in functions:
        for kind in ("FUNCTION default.", "TEMPORARY FUNCTION "):
            spark.sql(f"CREATE {kind}{text}")
            made.append(f"DROP {kind}{text.split('(')[0]}")
    try:
        assert odd(frame) == odd(rows)
    finally:
        for text in made:
            spark.sql(text)
