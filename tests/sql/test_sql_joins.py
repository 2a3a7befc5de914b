"""Joins and queries inside of queries: the numbers of DuckDB, by programs that are proved."""

from __future__ import annotations

import math
from random import Random
from typing import Any, TypedDict

import pytest

import metricdp as dp

duckdb = pytest.importorskip("duckdb")
pytest.importorskip("sqlglot")

from random_queries import CREATE, MACRO, Queries, Visit, rows  # noqa: E402


class Bill(TypedDict):
    who: int
    kind: str
    n: int | None
    fee: float | None
    plan: str | None


VISITS = dp.Records[Visit, dp.Ids("person")]
BILLS = dp.Records[Bill, dp.Ids("who", unit="person")]
KINDS = ("x", "y", "it's", "")


def bills(rng: Random, count: int) -> list[Bill]:
    return [
        Bill(who=rng.randrange(60), kind=rng.choice(KINDS), n=rng.choice((None, 0, 1, 2, 9)),
             fee=rng.choice((None, 0.0, 2.5, -7.0, 1e6)), plan=rng.choice((None, "a", "b")))
        for _ in range(count)
    ]  # fmt: skip


def tables(rng: Random, connection: Any) -> tuple[list[Visit], list[Bill]]:
    first, second = rows(rng, 120), bills(rng, 70)
    connection.execute(MACRO)
    connection.execute(CREATE)
    connection.execute(
        "CREATE TABLE b (who BIGINT, kind VARCHAR, n BIGINT, fee DOUBLE, plan VARCHAR)"
    )
    for name, held in (("v", [vars(row) for row in first]), ("b", second)):
        places = ", ".join("?" * len(held[0]))
        lines = [list(row.values()) for row in held]
        connection.executemany(f"INSERT INTO {name} VALUES ({places})", lines)
    return first, second


