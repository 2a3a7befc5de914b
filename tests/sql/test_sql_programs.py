"""What a query means is an ordinary checked program, with the guarantee of one written by hand."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import pytest

import metricdp as dp
from metricdp.errors import BudgetError, NotProvedError, ParameterError, SqlError

pytest.importorskip("sqlglot")

from metricdp.sql import Options, lowered
from metricdp.sql.compiled import compiled


@dataclass
class Visit:
    person: int
    plan: str | None
    visits: float | None
    age: int


def space(unit: bool = True) -> Any:
    return dp.space_of(dp.Records[Visit, dp.Ids("person")] if unit else dp.Records[Visit], "v")


def session(table: list[Visit], unit: bool = True, **budget: Any) -> dp.Session:
    annotation = dp.Records[Visit, dp.Ids("person")] if unit else dp.Records[Visit]
    return dp.Session({"v": (annotation, table)}, budget=dp.Budget(**(budget or {"epsilon": 100})))


TABLE = [
    Visit(n % 60, ("a", "b", "c", None)[n // 60 % 4], float(n % 25) if n % 7 else None, n % 80)
    for n in range(480)
]


@dp.measurement
def by_hand(
    v: dp.Records[Visit, dp.Ids("person")], eps: float, plans: tuple[str, ...] = ("a", "b")
):
    kept = dp.limit_groups(
        [r for r in v if r.age > 17 and r.plan in plans], "person", by="plan", groups=2, rows=3
    )
    number = {
        plan: dp.discrete_laplace(sum(1 for r in kept if r.plan == plan), epsilon=eps / 6)
        for plan in plans
    }
    total = {
        plan: dp.laplace(
            sum(
                dp.clamp(r.visits, 0, 20) - 10
                for r in kept if r.plan == plan and r.visits is not None
            ),
            epsilon=eps / 6,
        )
        for plan in plans
    }  # fmt: skip
    there = {
        plan: dp.discrete_laplace(
            sum(1 for r in kept if r.plan == plan and r.visits is not None), epsilon=eps / 6
        )
        for plan in plans
    }
    return number, total, there


QUERY = "SELECT plan, COUNT(*) AS n, AVG(visits) AS mean FROM v WHERE age > 17 GROUP BY plan"
GROUPED: dict[str, Any] = {
    "keys": {"plan": ["a", "b"]}, "bounds": {"visits": (0, 20)}, "max_groups": 2, "max_rows": 3,
}  # fmt: skip


def test_the_guarantee_is_that_of_the_program_by_hand() -> None:
    found = lowered(QUERY, {"v": space()}, Options(epsilon=1, **GROUPED))
    assert found.main is not None
    ours = compiled(found.main.source).guarantee
    cost = "eps*Min(2, len_{})/2"
    assert cost.format("plans") in str(by_hand.guarantee)
    assert cost.format("plan_keys") in str(ours)
    scales = ["scale 18/eps", "scale 180/eps", "scale 18/eps"]
    for guarantee in (ours, by_hand.guarantee):
        text = str(guarantee)
        assert [s for s in scales if s in text] == scales
        assert "at most 2 groups of each person by plan, and 3 rows in each" in text
    assert "claims     ε = eps: proved" in str(ours)


def test_the_shown_program_runs_alone() -> None:
    found = lowered(QUERY, {"v": space()}, Options(epsilon=1, **GROUPED))
    assert found.main is not None
    released = compiled(found.main.source)(TABLE, eps=10**7).value
    answer = session(TABLE, epsilon=10**8).sql(QUERY, epsilon=10**7, **GROUPED)
    assert {row["plan"]: row["n"] for row in answer} == released["n"]
    assert released["n"] == by_hand(TABLE, eps=10**7).value[0]


COSTS: list[tuple[str, bool, dict[str, Any]]] = [
    ("SELECT COUNT(*) FROM v", False, {}),
    ("SELECT COUNT(*), SUM(CLAMP(visits, 0, 9)), MEDIAN(CLAMP(age, 0, 99)) FROM v", False, {}),
    ("SELECT COUNT(*), COUNT(DISTINCT person) FROM v", True, {"max_rows": 4}),
    ("SELECT COUNT(DISTINCT age) FROM v", True, {"max_rows": 4}),
    (QUERY, True, GROUPED),
    ("SELECT plan, COUNT(DISTINCT person) FROM v GROUP BY plan", True, {**GROUPED, "bounds": {}}),
    ("SELECT age > 17 AS k, COUNT(*), AVG(CLAMP(age, 0, 99)) FROM v GROUP BY k", True,
     {"max_rows": 4}),
    ("SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 1, max_groups_contributed = 2) plan, "
     "COUNT(*, contribution_bounds_per_group => (0, 3)) AS n, SUM(visits, "
     "contribution_bounds_per_group => (-5, 20)) AS t FROM v GROUP BY plan", True,
     {"keys": {"plan": ["a", "b", "c"]}}),
    ("SELECT SUM(visits, contribution_bounds_per_group => (-5, 20)) AS t FROM v", True, {}),
]  # fmt: skip


@pytest.mark.parametrize(("query", "unit", "options"), COSTS)
def test_a_query_costs_what_was_said(query: str, unit: bool, options: dict[str, Any]) -> None:
    held = session(TABLE, unit, epsilon=3)
    answer = held.sql(query, epsilon=1, **options)
    assert held.left() == {"epsilon": 2}
    assert "of the budget" in answer.shares[0]
    again = held.sql(query, epsilon=1, **options)  # the same question is the same answer
    assert held.left() == {"epsilon": 2}
    assert again.rows == answer.rows
    if "epsilon" not in query:
        with pytest.raises(BudgetError):
            held.sql(query, epsilon=2.5, **options)
    assert held.left() == {"epsilon": 2}


def test_gaussian_noise_by_rho() -> None:
    held = session(TABLE, rho=2)
    answer = held.sql(QUERY, rho=0.5, **GROUPED)
    assert held.left() == {"rho": 1.5}
    assert "dp.discrete_gaussian" in answer.programs[0]


def test_shares() -> None:
    options = Options(epsilon=1, shares={"n": 3}, **GROUPED)
    source = lowered(QUERY, {"v": space()}, options).main.source  # type: ignore[union-attr]
    assert source.count("epsilon=3 * eps / 10)") == 1
    assert source.count("epsilon=eps / 10)") == 2
    with pytest.raises(ParameterError, match="no output"):
        lowered(QUERY, {"v": space()}, Options(epsilon=1, shares={"m": 3}, **GROUPED))


# -- keys ------------------------------------------------------------------------------------


def test_private_keys_are_found_first() -> None:
    held = session(TABLE, epsilon=100, delta=0.5)
    answer = held.sql(
        "SELECT plan, COUNT(DISTINCT person) AS persons, SUM(CLAMP(visits, 0, 20)) AS t FROM v "
        "GROUP BY plan ORDER BY plan",
        epsilon=40, delta=1e-6, max_groups=4, max_rows=2,
    )  # fmt: skip
    assert [row["plan"] for row in answer] == ["a", "b", "c"]
    assert 60 <= held.left()["epsilon"] < 80  # of 4 groups that were allowed 3 were found
    assert all(abs(row["persons"] - 60) < 30 for row in answer)
    assert all(near["persons"] is None and near["t"] is not None for near in answer.intervals)
    assert len(answer.releases) == len(answer.programs) == 2


def test_a_second_step_that_does_not_fit_is_refused_before_the_first() -> None:
    held = session(TABLE, epsilon=3, delta=1e-6)
    query = "SELECT plan, COUNT(*), SUM(CLAMP(visits, 0, 20)) AS t FROM v GROUP BY plan"
    with pytest.raises(BudgetError, match="keys"):
        held.sql(query, epsilon=4, delta=1e-6, max_groups=2, max_rows=2)
    assert held.left()["epsilon"] == 3


def test_rare_keys_are_not_shown() -> None:
    table = [*TABLE, *[Visit(1000, "rare", 1.0, 20)] * 50]
    for seed in range(5):
        with dp.handling(dp.Seeded(seed)):
            answer = session(table, epsilon=9, delta=1e-3).sql(
                "SELECT plan, COUNT(*) AS n FROM v GROUP BY plan", epsilon=8, delta=1e-9,
                max_groups=1, max_rows=1,
            )  # fmt: skip
        # One person: shown with a chance of 1e-9.
        assert "rare" not in [row["plan"] for row in answer]


def test_rows_without_a_key_use_up_nothing() -> None:
    table = [Visit(1, plan, 1.0, 20) for plan in ("x", "y", "z", "a")]
    answer = session(table, epsilon=10**7).sql(
        "SELECT plan, COUNT(*) AS n FROM v GROUP BY plan", epsilon=10**6, max_groups=1, max_rows=1,
        keys={"plan": ["a"]},
    )  # fmt: skip
    assert answer.rows == ({"plan": "a", "n": 1},)


def test_keys_stand_in_the_query() -> None:
    def keys(query: str) -> Any:
        found = lowered(query, {"v": space(False)}, Options(epsilon=1, delta=1e-6))
        return [group.keys for group in found.groups]

    select = "SELECT COUNT(*) FROM v"
    assert keys(f"{select} WHERE age > 1 AND (plan IN ('b', 'a', 'b')) GROUP BY plan") == [
        ("b", "a")
    ]
    assert keys(f"{select} WHERE plan = 'b' GROUP BY plan") == [("b",)]
    assert keys(f"{select} GROUP BY age > 3, CASE WHEN age < 9 THEN 1 ELSE 0 END") == [
        (False, True), (1, 0)
    ]  # fmt: skip
    for where in ("plan NOT IN ('a')", "plan IN ('a') OR age > 3", "NOT (plan = 'a')"):
        assert keys(f"{select} WHERE {where} GROUP BY plan") == [None]


def test_groups_by_two_columns_of_persons() -> None:
    held = session(TABLE, epsilon=10**7)
    answer = held.sql(
        "SELECT plan, age, COUNT(*) AS n FROM v GROUP BY plan, age",
        epsilon=10**6, keys={"plan": ["a", "b"], "age": [1, 2]}, max_groups=2, max_rows=3,
    )  # fmt: skip
    assert held.left() == {"epsilon": 9 * 10**6}
    wanted = {
        (p, a): sum(1 for v in TABLE if v.plan == p and v.age == a) for p in "ab" for a in (1, 2)
    }
    assert {(row["plan"], row["age"]): row["n"] for row in answer} == wanted


def test_the_meaning_of_bigquery() -> None:
    table = [Visit(n, "a", None if n % 2 else 3.0, n) for n in range(40)]
    held = session(table, False, epsilon=10**8)
    answer = held.sql(
        "SELECT COUNTIF(LEAST(visits, 5) = 3) AS a, SUM(IF(visits IS NULL, 1, 0)) AS b, "
        'COUNTIF(plan = "a" AND age < 10) AS c FROM `v`',
        epsilon=10**6, dialect="bigquery",
    )  # fmt: skip
    assert [round(value) for value in answer.rows[0].values()] == [20, 20, 10]


def test_wide_bounds_end_in_no_error() -> None:
    query = "SELECT VARIANCE(CLAMP(visits, -1e308, 1e308)) AS s, COUNT(*) AS n FROM v"
    assert session(TABLE, False).sql(query, epsilon=1).columns == ("s", "n")


# -- what is released ------------------------------------------------------------------------


def test_order_limit_and_having() -> None:
    held = session(TABLE, epsilon=10**8)
    most = "SELECT plan AS k, COUNT(*) AS n FROM v GROUP BY plan"
    options = {"epsilon": 10**6, "keys": {"plan": ["c", "a", "b", "none"]}}
    options |= {"max_groups": 4, "max_rows": 99}

    def names(more: str) -> list[Any]:
        return [row["k"] for row in held.sql(f"{most} {more}", **options)]

    assert names("") == ["c", "a", "b", "none"]
    assert names("ORDER BY k DESC LIMIT 2 OFFSET 1") == ["c", "b"]
    assert sorted(names("HAVING COUNT(*) > 3 OR n = 1")) == ["a", "b", "c"]
    assert names("ORDER BY COUNT(*), 1 LIMIT 1") == ["none"]
    assert held.sql(f"{most} ORDER BY n", **options).intervals[0]["n"] is not None
    for chosen in ("ORDER BY n DESC LIMIT 1", "HAVING n > 3"):  # chosen for being large
        assert held.sql(f"{most} {chosen}", **options).intervals[0]["n"] is None


def test_intervals_of_a_mean_hold() -> None:
    """60 times, 95% each: fewer than 45 by chance less than once in 10^6 runs."""
    query = "SELECT AVG(CLAMP(visits, 0, 30)) AS m FROM v WHERE plan = 'a'"
    there = [v.visits for v in TABLE if v.plan == "a" and v.visits is not None]
    truth = sum(there) / len(there)
    held = session(TABLE, False, epsilon=10**6)
    found = 0
    for seed in range(60):
        with dp.handling(dp.Seeded(seed)):
            low, high = held.sql(query, epsilon=1).intervals[0]["m"]  # type: ignore[misc]
        found += low <= truth <= high
        assert 0 <= low <= high <= 30
    assert found >= 45


def test_an_answer_is_a_table() -> None:
    pandas = pytest.importorskip("pandas")
    answer = session(TABLE).sql(QUERY, epsilon=10, **GROUPED)
    frame = answer.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == [
        "plan", "n", "n_low", "n_high", "mean", "mean_low", "mean_high"
    ]  # fmt: skip
    assert "cost ε = 10" in repr(answer)
    assert answer._repr_html_().count("<tr>") == 3


def test_an_answer_is_a_table_of_arrow_and_of_ibis() -> None:
    pytest.importorskip("pyarrow")
    answer = session(TABLE).sql(QUERY, epsilon=10, **GROUPED)
    assert answer.to_arrow().to_pydict() == answer.to_pandas().to_dict(orient="list")
    pytest.importorskip("ibis")
    assert answer.to_ibis().to_pyarrow().equals(answer.to_arrow())


# -- text of a query is no code --------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ['"""', "\\", "'; DROP TABLE v; --", "\u2028import os", "é\u202e", "{x}", "%s", "\x00"],
)
def test_texts_are_values_and_nothing_else(text: str) -> None:
    table = [Visit(n, text if n % 2 else "x", 1.0, n) for n in range(100)]
    literal = text.replace("'", "''")
    answer = session(table, False, epsilon=10**8).sql(
        f"SELECT COUNT(*) AS n FROM v WHERE plan = '{literal}'", epsilon=10**6
    )
    assert answer.rows[0]["n"] == 50
    assert all(line.isascii() for line in answer.programs[0].splitlines() if line[:1] != "#")


