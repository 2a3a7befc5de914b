"""Programs on data frames of Spark: exactly what they give on the same columns in memory."""

from __future__ import annotations

import importlib
import re
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import numpy as np
import pytest
import test_engine_persons as persons
import test_engine_programs as programs
from engine_tables import Asked, Both, random_rows

import metricdp as dp
from metricdp.columns import language, row_hash
from metricdp.engines import hashes as hashes_on_engines
from metricdp.engines.fingerprints import fingerprint
from metricdp.engines.rows import EngineColumns
from metricdp.errors import EngineError, SchemaError
from metricdp.run.emit import Seeded, handling

PERSON = "age bigint, pay double, city string, member boolean"
VISIT = "person string, ward int, cost double, day date, urgent boolean"


def frame_of(spark: Any, columns: dict[str, Any], schema: str) -> Any:
    held = [c.tolist() if isinstance(c, np.ndarray) else c for c in columns.values()]
    return spark.createDataFrame(list(zip(*held, strict=True)), schema)


@pytest.fixture(scope="module")
def people(spark: Any) -> tuple[Any, dict[str, Any]]:
    columns = programs.people(2000)
    return frame_of(spark, columns, PERSON), columns


@pytest.fixture(scope="module")
def visits(spark: Any) -> tuple[Any, dict[str, Any]]:
    columns = persons.visits(3000)
    return frame_of(spark, columns, VISIT), columns


@pytest.mark.parametrize("program", programs.PROGRAMS, ids=lambda f: f.__name__)
def test_the_same_numbers_come_out(program: Any, people: Any) -> None:
    frame, columns = people
    assert program(frame) == program(columns)


def test_a_frame_that_is_collected(people: Any) -> None:
    frame, columns = people
    assert programs.grown(dp.table(frame, collect=True)) == programs.grown(columns)
    with pytest.raises(EngineError, match="whole numbers that have no bound: no form on Spark"):
        programs.grown(frame)