class Joins(Queries):
    """Draws queries about both tables; columns of `v` are named as in `Queries`."""

    def of_second(self) -> str:
        return self.rng.choice(["n > 1", "kind = 'x'", "n IS NULL", "(fee < 3 OR kind = 'it''s')",
                                "kind IN ('y', '')", "NOT (n = 2)"])  # fmt: skip

    def source(self) -> tuple[str, str, bool]:
        """What stands before SELECT, behind FROM, and whether columns of `b` are there."""
        test, its = self.condition(1), self.of_second()
        some = "(SELECT who, kind, n, fee FROM b)"
        left = f"LEFT JOIN {some} AS q ON q.who = v.person AND {its}"
        both = self.rng.choice([f"JOIN {some} q ON v.person = q.who", left])
        return self.rng.choice([
            ("", f"v {both}", True),
            (f"WITH p AS (SELECT * FROM v WHERE {test}) ", "p AS v INNER " + both if both[0] == "J"
             else "p AS v " + both, True),
            (f"WITH p AS (SELECT who AS person, n, kind, fee FROM b WHERE {its}), "
             f"c AS (SELECT p.* FROM p) ".replace("p.*", "*"), "v JOIN c q USING (person)", True),
            ("", f"{some} q JOIN (SELECT * FROM v WHERE {test}) v ON v.person = q.who AND "
                 f"({test} OR {its})", True),
            ("", "v LEFT JOIN (SELECT who AS person, n, kind, fee FROM b) q USING (person)", True),
            ("", f"v SEMI JOIN b ON v.person = b.who AND {its}", False),
            ("", f"v ANTI JOIN b ON b.who = v.person AND {its}", False),
            ("", f"(SELECT *, age * 2 AS twice FROM (SELECT * FROM v WHERE {test}) v) v", False),
            ("", "(SELECT person, city, visits, ok FROM v) w JOIN (SELECT person, age, plan, day, "
                 "seen FROM v) v USING (person)", False),
        ])  # fmt: skip

    def persons(self) -> str:
        """A condition about other rows of the person."""
        word, its = self.rng.choice(["", "NOT "]), self.of_second()
        once, by = self.rng.choice([("", ""), ("DISTINCT ", ""), ("", " GROUP BY who")])
        many = self.rng.choice(["> 1", ">= 2", "= 1", "< 3", "BETWEEN 2 AND 3 AND 4 > COUNT(*)"])
        much = self.rng.choice(
            [
                "SUM(COALESCE(n, 0)) > 3",
                "SUM(COALESCE(fee, 0)) <= 2.5",
                "COUNT(n) >= 2 AND COUNT(*) < 4",
                "2 < SUM(COALESCE(n, 1) * 2)",
                "SUM(CLAMP(COALESCE(fee, 0), -1, 2)) BETWEEN 0.5 AND 3",
            ]
        )
        return self.rng.choice([
            f"v.person {word}IN (SELECT who FROM b WHERE {its} GROUP BY who HAVING {much})",
            f"v.person {word}IN (SELECT {once}who FROM b WHERE {its}{by})",
            f"v.person {word}IN (SELECT who FROM b WHERE {its} GROUP BY who HAVING "
            f"COUNT(*) {many})",
            f"{word}EXISTS (SELECT 1 FROM b z WHERE z.who = v.person AND {its})",
            f"NOT ({word}EXISTS (SELECT * FROM v z WHERE v.person = z.person AND z.age > 2))",
        ])  # fmt: skip

    def query(self) -> str:
        first, source, both = self.source()
        tests = [self.condition(2)] * (self.rng.random() < 0.6)
        tests += [self.persons()] * (self.rng.random() < 0.5 and " v" in f" {source}")
        tests += [self.of_second()] * (both and self.rng.random() < 0.3)
        if "LEFT" in source and "q.who" in source and self.rng.random() < 0.5:
            tests.append(self.rng.choice(["q.who IS NULL", "q.who IS NOT NULL", "q.who > 20"]))
        where = f" WHERE {' AND '.join(tests)}" if tests else ""
        more = ["COUNT(n)", "SUM(CLAMP(fee, -5, 5))", "COUNT(DISTINCT kind)", "AVG(CLAMP(n, 0, 9))"]
        some = ["COUNT(*)", "COUNT(DISTINCT v.person)", "SUM(CLAMP(visits, 0, 9))", "COUNT(plan)"]
        items = self.rng.sample(some + more * both, 3) + [self.aggregate()] * (not both)
        items = [each.replace("DISTINCT person", "DISTINCT v.person") for each in items]
        named = ", ".join(f"{each} AS c{at}" for at, each in enumerate(items))
        return f"{first}SELECT {named} FROM {source}{where}"


def test_random_joins_have_the_numbers_of_duckdb() -> None:
    rng = Random(5)
    connection = duckdb.connect()
    first, second = tables(rng, connection)
    session = dp.Session({"v": (VISITS, first), "b": (BILLS, second)},
                         budget=dp.Budget(epsilon=10**15))  # fmt: skip
    for _ in range(16):
        query = Joins(rng).query()
        answer = session.sql(query, epsilon=10**12, max_rows=5000).rows[0]
        wanted = connection.execute(query).fetchone()
        for name, value in zip(answer, wanted, strict=True):
            if value is not None:
                near = math.isclose(answer[name], value, rel_tol=1e-6, abs_tol=1e-2)
                assert near, (query, name, answer[name], value)


def one_each(rng: Random) -> str:
    """A query about one number of each person."""
    test = Joins(rng).condition(1)
    number, kind = rng.choice([
        ("COUNT(*)", int), ("COUNT(plan)", int), ("SUM(COALESCE(visits, 0))", int),
        ("SUM(COALESCE(age, 1) * 2)", int), ("SUM(CAST(COALESCE(age, 0) AS DOUBLE) / 4)", float),
    ])  # fmt: skip
    having = rng.choice(
        [
            "",
            " HAVING s > 1",
            " HAVING COUNT(*) > 1",
            " HAVING SUM(COALESCE(age, 0)) <= 12.5 AND s < 9",
        ]
    )
    inside = f"SELECT person, {number} AS s FROM v WHERE {test} GROUP BY person{having}"
    outer = rng.choice(["", " WHERE s > 2", " WHERE s <= 3.5 OR s = 8"])
    if rng.random() < 0.2:
        return f"SELECT COUNT(*) FROM (SELECT DISTINCT person FROM v WHERE {test}) t"
    if kind is int and rng.random() < 0.3:
        return f"SELECT COUNT(*) FILTER (WHERE s IN (1, 2)), COUNT(*) FROM ({inside}) t{outer}"
    return f"WITH t AS ({inside}) SELECT COUNT(*), SUM(CLAMP(s, -9, 30)) FROM t{outer}"


