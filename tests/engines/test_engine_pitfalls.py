"""What engines make of data that databases really hold: the same as Python, or an error."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from math import inf, nan
from pathlib import Path
from random import Random
from typing import Any

import pytest

import metricdp as dp
from metricdp.engines.duckdb_sql import DuckDB
from metricdp.errors import EngineError, SchemaError
from metricdp.spaces import Scalar

duckdb = pytest.importorskip("duckdb")


@dataclass
class Named:
    name: str


@dp.transformation
def by_name(rows: dp.Records[Named]):
    return {name: dp.count([r for r in rows if r.name == name]) for name in ["a", "A", "e", "é"]}


@dp.transformation
def lists(rows: dp.Records[Named]):
    return dp.count([r for r in rows if r.name in ("a", "é")])


@dp.transformation
def counts(rows: dp.Records[Named]):
    return dp.histogram([r.name for r in rows], categories=("a", "A", "e", "é"))


@dp.transformation
def shouted(rows: dp.Records[Named]):
    return dp.histogram([r.name.upper() for r in rows], categories=("A", "E", "É"))


@pytest.mark.parametrize(
    ("setting", "column"),
    [
        ("nocase.noaccent", "VARCHAR"),
        ("nocase", "kind"),
        ("", "VARCHAR COLLATE NOCASE.NOACCENT"),
        ("de", "VARCHAR COLLATE NOCASE"),
    ],
)
def test_texts_are_equal_where_their_characters_are(setting: str, column: str) -> None:
    """A person in two parts of disjoint filters would be counted twice, and paid for once."""
    names = ["a", "A", "A", "e", "é", "é", "é", "x"]
    connection = duckdb.connect()
    connection.execute("CREATE TYPE kind AS ENUM ('a', 'A', 'e', 'é', 'x')")
    connection.execute(f"SET default_collation = '{setting}'")
    connection.execute(f"CREATE TABLE named (name {column})")
    connection.executemany("INSERT INTO named VALUES (?)", [[name] for name in names])
    for program in (by_name, lists, counts, shouted):
        assert program(connection.table("named")) == program([Named(name) for name in names])


@dataclass
class Counted:
    count: int
    metricdp_0: float


@dp.transformation
def inner_names(rows: dp.Records[Counted]):
    both = [dp.clamp(r.count // 7 * (r.count % 5) + r.metricdp_0, 0, 99) for r in rows]
    return dp.count([r for r in rows if r.count % 7 > 2]), dp.sum(both)


@dp.transformation
def by_inner_names(rows: dp.Records[Counted]):
    found = {key: 0 for key in [0, 1, 2, 3]}  # noqa: C420
    for r in rows:
        if r.count % 7 in found:
            found[r.count % 7] += 1
    return found


def test_names_of_columns_are_none_of_ours(tmp_path: Path) -> None:
    """A column that is called as our own, an aggregate, or as what ends a query."""
    connection = duckdb.connect()
    rows = [Counted(n, n / 4) for n in range(40)]
    connection.execute(
        'CREATE TABLE metricdp_rows ("METRICDP_0" DOUBLE, "count" BIGINT, "it\'s ""x"" -- ;" TEXT, '
        '"metricdp_1" BIGINT, "group by" INT)'
    )
    connection.execute(
        "INSERT INTO metricdp_rows SELECT range / 4, range, 'x', -1, 0 FROM range(40)"
    )
    path = tmp_path / 'it\'s -- a "file".csv'
    connection.execute(
        "CREATE VIEW seen AS SELECT metricdp_0 AS metricdp_0, * EXCLUDE metricdp_0 "
        "FROM metricdp_rows"
    )
    connection.table("seen").write_csv(str(path))
    for program in (inner_names, by_inner_names):
        for table in (connection.table("seen"), connection.sql("FROM seen"), path):
            assert program(table) == program(rows)


@dataclass
class Whole:
    n: int


@dataclass
class Real:
    x: float


@dataclass
class Day:
    day: date


@dataclass
class Moment:
    at: datetime


@dp.transformation
def whole(rows: dp.Records[Whole]):
    return dp.sum([dp.clamp(r.n, -(2**53), 2**53) for r in rows]), dp.count(
        [r for r in rows if r.n == 2**63 - 1]
    )


@dp.transformation
def real(rows: dp.Records[Real]):
    zeros = dp.count([r for r in rows if r.x == 0])
    far = dp.count([r for r in rows if 1 / r.x > 5])
    return zeros, far, dp.sum([dp.clamp(r.x, 1, 5) for r in rows])


@dataclass
class Perhaps:
    x: float | None


@dp.transformation
def perhaps(rows: dp.Records[Perhaps]):
    missing = dp.count([r for r in rows if r.x is None])
    return missing, dp.count([r for r in rows if r.x == 0]), dp.count([r for r in rows if r.x])


@dp.transformation
def keyed(rows: dp.Records[Real]):
    return dp.histogram([r.x for r in rows], categories=(0.0, 1.0, 2.5))


@dp.transformation
def years(rows: dp.Records[Day]):
    return dp.histogram([r.day.year for r in rows], categories=(1, 1970, 2024, 9999))


@dp.transformation
def days(rows: dp.Records[Day]):
    return dp.count([r for r in rows if r.day.isoformat() < "1970-01-02"])


@dp.transformation
def hours(rows: dp.Records[Moment]):
    return dp.histogram([r.at.hour for r in rows], categories=(0, 12, 23))


#: Program, the query of a relation -> the rows that it holds.
HELD = [
    (whole, "SELECT unnest([0, 1, 18446744073709551615])::UBIGINT AS n", [0, 1, 2**63 - 1]),
    (whole, "SELECT unnest([-(2::HUGEINT**100)::HUGEINT, 5]) AS n", [-(2**63), 5]),
    (whole, "SELECT unnest([1, 0, -1])::TINYINT AS n", [1, 0, -1]),
    (whole, "SELECT unnest([true, false]) AS n", [1, 0]),
    (real, "SELECT unnest([NULL, 'nan', 'inf', '-inf', '-0', '7.5', '0.1'])::DOUBLE AS x",
     [nan, nan, inf, -inf, -0.0, 7.5, 0.1]),
    (perhaps, "SELECT unnest([NULL, 'nan', '-nan', '-0', 'inf'])::DOUBLE AS x",
     [None, nan, nan, -0.0, inf]),
    (keyed, "SELECT unnest(['nan', 'inf', '-0', '0', '1', '2.5'])::DOUBLE AS x",
     [nan, inf, -0.0, 0.0, 1.0, 2.5]),
    (real, "SELECT unnest([0.5, 3])::FLOAT AS x", [0.5, 3.0]),
    (real, "SELECT range AS x FROM range(0)", []),
    (years, "SELECT unnest(['infinity', '-infinity', '2024-02-29', '0001-01-01'])::DATE AS day",
     [date.max, date.min, date(2024, 2, 29), date.min]),
    (days, "SELECT unnest(['1970-01-01', '1970-01-02', '9999-12-31'])::DATE AS day",
     [date(1970, 1, 1), date(1970, 1, 2), date.max]),
    (hours, "SELECT unnest(['1969-12-31 23:59:59.999999', '2024-01-01 12:00'])::TIMESTAMP AS at",
     [datetime(1969, 12, 31, 23, 59, 59, 999999), datetime(2024, 1, 1, 12)]),
]  # fmt: skip


@pytest.mark.parametrize(("program", "query", "values"), HELD, ids=lambda x: str(x)[:40])
def test_values_that_engines_hold(program: Any, query: str, values: list[Any]) -> None:
    """What is missing, no number, infinite, or beyond 64 bits is the same as in memory."""
    made = {
        whole: Whole, real: Real, perhaps: Perhaps, keyed: Real, years: Day, days: Day,
        hours: Moment,
    }[program]  # fmt: skip
    assert program(duckdb.sql(query)) == program([made(value) for value in values])


#: Program, the query of a relation -> what the error says.
REFUSED = [
    (whole, "SELECT 1.5::DECIMAL(10, 2) AS n", r"a column of DECIMAL\(10,2\) where int is needed"),
    (whole, "SELECT 7.5::DOUBLE AS n", "a column of DOUBLE where int is needed"),
    (whole, "SELECT '7' AS n", "a column of VARCHAR where int is needed"),
    (whole, "SELECT [1, 2] AS n", r"a column of INTEGER\[\] where int is needed"),
    (whole, "SELECT {'a': 1} AS n", "a column of STRUCT.* where int is needed"),
    (whole, "SELECT NULL::INTEGER AS n", "a missing value"),
    (hours, "SELECT TIMESTAMPTZ '2024-01-01 00:00+00' AS at",
     "a column of TIMESTAMP WITH TIME ZONE where datetime is needed"),
    (hours, "SELECT TIME '12:00' AS at", "a column of TIME where datetime is needed"),
    (years, "SELECT INTERVAL 1 DAY AS day", "a column of INTERVAL where date is needed"),
    (by_name, "SELECT 'x'::BLOB AS name", "a column of BLOB where str is needed"),
    (by_name, "SELECT 1 AS name", "a column of INTEGER where str is needed"),
]  # fmt: skip


@pytest.mark.parametrize(("program", "query", "told"), REFUSED, ids=lambda x: str(x)[:40])
def test_columns_that_are_refused(program: Any, query: str, told: str) -> None:
    with pytest.raises(SchemaError, match=told):
        program(duckdb.sql(query))


def test_decimals_are_the_nearest_doubles() -> None:
    """DuckDB's own cast of a decimal to a double misses the nearest one now and then."""
    rng = Random(20)
    digits = [rng.randrange(10 ** rng.choice((5, 17, 20, 38))) for _ in range(300)]
    texts = [f"{rng.choice('+-')}{n // 10**9}.{n % 10**9:09d}" for n in digits]
    listed = ", ".join(f"('{text}')" for text in texts)
    rows = f"(SELECT v::DECIMAL(38, 9) AS x FROM (VALUES {listed}) t(v))"
    text = DuckDB().read("float", "DECIMAL(38,9)", "x")
    found = duckdb.sql(f"SELECT {text} FROM {rows}").fetchall()
    assert [each for (each,) in found] == [float(text) for text in texts]
    assert real(duckdb.sql("SELECT 1.5::DECIMAL(10, 2) AS x")) == real([Real(1.5)])
    assert whole(duckdb.sql("SELECT 7::DECIMAL(38, 0) AS n")) == whole([Whole(7)])


