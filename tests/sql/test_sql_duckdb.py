"""Queries answered here, almost without noise, and by DuckDB itself: one text, the same rows."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import pytest

import metricdp as dp
from metricdp.errors import SqlError

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("sqlglot")

from random_queries import CREATE, MACRO, Queries, Visit, rows  # noqa: E402

KEYS: dict[str, list[Any]] = {
    "plan": ["a", "b", "ab", "", "a'b", "é"],
    "city": ["Aix", "Bonn", "Łódź", "100%"],
}


def connected(table: list[Visit]) -> Any:
    connection = duckdb.connect()
    connection.execute(MACRO)
    connection.execute(CREATE)
    places = ", ".join("?" * len(vars(table[0])))
    connection.executemany(
        f"INSERT INTO v VALUES ({places})", [list(vars(row).values()) for row in table]
    )
    return connection


def session_of(table: Any, unit: bool = True) -> dp.Session:
    space = dp.Records[Visit, dp.Ids("person")] if unit else dp.Records[Visit]
    return dp.Session({"v": (space, table)}, budget=dp.Budget(epsilon=10**15, delta=0.01))


def options_of(query: str) -> dict[str, Any]:
    """Limits that leave no row out, and all keys that there are."""
    found: dict[str, Any] = {"max_rows": 1000, "keys": {}}
    for column in ("plan", "city", "ok"):
        if query.endswith(f"GROUP BY {column}"):
            found["max_groups"] = 20
            found["keys"] = {column: KEYS[column]} if column in KEYS else {}
    return found


def require_equal(connection: Any, session: dp.Session, query: str, **more: Any) -> None:
    """Fails unless both give the same numbers; of an empty group, NULL in SQL, any number."""
    options = {**options_of(query), **more}
    answer = session.sql(query, epsilon=10**12, **options)
    asked = connection.execute(query)
    names = [each[0] for each in asked.description]
    wanted = {row[0] if "k" in names else 0: row for row in asked.fetchall()}
    wanted.pop(None, None)
    got = {row.get("k", 0): row for row in answer}
    assert wanted.keys() <= got.keys(), query
    for key, row in wanted.items():
        for name, value in zip(names, row, strict=True):
            if name != "k" and value is not None:
                near = math.isclose(got[key][name], value, rel_tol=1e-6, abs_tol=1e-3)
                assert near, (query, key, name, got[key][name], value)


def test_random_queries() -> None:
    rng = Random(11)
    table = rows(rng)
    connection, session = connected(table), session_of(table)
    answered = 0
    while answered < 4:
        query = Queries(rng).query()
        try:
            require_equal(connection, session, query)
            answered += 1
        except SqlError as error:
            assert "no row" in error.fact, query


def test_every_kind_of_answer_on_a_file(tmp_path: Any) -> None:
    table = rows(Random(8), 200)
    connection = connected(table)
    path = tmp_path / "v.parquet"
    connection.execute(f"COPY v TO '{path}' (FORMAT parquet)")
    session = session_of(str(path), unit=False)
    query = (
        "SELECT city AS k, COUNT(*) n, COUNT(visits) s, AVG(CLAMP(visits, 0, 20)) m, "
        "STDDEV_POP(CLAMP(visits, 0, 20)) d, SUM(CASE WHEN ok THEN 1 ELSE 0 END) t, "
        "COUNT(*) FILTER (WHERE NOT ok OR plan LIKE 'a%') AS p "
        "FROM v WHERE age <> 17 OR day IS NULL GROUP BY city"
    )
    require_equal(connection, session, query, max_rows=None, max_groups=None)


def test_quantiles_lie_beside_those_of_duckdb() -> None:
    table = [Visit(n, "a", n / 10, n, None, None, True, "x") for n in range(80)]
    connection, session = connected(table), session_of(table, unit=False)
    query = (
        "SELECT MEDIAN(CLAMP(visits, 0, 8)) a, QUANTILE_CONT(CLAMP(age, 0, 80), 0.9) b, "
        "PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY CLAMP(visits, 0, 8) DESC) c FROM v"
    )
    answer = session.sql(query, epsilon=10**6).rows[0]
    for got, wanted in zip(answer.values(), connection.execute(query).fetchone(), strict=True):
        assert abs(got - wanted) <= 1.1, query
    big = "SELECT APPROX_QUANTILES(CLAMP(age, 0, 80), 4)[OFFSET(1)] AS q FROM v"
    assert abs(session.sql(big, epsilon=10**6, dialect="bigquery").rows[0]["q"] - 20) <= 1.1