@pytest.mark.parametrize(
    "program",
    [persons.cost, persons.by_ward, persons.persons, persons.by_ward_and_person,
     persons.groups_of_urgent, persons.of_few_and_many, persons.weighed],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_the_same_rows_are_kept(program: Any, visits: Any) -> None:
    frame, columns = visits
    assert program(frame) == program(columns)


def test_rows_of_one_hash_are_told_apart(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (row_hash, hashes_on_engines):
        monkeypatch.setattr(module, "ROUNDS", ((0, 0),))
    frame = spark.range(400).selectExpr(
        "concat('p', id % 7) AS person", "CAST(id % 5 AS INT) AS ward", "(id % 3) / 2D AS cost",
        "date_add(DATE '2024-01-01', CAST(id % 2 AS INT)) AS day", "id % 4 = 0 AS urgent",
    )  # fmt: skip
    for program in (persons.by_ward, persons.by_ward_and_person):
        assert program(frame) == program(dp.table(frame, collect=True))


def test_the_readme_on_a_cluster(
    spark: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program of the first page, of which the line that opens the data is another one."""
    readme = (Path(dp.__file__).parents[1] / "README.md").read_text()
    (program,) = re.findall(r"```python file=wards.py\n(.*?)```", readme, re.DOTALL)
    (rows,) = re.findall(r'>>> rows = "(.*)"', readme)
    assert 'cost_by_ward(spark.read.parquet("visits"), eps=1)' in readme
    (tmp_path / "wards.py").write_text(program)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    duckdb.sql(rows).write_parquet("visits.parquet")
    cost_by_ward = importlib.import_module("wards").cost_by_ward
    released = []
    for source in ("visits.parquet", spark.read.parquet(str(tmp_path / "visits.parquet"))):
        with handling(Seeded(3)):
            released.append(cost_by_ward(source, eps=1))
    file, cluster = released
    assert file.value == cluster.value and set(file.value) == set("ABC")
    assert (file.unit, file.cost) == (cluster.unit, cluster.cost)


@dataclass
class Paid:
    pay: float


@dp.measurement
def median_pay(rows: dp.Records[Paid], eps: float):
    pay = [r.pay for r in rows]
    return dp.private_quantile(pay, range(0, 101, 10), 0.5, epsilon=eps)


def test_sessions_and_quantiles(people: Any) -> None:
    frame, columns = people
    released: list[Any] = []
    for source in (frame, columns):
        data = {"rows": (dp.Records[programs.Person], source)}
        session = dp.Session(data, budget=dp.Budget(epsilon=9))
        with handling(Seeded(3)):
            released.append(session.run(programs.count_people, epsilon=1).value)
        assert session.left()["epsilon"] == 8
    assert released[0] == released[1]
    session = dp.Session(
        {"rows": (dp.Records[programs.Person], frame)}, budget=dp.Budget(epsilon=9)
    )
    with pytest.raises(EngineError, match="no form on Spark"):
        session.run(programs.count_then_grow, epsilon=1)
    assert session.left()["epsilon"] == 9
    found = []
    for source in (frame.select("pay"), {"pay": columns["pay"]}):
        with handling(Seeded(3)):
            found.append(median_pay(source, eps=2).value)
    assert found[0] == found[1]


@dataclass
class Held:
    n: int | None
    x: float
    s: str
    day: date | None
    at: datetime | None


@dp.transformation
def held(rows: dp.Records[Held]):
    there = [dp.count([r for r in rows if r.n is not None]),
             dp.count([r for r in rows if r.n is not None and r.n == 2**63 - 1]),
             dp.count([r for r in rows if r.day is not None]),
             dp.count([r for r in rows if r.at is not None and r.at.hour == 23])]  # fmt: skip
    zeros = dp.count([r for r in rows if r.x == 0])
    texts = {
        s: dp.count([r for r in rows if r.s == s]) for s in ["a", "A", "${x}", "it's \\ n", ""]
    }
    years = dp.histogram(
        [r.day.year for r in rows if r.day is not None], categories=(1, 2024, 9999)
    )
    return there, zeros, texts, years, dp.sum([dp.clamp(r.x, 1, 5) for r in rows])


def test_values_that_spark_holds(spark: Any) -> None:
    """What is missing, no number, infinite, beyond 64 bits, or means something in SQL."""
    spark.conf.set("spark.sql.session.timeZone", "Pacific/Apia")
    spark.conf.set("spark.sql.ansi.enabled", "false")
    frame = spark.sql(
        "SELECT CAST(n AS DECIMAL(38,0)) AS n, CAST(x AS DOUBLE) AS x, s, "
        "CAST(day AS DATE) AS day, CAST(at AS TIMESTAMP_NTZ) AS at FROM VALUES "
        "('99999999999999999999', 'NaN', 'a', '2024-02-29', '1969-12-31 23:59:59.999999'), "
        "(NULL, 'Infinity', 'A', '0001-01-01', NULL), "
        "('-99999999999999999999', '-0.0', CAST(X'247b787d' AS STRING), '9999-12-31', "
        "'2024-01-01 12:00:00'), "
        "('7', NULL, CAST(X'69742773205c206e' AS STRING), NULL, '2011-12-30 23:00:00'), "
        "('8', '0.1', '', '+10000-01-01', NULL) AS t(n, x, s, day, at)"
    )
    nan, inf = float("nan"), float("inf")
    rows = [
        Held(2**63 - 1, nan, "a", date(2024, 2, 29), datetime(1969, 12, 31, 23, 59, 59, 999999)),
        Held(None, inf, "A", date.min, None),
        Held(-(2**63), -0.0, "${x}", date.max, datetime(2024, 1, 1, 12)),
        Held(7, nan, "it's \\ n", None, datetime(2011, 12, 30, 23)),
        Held(8, 0.1, "", date.max, None),
    ]
    spark.conf.unset("spark.sql.session.timeZone")
    spark.conf.unset("spark.sql.ansi.enabled")
    assert held(frame) == held(rows)


@dataclass
class Keyed:
    x: float
    s: str


KEYS = tuple(float(x) for x in range(12))


@dp.transformation
def keyed(rows: dp.Records[Keyed]):
    return dp.histogram([r.x for r in rows], categories=KEYS)


def test_keys_in_long_lists(spark: Any) -> None:
    """Spark looks keys up in a set where they are more than ten: of -0.0 it had no 0.0."""
    rows = [Keyed(x, f"k{i % 3}") for i, x in enumerate([-0.0, 0.0, float("nan"), 5.0, -0.0, 1.0])]
    frame = spark.createDataFrame([(r.x, r.s) for r in rows], "x double, s string")
    assert keyed(frame) == keyed(rows)
    table = Both(
        {"s": ("text", [r.s for r in rows], None), "x": ("double", [r.x for r in rows], None)}
    )
    for many in (3, 40):  # beyond 64 keys, all groups are asked for
        pairs = [(f"k{i}", x) for i in range(many) for x in (0.0, 1.0, 5.0, 7.0)]
        mine, here = table.tables()
        assert mine.tallies(pairs).tolist() == here.tallies(pairs).tolist()
    ends = [-(2**63), -(2**63) + 1, -1, 0, 7, 2**63 - 1]
    table = Both({"n": ("integer", ends * 2, None), "s": ("text", ["a"] * 12, None)})
    n, s = table.leaves
    keys = [*ends, 2**63, -(2**63) - 1, 2**70, *range(70)]
    for row, wanted in (
        (n, keys), (n, keys[:8]), (language.add(n, n), keys), ((n, s), [(k, "a") for k in keys]),
        ((n, s), [(k, "a") for k in keys[4:8]]), (n, [2**63, 2**70]),
    ):  # fmt: skip
        mine, here = (each.with_row(row).tallies(wanted) for each in table.tables())
        assert mine.tolist() == here.tolist()


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("SELECT CAST(1.5 AS DECIMAL(10, 2)) AS n", r"a column of decimal\(10,2\) where int"),
        ("SELECT 7.5D AS n", "a column of double where int"),
        ("SELECT '7' AS n", "a column of string where int"),
        ("SELECT TIMESTAMP '2024-01-01' AS n", "a column of timestamp where int"),
        ("SELECT array(1) AS n", "a column of array<int> where int"),
        ("SELECT CAST(NULL AS INT) AS n", "a missing value"),
        ("SELECT 1 AS m", "no column n"),
    ],
)
def test_columns_that_are_refused(spark: Any, query: str, told: str) -> None:
    with pytest.raises(SchemaError, match=told):
        whole(spark.sql(query))


@dataclass
class Whole:
    n: int


@dp.transformation
def whole(rows: dp.Records[Whole]):
    return dp.count([r for r in rows if r.n > 4])


@dataclass
class Named:
    name: str


@dp.transformation
def named(rows: dp.Records[Named]):
    return dp.count([r for r in rows if r.name == "a"])


def test_texts_of_another_collation_are_refused(spark: Any) -> None:
    with pytest.raises(SchemaError, match="a column of string collate UTF8_LCASE where str"):
        named(spark.sql("SELECT 'A' COLLATE UTF8_LCASE AS name"))
    with pytest.raises(EngineError, match="two columns NAME"):
        named(spark.sql("SELECT 'A' AS name, 'b' AS NAME"))


def test_texts_that_are_no_unicode_are_one_text(spark: Any) -> None:
    """Two that look alike here, and are others there, had one count in the place of the other."""
    frame = spark.sql("SELECT CAST(x AS STRING) AS name FROM VALUES (X'ff'), (X'fe'), (X'61') t(x)")
    assert replaced(frame) == {"\ufffd": 2, "a": 1}


@dp.transformation
def replaced(rows: dp.Records[Named]):
    return {name: dp.count([r for r in rows if r.name == name]) for name in ["\ufffd", "a"]}


def test_fingerprints_are_those_of_duckdb(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same rows elsewhere are the same table to a session, of every kind."""
    found = []
    for engine in (Both.engine, Asked):
        monkeypatch.setattr(Both, "engine", engine)
        table = random_rows(Random(4), 300)
        found.append(fingerprint(EngineColumns.of(table.source, table.columns).engine))
    assert found[0] == found[1]