def test_a_failure_tells_no_value() -> None:
    """DuckDB says which value it could not convert: that is not passed on."""
    relation = duckdb.sql("SELECT CAST('Ann, HIV' || range AS BIGINT) AS n FROM range(3)")
    with pytest.raises(EngineError) as error:
        whole(relation)
    shown = f"{error.value}{error.value.__cause__}{error.value.__context__}"
    assert "DuckDB failed" in shown and "Ann" not in shown


def test_many_different_texts(tmp_path: Path) -> None:
    """Functions of texts that Python computes: of nearly as many as there are rows."""
    duckdb.sql(
        "SELECT CASE WHEN range % 3 = 0 THEN 'A' ELSE 'name ' || range END AS name "
        "FROM range(100000)"
    ).write_parquet(str(tmp_path / "names.parquet"))
    assert list(map(int, shouted(tmp_path / "names.parquet"))) == [33334, 0, 0]


@pytest.mark.parametrize("answer", ["a", "rows.parquet", "*.csv"])
def test_the_answer_of_one_person_is_no_path(answer: str) -> None:
    """It would be looked for among the files, and shown in an error."""
    session = dp.Session({"x": (Scalar("Data", kind="str"), answer)}, budget=dp.Budget(epsilon=1))
    choices = ("a", "rows.parquet", "*.csv")
    found = dp.randomized_response(session["x"], choices=choices, epsilon=1)
    assert found.value in choices