def test_numbers_of_persons_are_those_of_duckdb() -> None:
    """Also of HAVING inside; NULL sums of persons are refused, so that none is drawn."""
    rng = Random(7)
    connection = duckdb.connect()
    first, _ = tables(rng, connection)
    session = dp.Session({"v": (VISITS, first)}, budget=dp.Budget(epsilon=10**15))
    for _ in range(16):
        query = one_each(rng)
        answer = [*session.sql(query, epsilon=10**12).rows[0].values()]
        wanted = [x or 0 for x in connection.execute(query).fetchone()]
        near = [abs(a - w) < 1e-2 for a, w in zip(answer, wanted, strict=True)]
        assert all(near), (query, answer, wanted)
    # Each costs what was asked for, or less where two counts exclude each other.
    assert 10**15 - 16 * 10**12 <= session.left()["epsilon"] <= 10**15 - 15 * 10**12


def test_joins_of_files_by_groups(tmp_path: Any) -> None:
    connection = duckdb.connect()
    tables(Random(6), connection)
    for name in "vb":
        connection.execute(f"COPY {name} TO '{tmp_path}/{name}.parquet'")
    data = {"v": (VISITS, f"{tmp_path}/v.parquet"), "b": (BILLS, f"{tmp_path}/b.parquet")}
    session = dp.Session(data, budget=dp.Budget(epsilon=10**15))
    query = (
        "SELECT kind AS k, COUNT(*) AS n, SUM(CLAMP(v.age, 0, 9)) AS s, COUNT(b.plan) AS p "
        "FROM v LEFT JOIN b ON v.person = b.who AND b.n < 5 WHERE v.plan = b.plan OR v.age > 1 "
        "GROUP BY kind"
    )
    keys = {"kind": list(KINDS)}
    answer = session.sql(query, epsilon=10**12, max_rows=5000, max_groups=9, keys=keys)
    wanted = {line[0]: line for line in connection.execute(query).fetchall()}
    for row in answer:
        for value, near in zip(row.values(), wanted[row["k"]], strict=True):
            assert value == near or abs(value - near) < 1e-2
    assert 'how="left"' in answer.programs[0]


def test_what_a_join_costs_and_shows() -> None:
    first, second = rows(Random(1), 30), bills(Random(2), 30)
    session = dp.Session({"v": (VISITS, first), "b": (BILLS, second)}, budget=dp.Budget(epsilon=5))
    query = "SELECT COUNT(*) AS n FROM v JOIN b ON v.person = b.who WHERE v.age > 1"
    answer = session.sql(query, epsilon=1, max_rows=3)
    assert session.left() == {"epsilon": 4}
    assert str(answer.releases[0].unit) == "v and b: all records of one person added or removed"
    (program,) = answer.programs
    assert (
        'def query(v: dp.Records[Visit, dp.Ids("person")], b: dp.Records[Bill, dp.Ids(' in program
    )
    assert '    both = dp.join_by_id(v, b, ("person", "who"), columns=(' in program
    query = (
        "WITH t AS (SELECT person FROM v WHERE age > 1) SELECT COUNT(DISTINCT person) FROM t "
        "WHERE person NOT IN (SELECT who FROM b WHERE kind = 'x')"
    )
    session.sql(query, epsilon=1)
    assert session.left() == {"epsilon": 3}
    query = "SELECT kind, COUNT(*) AS n FROM v JOIN b ON v.person = b.who GROUP BY kind"
    found = session.sql(query, epsilon=1, max_groups=1, max_rows=1, keys={"kind": ["x"]})
    assert [row["kind"] for row in found] == ["x"]
    assert session.left() == {"epsilon": 2}
