"""`explain` of a checked program: what engines would be asked, from its declared columns alone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from math import tanh
from pathlib import Path

import pytest

import metricdp as dp
from metricdp.answers.asked import shortened
from metricdp.engines.sources import Files
from metricdp.errors import MetricdpError, ParameterError

duckdb = pytest.importorskip("duckdb")


@dataclass
class Visit:
    person: str
    ward: int
    cost: float
    day: date
    left: datetime | None
    urgent: bool | None


@dataclass
class Member:
    person: str
    age: int


@dp.measurement
def costs(
    visits: dp.Records[Visit, dp.Ids("person")], wards: tuple[int, ...], eps: float, rows: int = 7
):
    kept = dp.limit_rows([v for v in visits if v.urgent is not None], "person", rows)
    return [
        dp.laplace(sum(dp.clamp(v.cost, 0, 4242) for v in kept if v.ward == w), epsilon=eps)
        for w in wards
    ]


@dp.measurement
def ages(
    visits: dp.Records[Visit, dp.Ids("person")],
    members: dp.Records[Member, dp.Ids("person")],
    eps: float,
):
    both = dp.limit_rows(dp.join_by_id(visits, members, "person"), "person", 3)
    return dp.laplace(sum(dp.clamp(b.age, 0, 110) for b in both), epsilon=eps)


@dp.measurement
def patience(visits: dp.Records[Visit, dp.Ids("person")], eps: float):
    kept = dp.limit_rows(visits, "person", 2)
    return dp.laplace(sum(tanh(v.cost) for v in kept), epsilon=eps)


@dp.measurement
def divided(visits: dp.Records[Visit, dp.Ids("person")], eps: float):
    return 1 / round(dp.discrete_laplace(dp.count_ids(visits, "person"), epsilon=eps) * 0)


@dp.measurement
def total(x: dp.Vector[dp.Real, dp.L1], eps: float):
    return dp.laplace(sum(x), epsilon=eps)


@dp.measurement
def points(x: dp.Records[dp.Vector[dp.Data, dp.LInf]], eps: float):
    return dp.laplace(dp.count(x), epsilon=eps)


def test_what_duckdb_is_asked_runs_there() -> None:
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE visits (person VARCHAR, ward BIGINT, cost DOUBLE, day DATE, "
        '"left" TIMESTAMP, urgent BOOLEAN)'
    )
    connection.execute("CREATE TABLE members (person VARCHAR, age BIGINT)")
    for each in (costs.explain(wards=(3, 4), eps=1), ages.explain(eps=1)):
        asked = each.asked[0]
        assert (asked.engine, asked.refused) == ("DuckDB", "") and asked.statements
        for statement in asked.statements:
            connection.execute(statement)
        for table in {s.split()[3] for s in asked.statements if s.startswith("CREATE TEMP")}:
            connection.execute(f"DROP TABLE {table}")


def test_the_guarantee_and_every_engine_are_shown() -> None:
    found = costs.explain(wards=(3, 4), eps=1)
    assert [each.engine for each in found.asked] == ["DuckDB", "Spark"]
    text = str(found)
    for part in ("proved  costs", "limit_rows", "4242*rows*d_in", "DuckDB is asked", "FROM visits",
                 "Spark is asked", "CREATE TEMP TABLE kept_1"):  # fmt: skip
        assert part in text
    assert max(map(len, text.splitlines())) < 150
    assert found.asked[0].statements[-1].startswith("SELECT c1, count(*), sum(")
    assert found._repr_html_().startswith("<pre>proved")


def test_a_session_explains_without_reading_or_charging(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = duckdb.connect()
    path = tmp_path / "visits.parquet"
    connection.execute(
        "COPY (SELECT 'Ann' AS person, 3 AS ward, 1e0 AS cost, DATE '2024-01-01' AS day, "
        'CAST(NULL AS TIMESTAMP) AS "left", true AS urgent) TO \'' + str(path) + "'"
    )
    data = {"visits": (dp.Records[Visit, dp.Ids("person")], path)}
    budget = dp.Budget(epsilon=3, delta=1e-3)
    session = dp.Session(data, unit=2, budget=budget)
    rows = len(session.ledger)
    monkeypatch.setattr(Files, "ask", None)
    found = session.explain(costs, wards=(3, 4), eps=1)
    assert str(found).startswith(
        "costs: costs ε = 2, δ = 0, left ε = 3, δ = 0.001\n\nproved  costs"
    )
    assert found.plan.noise == ("2 times laplace, scale 29694: ± 88955.3 (95%)",)
    assert found.plan == costs.explain(wards=(3, 4), eps=1)
    query = "SELECT ward, AVG(cost) AS mean FROM visits GROUP BY ward"
    given = {"bounds": {"cost": (0, 9)}, "max_groups": 2, "max_rows": 1}
    keyed = session.explain(query, epsilon=1, keys={"ward": [1, 2]}, **given)
    assert [c.cost["epsilon"] for c in keyed.costs] == [2] and not keyed.costs[0].refused
    first, then = session.explain(query, epsilon=1, delta=1e-6, **given).plan.plans
    assert "stable_histogram" in first.guarantee and "WHERE" in then.asked[0].statements[-1]
    assert "refused" in str(session.explain(query, epsilon=2, keys={"ward": [1]}, **given))
    for asked, more in ((query, {"epsilons": 1}), (3, {}), ("SELECT 1 +", {"epsilon": 1})):
        with pytest.raises(MetricdpError):
            session.explain(asked, **more)
    assert session.left()["epsilon"] == 3 and len(session.ledger) == rows


def test_what_has_no_form_is_said() -> None:
    for asked in patience.explain(eps=1).asked:
        assert asked.refused.startswith("the function tanh: no form on")
    assert not ages.explain(eps=1).asked[1].refused
    assert "DuckDB refuses it before anything is spent" in str(patience.explain(eps=1))


def test_public_arguments_are_those_of_a_call() -> None:
    with pytest.raises(ParameterError, match="wards"):
        costs.explain(eps=1)
    with pytest.raises(ParameterError, match="eps > 0"):
        costs.explain(wards=(1,), eps=0)
    assert divided.explain(eps=1).asked[0].statements  # a run may fail behind its question


def test_only_tables_are_explained() -> None:
    with pytest.raises(ParameterError, match="only tables of rows"):
        total.explain(eps=1)
    with pytest.raises(ParameterError, match="no column of an engine"):
        points.explain(eps=1)


def test_lines_of_a_statement() -> None:
    assert shortened(
        "SELECT 'a (FROM b', \"x ) y\" FROM (SELECT c0 FROM t WHERE c0 = 'it''s)')"
    ) == [
        "SELECT 'a (FROM b', \"x ) y\"",
        "FROM (SELECT c0",
        "   FROM t",
        "   WHERE c0 = 'it''s)')",
    ]
    assert shortened("SELECT sum(CASE WHEN c0 < 1 THEN 1 ELSE 22222222 END)") == ["SELECT sum(...)"]
