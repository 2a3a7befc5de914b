"""Clauses that are not understood are refused by name, where they stand; nothing is spent."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from random import Random
from typing import Any

import pytest

import metricdp as dp
from metricdp.errors import BudgetError, MissingExtraError, ParameterError, SpaceError, SqlError

pytest.importorskip("sqlglot")

from random_queries import Visit, rows

ROWS = rows(Random(1), 30)


@dataclass
class Bill:
    who: int
    plan: str
    cents: int | None
    plan_a: int


@dataclass
class Named:
    name: str
    age: int


@dataclass
class Alone:
    person: int


@dataclass
class Dated:
    person: int
    day: date


SESSION = dp.Session(
    {
        "v": (dp.Records[Visit, dp.Ids("person")], ROWS),
        "w": (dp.Records[Visit], ROWS),
        "c": (dp.Records[Visit, dp.ChangeOne], ROWS),
        "x": (dp.Records[float], [1.0]),
        "b": (dp.Records[Bill, dp.Ids("who", unit="person")], []),
        "n": (dp.Records[Bill, dp.Ids("who", unit="nurse")], []),
        "s": (dp.Records[Named, dp.Ids("name", unit="patient")], []),
        "i": (dp.Records[Alone, dp.Ids("person")], []),
        "m": (dp.Records[Dated, dp.Ids("person", per="month", of="day")], []),
    },
    budget=dp.Budget(epsilon=1, delta=1e-3),
)
COUNT = "SELECT COUNT(*) FROM w"
DP = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=1"
A: dict[str, Any] = {"keys": {"plan": ["a"]}}

M: dict[str, Any] = {"max_rows": 3}
V = "SELECT COUNT(*) FROM v"

#: Joins and queries inside of queries: query, what is said, what the carets stand under.
OF_SEVERAL: list[tuple[str, str, str]] = [
    (f"{V} CROSS JOIN b", "CROSS JOIN is not", "b"),
    (f"{V} RIGHT JOIN b ON v.person = b.who", "RIGHT JOIN is not", "b ON v.person = b.who"),
    (f"{V} FULL JOIN b ON v.person = b.who", "FULL JOIN is not", "b ON v.person = b.who"),
    (f"{V} NATURAL JOIN b", "NATURAL JOIN is not", "b"),
    (f"{V} JOIN b ON v.age = b.cents", "by person alone", "b ON v.age = b.cents"),
    (f"{V} JOIN b ON v.person < b.who", "by person alone", "b ON v.person < b.who"),
    (f"{V} JOIN b ON v.person = b.who OR v.age = 1", "by person alone",
     "b ON v.person = b.who OR v.age = 1"),
    (f"{V} JOIN b ON v.person = b.who + 1", "by person alone", "b ON v.person = b.who + 1"),
    (f"{V} JOIN b ON TRUE", "by person alone", "b"),
    (f"{V} JOIN b USING (person)", "by person alone", "b USING (person"),
    (f"{V} a JOIN v c ON person = person", "by person alone", "v c ON person = person"),
    (f"{V} JOIN v ON v.person = v.person", "two tables are called v", "v ON v.person = v.person"),
    (f"{V} JOIN n ON v.person = n.who", "about one person and n about one nurse",
     "n ON v.person = n.who"),
    (f"{V} JOIN s ON v.person = s.name", "one patient", "s ON v.person = s.name"),
    (f"{V} JOIN i USING (person)", "no column beside its ids", "i USING (person"),
    (f"{V} JOIN b ON v.person = b.who", "would be called plan_a", "b ON v.person = b.who"),
    (f"{V} LEFT JOIN (SELECT who, cents FROM b) t ON v.person = t.who AND v.age = 3",
     "about more than b", "v.age = 3"),
    (f"{V} SEMI JOIN b ON v.person = b.who AND b.cents = v.age", "about more than b",
     "b.cents = v.age"),
    (f"{V} SEMI JOIN b ON v.person = b.who WHERE b.cents = 1", "no table b", "b.cents"),
    (f"{V} a JOIN v c USING (person) WHERE age = 1", "in several tables", "age"),
    (f"{V} a JOIN v c ON a.person = c.person WHERE person = 1", "in several tables", "person"),
    (f"{V} a WHERE v.age = 1", "no table v", "v.age"),
    (f"{V} LEFT JOIN (SELECT who, cents FROM b) t ON v.person = t.who WHERE t.who IS NULL",
     "has no column who", "t.who"),
    (f"{V} WHERE age IN (SELECT cents FROM b)", "asks who is there", "age IN (SELECT cents FROM b"),
    (f"{V} WHERE person IN (SELECT cents FROM b)", "gives ids",
     "person IN (SELECT cents FROM b"),
    (f"{V} WHERE person IN (SELECT who, cents FROM b)", "gives ids",
     "person IN (SELECT who, cents FROM b"),
    (f"{V} WHERE person IN (SELECT who + 0 AS who FROM b)", "gives ids",
     "person IN (SELECT who + 0 AS who FROM b"),
    (f"{V} WHERE person IN (SELECT person FROM b)", "has no column person", "person"),
    (f"{V} WHERE person IN (SELECT who FROM n)", "about one nurse", "person IN (SELECT who FROM n"),
    (f"{V} WHERE person IN (SELECT who FROM b LIMIT 3)", "LIMIT in a query", "3"),
    (f"{V} WHERE person IN (SELECT DISTINCT ON (plan) who FROM b)", "DISTINCT with on",
     "plan) who FROM b"),
    (f"{V} WHERE person IN (SELECT DISTINCT cents FROM b)", "gives ids",
     "person IN (SELECT DISTINCT cents FROM b"),
    (f"{V} WHERE person IN (SELECT who FROM b GROUP BY plan)", "GROUP in a query", "plan"),
    (f"{V} WHERE person IN (SELECT who FROM b GROUP BY who, plan)", "GROUP in a query",
     "who, plan"),
    (f"{V} WHERE person IN (SELECT who FROM b GROUP BY ROLLUP(who))", "GROUP in a query", "who"),
    (f"{V} WHERE person IN (SELECT who FROM b GROUP BY plan HAVING COUNT(*) > 2)",
     "HAVING in a query", "COUNT(*) > 2"),
    (f"{V} WHERE person IN (SELECT who FROM b HAVING COUNT(*) > 2)",
     "HAVING in a query", "COUNT(*) > 2"),
    (f"{V} WHERE person IN (SELECT who FROM b GROUP BY who HAVING COUNT(DISTINCT cents) > 2)",
     "different values of one person", "COUNT(DISTINCT cents"),
    (f"{V} WHERE person IN (SELECT who FROM b GROUP BY who HAVING MAX(cents) > 2)",
     "neither counts their rows nor adds them up", "cents) > 2"),
    (f"{V} WHERE person IN (SELECT who FROM b GROUP BY who HAVING SUM(plan) > 2)",
     "where a number is needed", "SUM(plan"),
    (f"{V} WHERE person IN (SELECT who FROM b GROUP BY who HAVING SUM(cents) > 2 OR COUNT(*) > 1)",
     "neither counts their rows nor adds them up", "SUM(cents) > 2 OR COUNT(*) > 1"),
    (f"{V} WHERE person IN (SELECT who FROM b GROUP BY who HAVING COUNT(*) > 1.5)",
     "a whole number", "1.5"),
    (f"{V} WHERE person IN (SELECT who FROM b GROUP BY who HAVING COUNT(*) < 1)",
     "nobody has so many", "COUNT(*) < 1"),
    (f"{V} WHERE person IN (SELECT who FROM b GROUP BY who HAVING SUM(plan_a) > 3 AND "
     "SUM(plan_a) < 1)", "nobody has so much", "SUM(plan_a) > 3 AND SUM(plan_a) < 1"),
    (f"{V} WHERE person IN (SELECT who FROM b GROUP BY who HAVING SUM(cents) > 3)",
     "is NULL", "SUM(cents"),
    ("SELECT COUNT(*) FROM (SELECT who, plan FROM b GROUP BY who, plan) t", "neither the id",
     "plan"),
    ("SELECT COUNT(*) FROM (SELECT plan FROM b GROUP BY plan) t", "neither the id", "plan"),
    ("SELECT COUNT(*) FROM (SELECT who FROM b GROUP BY who, plan) t", "GROUP in a query",
     "who, plan"),
    ("SELECT COUNT(*) FROM (SELECT DISTINCT who, SUM(plan_a) AS s FROM b) t", "DISTINCT in a query",
     "who, SUM(plan_a) AS s FROM b"),
    ("SELECT COUNT(*) FROM (SELECT who FROM b HAVING COUNT(*) > 2) t", "HAVING in a query",
     "COUNT(*) > 2"),
    ("SELECT COUNT(*) FROM (SELECT who, SUM(plan_a) AS s, COUNT(*) AS n FROM b GROUP BY who) t",
     "several numbers of one person", "who, SUM(plan_a) AS s, COUNT(*) AS n FROM b GROUP BY who"),
    ("SELECT COUNT(*) FROM (SELECT who, SUM(plan_a) FROM b GROUP BY who) t", "without a name",
     "SUM(plan_a"),
    ("SELECT COUNT(*) FROM (SELECT who, AVG(cents) AS s FROM b GROUP BY who) t", "neither the id",
     "AVG(cents"),
    ("SELECT COUNT(*) FROM (SELECT who FROM b GROUP BY who LIMIT 3) t", "LIMIT in a query", "3"),
    (f"{V} JOIN (SELECT who FROM b GROUP BY who) t ON v.person = t.who", "who has no id",
     "who FROM b GROUP BY who) t ON v.person = t.who"),
    (f"{V} WHERE age > (SELECT AVG(age) FROM v)", "in place of a number", "AVG(age) FROM v"),
    (f"{V} WHERE EXISTS (SELECT 1 FROM b)", "whose rows they are", "1 FROM b"),
    (f"{V} WHERE EXISTS (SELECT 1 FROM b WHERE cents = 1)", "whose rows they are",
     "1 FROM b WHERE cents = 1"),
    (f"{V} WHERE EXISTS (SELECT COUNT(*) FROM b WHERE who = person)", "asks for rows",
     "COUNT(*) FROM b WHERE who = person"),
    (f"{V} WHERE EXISTS (SELECT 1 FROM b WHERE who = person AND cents = age)", "no column age",
     "age"),
    (f"{V} WHERE EXISTS (SELECT 1 FROM v x WHERE x.person = x.person)", "whose rows they are",
     "1 FROM v x WHERE x.person = x.person"),
    (f"{V} WHERE EXISTS (SELECT 1 FROM v x WHERE x.person = person)", "whose rows they are",
     "1 FROM v x WHERE x.person = person"),
    ("SELECT COUNT(*) FROM (SELECT age, age FROM v) t", "two columns are called age",
     "age, age FROM v"),
    ("SELECT COUNT(*) FROM (SELECT age + 1 FROM v) t", "without a name", "age + 1"),
    ("SELECT COUNT(*) FROM (SELECT COUNT(*) AS c FROM v) t", "COUNT is not understood here",
     "COUNT(*"),
    ("SELECT COUNT(*) FROM (SELECT age FROM v) t WHERE plan = 'a'", "has no column plan", "plan"),
    ("SELECT COUNT(*) FROM (SELECT age FROM v) t JOIN b ON t.person = b.who", "no column of ids",
     "b ON t.person = b.who"),
    ("SELECT COUNT(*) FROM (SELECT 1 AS x FROM v UNION SELECT 2) t", "one SELECT", ""),
    ("WITH RECURSIVE t AS (SELECT age FROM v) SELECT COUNT(*) FROM t", "RECURSIVE", "WITH"),
    ("WITH t AS (SELECT age FROM t) SELECT COUNT(*) FROM t", "no table is called t", "t"),
    ("WITH t AS (SELECT age FROM v), t AS (SELECT age FROM v) SELECT COUNT(*) FROM t",
     "given twice", "t"),
    ("WITH t AS (SELECT age FROM v) SELECT COUNT(*) FROM t, v", "without a condition", "v"),
]  # fmt: skip


@pytest.mark.parametrize(("query", "says", "at"), OF_SEVERAL, ids=lambda x: str(x)[:50])
def test_other_joins_and_queries_are_refused_where_they_stand(
    query: str, says: str, at: str
) -> None:
    test_refused(query, says, at, M)


#: Query, what is said, what the carets stand under, options.
REFUSED: list[tuple[str, str, str, dict[str, Any]]] = [
    ("SELECT plan, COUNT(*) FROM w GROUP BY plan", "given twice", "plan",
     {"keys": {"plan": ["a", "a"]}}),
    ("SELECT * FROM w", "rows are not released", "*", {}),
    ("SELECT plan FROM w", "neither an aggregate", "plan", {}),
    ("SELECT COUNT(*), plan FROM w", "neither an aggregate", "plan", {}),
    (f"{COUNT}, v", "without a condition", "v", {}),
    (f"{COUNT} JOIN v USING (plan)", "another person, who has no id", "v USING (plan", {}),
    ("SELECT COUNT(*) FROM (SELECT 1) t", "without FROM", "1", {}),
    ("WITH t AS (SELECT 1) SELECT COUNT(*) FROM w", "t is not used", "1", {}),
    ("SELECT DISTINCT COUNT(*) FROM w", "DISTINCT is not", "DISTINCT", {}),
    (f"{COUNT} UNION SELECT 1", "one SELECT", "SELECT", {}),
    ("DELETE FROM w", "one SELECT", "DELETE", {}),
    (f"{COUNT}; SELECT 1", "one SELECT", "SELECT", {}),
    ("", "one SELECT", "", {}),
    ("SELECT COUNT(*)", "without FROM", "SELECT", {}),
    (f"{COUNT} WHERE ((", "no SQL", "", {}),
    ("SELECT 'abc FROM w", "does not end", "SELECT 'abc FROM w", {}),
    ("SELECT COUNT(*) FROM nope", "no table is called", "nope", {}),
    ("SELECT COUNT(*) FROM db.w", "with db", "db", {}),
    ("SELECT COUNT(*) FROM 'f.parquet'", "no table is called", "'f.parquet'", {}),
    ("SELECT COUNT(*) FROM read_parquet('x')", "no table", "read_parquet('x')", {}),
    ("SELECT SUM(visits) FROM w", "any number", "visits", {}),
    ("SELECT AVG(age * 2) FROM w", "any number", "age * 2", {}),
    ("SELECT MAX(visits) FROM w", "MAX is not", "visits", {}),
    ("SELECT ANY_VALUE(visits) FROM w", "ANY_VALUE is not", "ANY_VALUE", {}),
    ("SELECT (SELECT COUNT(*) FROM w) + COUNT(*) FROM w", "a query in place of a number",
     "COUNT(*) FROM w", {}),
    ("SELECT SUM(visits) OVER () FROM w", "OVER is not understood", "SUM(visits", {}),
    (f"{COUNT} QUALIFY 1 = 1", "QUALIFY", "QUALIFY", {}),
    (f"{COUNT} TABLESAMPLE 10%", "sample", "10", {}),
    ("SELECT plan, COUNT(*) FROM w GROUP BY plan", "needs a delta", "plan", {}),
    ("SELECT COUNT(*) FROM w GROUP BY ALL", "without a list", "GROUP BY", {}),
    ("SELECT plan, COUNT(*) FROM w GROUP BY ROLLUP (plan)", "ROLLUP", "plan", A),
    ("SELECT plan, COUNT(*) FROM w GROUP BY CUBE (plan)", "CUBE", "plan", A),
    ("SELECT visits, COUNT(*) FROM w GROUP BY visits", "doubles are no keys", "visits", {}),
    ("SELECT plan, city, COUNT(*) FROM w GROUP BY plan, city", "are not known", "plan",
     {"delta": 1e-6}),
    ("SELECT plan, COUNT(*) FROM v GROUP BY plan", "any number of groups", "plan", A),
    ("SELECT COUNT(*) FROM v", "any number of rows", "COUNT(*", {}),
    (f"{COUNT} WHERE nope = 1", "no column nope", "nope", {}),
    (f"{COUNT} WHERE a.age = 1", "no table a", "a.age", {}),
    (f"{COUNT} WHERE age = '1'", "compared with a str", "age = '1'", {}),
    (f"{COUNT} WHERE day = '2024-01-01'", "compared with a str", "day = '2024-01-01'", {}),
    (f"{COUNT} WHERE visits / age > 1", "may be 0", "age", {}),
    (f"{COUNT} WHERE age % 2 = 1", "% is not", "age % 2", {}),
    (f"{COUNT} WHERE age // 2 = 1", "// is not", "age // 2", {}),
    (f"{COUNT} WHERE ROUND(visits) = 1", "ROUND", "ROUND(visits", {}),
    (f"{COUNT} WHERE CAST(visits AS BIGINT) = 1", "engines disagree", "visits", {}),
    (f"{COUNT} WHERE plan LIKE 'a_b'", "only %", "'a_b'", {}),
    (f"{COUNT} WHERE plan LIKE 'a\\%'", "only %", "'a\\%'", {}),
    (f"{COUNT} WHERE plan ILIKE 'a'", "ILIKE", "plan ILIKE 'a'", {}),
    (f"{COUNT} WHERE plan ~ 'a'", "~ is not", "plan ~ 'a'", {}),
    (f"{COUNT} WHERE age = NULL", "NULL stands", "age", {}),
    (f"{COUNT} WHERE age IN (1, NULL)", "NULL stands", "age IN (1", {}),
    (f"{COUNT} WHERE age IN (SELECT 1)", "without FROM", "1", {}),
    (f"{COUNT} WHERE EXISTS (SELECT 1)", "EXISTS", "1", {}),
    (f"{COUNT} WHERE ok OR age IN (SELECT age FROM w)", "with query", "age FROM w", {}),
    (f"{COUNT} WHERE ok OR EXISTS (SELECT 1 FROM w)", "EXISTS", "1 FROM w", {}),
    (f"{COUNT} WHERE age > (SELECT AVG(age) FROM w)", "in place of a",
     "AVG(age) FROM w", {}),
    (f"{COUNT} WHERE age > ?", "? is not", "age", {}),
    (f"{COUNT} WHERE SUM(age) > 1", "SUM is not understood here", "SUM(age", {}),
    (f"{COUNT} WHERE RANDOM() < 0.5", "RANDOM is not", "RANDOM", {}),
    (f"{COUNT} WHERE LEAST(age, 3) > 1", "leaves NULL out", "LEAST(age, 3", {}),
    (f"{COUNT} WHERE my_udf(age) > 1", "no function MY_UDF", "my_udf(age", {}),
    (f"{COUNT} WHERE age > 99999999999999999999", "64 bits", "99999999999999999999", {}),
    (f"{COUNT} WHERE CASE WHEN ok THEN age ELSE 1 END > 0", "may be NULL", "ok THEN", {}),
    (f"{COUNT} WHERE EXTRACT(DOW FROM day) = 1", "DOW", "day", {}),
    (f"{COUNT} WHERE day + INTERVAL 1 DAY > DATE '2024-01-01'", "a date where", "day", {}),
    (f"{COUNT} WHERE plan || city = 'a'", "|| is not", "plan || city", {}),
    ("SELECT SUM(DISTINCT CLAMP(age, 0, 1)) FROM w", "DISTINCT in an", "CLAMP(age, 0, 1", {}),
    ("SELECT COUNT(DISTINCT age, plan) FROM w", "one expression", "COUNT(DISTINCT age, plan", {}),
    ("SELECT SUM(plan) FROM w", "a number is needed", "plan", {}),
    ("SELECT SUM(CLAMP(age, 3, 1)) FROM w", "smaller one first", "CLAMP(age, 3, 1", {}),
    ("SELECT SUM(CLAMP(age, person, 1)) FROM w", "smaller one first", "CLAMP(age, person, 1", {}),
    ("SELECT QUANTILE_CONT(CLAMP(age, 0, 9), 1.5) FROM w", "from 0 to 1", "CLAMP(age, 0, 9), 1.5",
     {}),
    ("SELECT COUNT(*) n, COUNT(age) n FROM w", "two outputs", "COUNT(age", {}),
    ("SELECT 1 FROM w", "without an aggregate", "1", {}),
    ("SELECT COUNT(*) n FROM w ORDER BY age", "no output", "age", {}),
    ("SELECT COUNT(*) n FROM w HAVING AVG(age) > 1", "no output", "AVG(age", {}),
    ("SELECT COUNT(*) n FROM w HAVING n > (SELECT 1)", "with a number", "1", {}),
    ("SELECT COUNT(*) / COUNT(age) + 1 FROM w", "may be NULL", "COUNT(*) / COUNT(age) + 1", {}),
    (f"{DP}, noise=2) COUNT(*) FROM w", "no option 'noise'", "noise", {}),
    (f"{DP}, epsilon=1) COUNT(*) FROM w", "given twice", "epsilon", {}),
    ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon=2) COUNT(*) FROM w", "epsilon is 1 beside",
     "epsilon=2", {}),
    (f"{DP}, privacy_unit_column=city) COUNT(*) FROM v", "tells persons apart",
     "privacy_unit_column=city", {}),
    (f"{DP}, max_groups_contributed=1) AVG(age, contribution_bounds_per_group => (0, 9)) FROM v",
     "mean of persons' means", "AVG(age", {}),
    (f"{DP}) COUNT(*, contribution_bounds_per_group => (1, 9)) FROM v", "bounds of a count",
     "COUNT(*", {}),
    (f"{DP}) COUNTIF(ok, contribution_bounds_per_group => (0, 9)) FROM v", "of no aggregate",
     ", contribution_bounds_per_group => (0, 9)", {}),
    (f"{DP}, group_selection_strategy=PUBLIC_GROUPS) plan, COUNT(*) FROM w GROUP BY plan",
     "without public keys", "plan", {"delta": 1e-6}),
    ("SELECT plan, COUNT(*) FROM w GROUP BY plan", "of the kind str", "plan",
     {"keys": {"plan": [1]}}),
    ("SELECT plan, COUNT(*) FROM w GROUP BY plan", "by which nothing", "GROUP BY",
     {"keys": {"plan": ["a"], "city": ["b"]}}),
    ("SELECT age + 1 AS k, COUNT(DISTINCT person) FROM v GROUP BY k", "groups that are no columns",
     "COUNT(DISTINCT person", {"keys": {"k": [1]}}),
    ("SELECT age + 1 AS k, COUNT(*) FROM v GROUP BY k", "bounded by columns", "k",
     {"keys": {"k": [1]}, "max_groups": 2}),
    ("SELECT MEDIAN(CLAMP(age, 0, 9)) FROM w", "not with rho", "MEDIAN(CLAMP(age, 0, 9",
     {"rho": 1, "epsilon": None}),
    (f"{COUNT} WHERE 1 > 2", "no row meets", "WHERE", {}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "fact", "pointed", "options"), REFUSED, ids=[each[0][-60:] for each in REFUSED]
)
def test_refused(query: str, fact: str, pointed: str, options: dict[str, Any]) -> None:
    with pytest.raises(SqlError) as caught:
        SESSION.sql(query, **{"epsilon": 1, **options})
    error = caught.value
    assert fact in error.fact
    _, line, carets, *_ = str(error).split("\n")
    if pointed and pointed != "WHERE":
        under = line[carets.index("^") : carets.rindex("^") + 1]
        assert under.startswith(pointed) or pointed.startswith(under), (under, pointed)
    assert error.remedy or "does not end" in error.fact
    assert SESSION.left()["epsilon"] == 1


def test_a_line_further_down_is_pointed_at() -> None:
    with pytest.raises(SqlError) as caught:
        SESSION.sql("SELECT COUNT(*)\nFROM w\n  WHERE ghost > 1", epsilon=1)
    assert (caught.value.line, caught.value.column) == (3, 9)
    assert str(caught.value).splitlines()[1:3] == ["    WHERE ghost > 1", "          ^^^^^"]


@pytest.mark.parametrize("depth", [90, 3000])
@pytest.mark.parametrize("part", ["({})", "NOT {}", "ABS({}) = 1", "{} AND ok"])
def test_deep_queries_end(depth: int, part: str) -> None:
    test = "ok" if "ABS" not in part else "age"
    left, right = part.split("{}")
    if "ABS" in part:
        left, right = "ABS(", ")"
    query = f"{COUNT} WHERE {left * depth}{test}{right * depth}"
    query += " > 1" if "ABS" in part else ""
    with pytest.raises((SqlError, BudgetError)):
        SESSION.sql(query, epsilon=2)


def test_tables_of_other_kinds() -> None:
    for table in ("c", "x"):
        with pytest.raises(SpaceError, match="no table that a query can name"):
            SESSION.sql(f"SELECT COUNT(*) FROM {table}", epsilon=1)
    with pytest.raises(SpaceError, match="queries are about whole persons"):
        SESSION.sql("SELECT COUNT(*) FROM m", epsilon=1, max_rows=1)


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({}, "sql"), ({"epsilon": 1, "rho": 1}, "sql"), ({"epsilon": 0}, "epsilon"),
        ({"epsilon": "x"}, "epsilon"), ({"epsilon": True}, "epsilon"),
        ({"epsilon": float("nan")}, "epsilon"), ({"epsilon": 1, "delta": 1}, "delta"),
        ({"epsilon": 1, "max_rows": 3}, "max_rows"), ({"epsilon": 1, "max_rows": 0}, "max_rows"),
        ({"epsilon": 1, "bounds": {"nope": (0, 1)}}, "bounds"),
        ({"epsilon": 1, "dialect": "mysql"}, "dialect"), ({"epsilon": "1/0"}, "epsilon"),
        ({"epsilon": 1, "shares": {"nope": 1}}, "shares"),
    ],
)  # fmt: skip
def test_options_that_mean_nothing(options: dict[str, Any], place: str) -> None:
    with pytest.raises(ParameterError) as caught:
        SESSION.sql(COUNT, **options)
    assert caught.value.place == place


def test_without_sqlglot(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "sqlglot", None)
    with pytest.raises(MissingExtraError, match="metricdp"):
        SESSION.sql(COUNT, epsilon=1)