@pytest.mark.parametrize("alias", ["n'] + dp", 'a""b', "import", "dp", "eps", "row", "sum", "__x"])
def test_names_of_outputs_are_texts(alias: str) -> None:
    answer = session(TABLE, False).sql(f'SELECT COUNT(*) AS "{alias}" FROM v', epsilon=10)
    assert answer.columns == (alias.replace('""', '"'),)


def test_comments_are_comments() -> None:
    query = "SELECT COUNT(*) -- coding: utf-7\n/* \x0cimport os\r\u2028raise */ AS n FROM v"
    answer = session(TABLE, False).sql(query, epsilon=10)
    body = answer.programs[0].split("import metricdp as dp")[0].splitlines()
    assert body[0].startswith('"""')
    assert all(line[:1] in ("", "#", "f", '"') for line in body)


def test_a_contradiction_is_rejected_and_not_paid_for() -> None:
    held = session(TABLE, False, epsilon=1)
    query = "SELECT plan, COUNT(visits) AS n FROM v WHERE visits IS NULL GROUP BY plan"
    with pytest.raises(NotProvedError, match="The program that this query means"):
        held.sql(query, epsilon=1, keys={"plan": ["a", "b"]})
    assert held.left() == {"epsilon": 1}
    with pytest.raises(SqlError, match="no row meets this"):
        held.sql("SELECT COUNT(*) FROM v WHERE 1 = 2", epsilon=1)


def test_neighbours_differ_by_what_a_person_pays_for() -> None:
    """The numbers before the noise, with and without one person: within the bounds of the claim."""
    rng = Random(4)
    for _ in range(6):
        person = [Visit(7, rng.choice(["a", "b", "c"]), rng.uniform(-9, 99), 20) for _ in range(9)]
        others = [v for v in TABLE if v.person != 7]
        found = []
        for table in (others, [*others, *person]):
            answer = session(table, epsilon=10**12).sql(
                "SELECT plan, COUNT(*) AS n, SUM(CLAMP(visits, -3, 20)) AS t FROM v GROUP BY plan",
                epsilon=10**11, max_groups=2, max_rows=3, keys={"plan": ["a", "b", "c"]},
            )  # fmt: skip
            found.append([(row["n"], row["t"]) for row in answer])
        counts = [abs(x[0] - y[0]) for x, y in zip(*found, strict=True)]
        sums = [abs(x[1] - y[1]) for x, y in zip(*found, strict=True)]
        assert max(counts) <= 3 and sum(each > 0 for each in counts) <= 2
        assert max(sums) <= 60.001 and sum(each > 0.001 for each in sums) <= 2
