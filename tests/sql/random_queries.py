"""Random queries of the subset, and a table to ask them of: the same text runs on DuckDB itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from random import Random
from typing import Any

#: The clamp that queries here have, as DuckDB says it.
MACRO = (
    "CREATE MACRO clamp(x, a, b) AS CASE WHEN x IS NULL THEN NULL WHEN x < a THEN a WHEN x > b "
    "THEN b ELSE x END"
)
CREATE = (
    "CREATE TABLE v (person BIGINT, plan VARCHAR, visits DOUBLE, age BIGINT, day DATE, seen "
    "TIMESTAMP, ok BOOLEAN, city VARCHAR)"
)


@dataclass
class Visit:
    person: int
    plan: str | None
    visits: float | None
    age: int | None
    day: date | None
    seen: datetime | None
    ok: bool | None
    city: str


def rows(rng: Random, count: int = 150) -> list[Visit]:
    """Rows with many values that are missing, at edges, or equal."""

    def maybe(value: Any) -> Any:
        return None if rng.random() < 0.25 else value

    return [
        Visit(
            rng.randrange(40),
            maybe(rng.choice(["a", "b", "ab", "", "a'b", "é"])),
            maybe(rng.choice([0.0, 1.0, -2.5, 3.25, 20.0, 1e6, rng.uniform(-5, 30)])),
            maybe(rng.choice([0, 1, 2, 3, -1, 17, 18, 90])),
            maybe(date(2024, 1, 1) + timedelta(days=rng.randrange(400))),
            maybe(datetime(2024, 1, 1) + timedelta(minutes=rng.randrange(600_000))),
            maybe(rng.random() < 0.5),
            rng.choice(["Aix", "Bonn", "Łódź", "100%"]),
        )
        for _ in range(count)
    ]


class Queries:
    """Draws queries; every form that is taken, in every place that it may stand in."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng

    def number(self, deep: int) -> str:
        leaf = ["age", "visits", "2", "-1", "0.5", "COALESCE(age, 3)", "COALESCE(visits, 0.25)"]
        if deep <= 0:
            return self.rng.choice(leaf)
        a, b = self.number(deep - 1), self.number(deep - 1)
        return self.rng.choice([
            a, f"({a} + {b})", f"({a} - {b})", f"({a} * {b})", f"(- {a})", f"ABS({a})",
            f"({a} / NULLIF({b}, 0))", f"({a} / 4)", f"FLOOR({a})", f"CEIL({a})",
            f"CASE WHEN {self.condition(deep - 1)} THEN 1 WHEN {self.condition(deep - 1)} THEN 2.5 "
            "ELSE -3 END",
            f"CASE WHEN {self.condition(deep - 1)} THEN {a} END", f"NULLIF({a}, 1)",
            "EXTRACT(MONTH FROM day)", "YEAR(day)", "EXTRACT(HOUR FROM seen)", "LENGTH(plan)",
            f"CAST({a} AS DOUBLE)", "EXTRACT(ISODOW FROM day)", f"CLAMP({a}, -1, 2)",
            "CASE age WHEN 1 THEN 5 WHEN 2 THEN 6 END", "CAST(ok AS BIGINT)",
        ])  # fmt: skip

    def condition(self, deep: int) -> str:
        if deep <= 0:
            return self.rng.choice(["ok", "age > 1", "plan = 'a'", "visits IS NULL", "NOT ok"])
        a, b = self.condition(deep - 1), self.condition(deep - 1)
        x, y = self.number(deep - 1), self.number(deep - 1)
        sign = self.rng.choice(["=", "<>", "<", "<=", ">", ">="])
        return self.rng.choice([
            f"({a} AND {b})", f"({a} OR {b})", f"NOT ({a})", f"{x} {sign} {y}",
            f"{x} BETWEEN 0 AND 5", f"{x} NOT BETWEEN 0 AND 5", f"{x} IN (1, 2, 3.5)",
            "age NOT IN (1, 2)", "plan LIKE 'a%'", "plan NOT LIKE '%b'", "city LIKE '%o%'",
            "plan IN ('a', 'a''b', '')", f"({x}) IS NULL", f"({x}) IS NOT NULL", f"({a}) IS TRUE",
            f"({a}) IS NOT FALSE", "day >= DATE '2024-06-01'", "day BETWEEN '2024-02-01'::DATE AND "
            "'2024-08-31'::DATE", "seen < TIMESTAMP '2024-07-01 12:30:00'", "LOWER(city) = 'aix'",
            "plan < 'b'", "city <> plan", "STARTS_WITH(city, 'B')", "ok = TRUE", "ok <> (age > 2)",
        ])  # fmt: skip

    def aggregate(self) -> str:
        x, test = self.number(2), self.condition(2)
        return self.rng.choice([
            "COUNT(*)", f"COUNT({x})", f"COUNT(*) FILTER (WHERE {test})", f"COUNT_IF({test})",
            f"SUM(CLAMP({x}, -3, 20))", f"AVG(CLAMP({x}, 0, 10))", "SUM(CLAMP(visits, 0, 20))",
            f"SUM(CASE WHEN {test} THEN 1 ELSE 0 END)", f"VAR_POP(CLAMP({x}, 0, 4))",
            f"AVG(CLAMP({x}, 10, 20)) FILTER (WHERE {test})", "COUNT(DISTINCT age)",
            "COUNT(DISTINCT person)", "-SUM(CLAMP(visits, 0, 3)) + 2 * COUNT(*)",
        ])  # fmt: skip

    def query(self) -> str:
        key = self.rng.choice([
            "", "plan", "city", "ok", "CASE WHEN age < 2 THEN 'young' ELSE 'old' END",
            "MONTH(day)", "age > 1",
        ])  # fmt: skip
        items = [f"{self.aggregate()} AS c{n}" for n in range(self.rng.randrange(1, 5))]
        if key:
            items = [i for i in items if "DISTINCT person" not in i] or ["COUNT(*) AS c0"]
        where = f" WHERE {self.condition(3)}" if self.rng.random() < 0.7 else ""
        group = f" GROUP BY {key}" if key else ""
        return f"SELECT {', '.join([f'{key} AS k', *items] if key else items)} FROM v{where}{group}"
