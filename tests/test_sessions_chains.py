"""Methods of data frames on tables of sessions: the programs of SQL, by another way to the source.

A chain has no rules of its own, so what is tried here is that its program means what was written:
against plain Python at a noise below a millionth, on arrays and on DuckDB; that costs are those of
queries; and that what has no meaning is refused before anything is charged.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

import metricdp as dp
from metricdp.errors import (
    BudgetError,
    MetricdpError,
    NotProvedError,
    ParameterError,
    SpaceError,
    TrackedError,
)


@dataclass
class Visit:
    person: int
    plan: str
    year: int
    minutes: float
    late: bool
    day: date
    score: int | None


Records: Any = dp.Records
PLANS = ("gold", "basic", "none")
SURE = 10**9


def rows(number: int = 60, seed: int = 3) -> list[Visit]:
    draw = random.Random(seed)
    return [
        Visit(draw.randrange(20), draw.choice((*PLANS, "rare")), draw.randrange(3),
              draw.choice([-5.0, 0.5, 7.25, 31.0, 1e6]), draw.random() < 0.5,
              date(2024, draw.randrange(1, 13), 5), draw.choice([None, 0, 3, 8]))
        for _ in range(number)
    ]  # fmt: skip


def opened(space: Any, data: Any) -> dp.Session:
    return dp.Session({"visits": (space, data)}, budget=dp.Budget(epsilon=10**12, delta=1e-3))


ROWS = rows()


@cache
def each_row() -> dp.Session:
    return opened(Records[Visit], ROWS)  # in the process of the test: a ledger stays in its own


@cache
def persons() -> dp.Session:
    return opened(Records[Visit, dp.Ids("person")], ROWS)


def clip(x: float, low: float, high: float) -> float:
    return min(max(x, low), high)


#: A chain without groups, and what it is of a list of rows.
NUMBERS: dict[str, tuple[Callable[[Any], Any], Callable[[list[Visit]], float]]] = {
    "tests join": (
        lambda t: t.filter((t.year == 1) | t.late, ~(t.minutes > 7)).count(),
        lambda v: sum(1 for r in v if (r.year == 1 or r.late) and not r.minutes > 7),
    ),
    "a made column is made of made ones": (
        lambda t: t.mutate(v=t.minutes.clip(-2, 20)).mutate(w=t.v * 2 - t.year).w.clip(-9, 9).sum(),
        lambda v: sum(clip(clip(r.minutes, -2, 20) * 2 - r.year, -9, 9) for r in v),
    ),
    "a filter sees the columns so far": (
        lambda t: t.mutate(minutes=t.minutes.clip(0, 1)).filter(t.minutes > 0.75).count(),
        lambda v: sum(1 for r in v if clip(r.minutes, 0, 1) > 0.75),
    ),
    "and not those that come later": (
        lambda t: t.filter(t.minutes > 5).mutate(minutes=t.minutes.clip(0, 1)).minutes.sum(),
        lambda v: sum(clip(r.minutes, 0, 1) for r in v if r.minutes > 5),
    ),
    "where": (
        lambda t: t.minutes.clip(0, 10).sum(where=t.plan.isin(["gold", "rare"]) & ~t.late),
        lambda v: sum(
            clip(r.minutes, 0, 10) for r in v if r.plan in ("gold", "rare") and not r.late
        ),
    ),
    "missing": (
        lambda t: t.score.fill_null(4).clip(0, 5).sum() + 2 * t.count(t.score.isnull()) - 1,
        lambda v: sum(clip(4 if r.score is None else r.score, 0, 5) for r in v)
        + 2 * sum(r.score is None for r in v) - 1,
    ),
    "not missing": (
        lambda t: t.filter(t.score.notnull()).filter(t.score >= 3).count(),
        lambda v: sum(1 for r in v if r.score is not None and r.score >= 3),
    ),
    "dates and choices": (
        lambda t: (t.day.month() < 7).ifelse(3, -1).clip(-1, 3).sum()
        + t.count(t.day >= date(2024, 11, 1)) + t.late.sum() / 2,
        lambda v: sum(3 if r.day.month < 7 else -1 for r in v)
        + sum(r.day >= date(2024, 11, 1) for r in v) + sum(r.late for r in v) / 2,
    ),
    "means": (
        lambda t: t.minutes.clip(0, 40).mean(),
        lambda v: sum(clip(r.minutes, 0, 40) for r in v) / len(v),
    ),
    "means of conditions": (
        lambda t: (t.year > 0).mean(), lambda v: sum(r.year > 0 for r in v) / len(v),
    ),
    "a quotient": (
        lambda t: -t.minutes.clip(0, 40).sum() / t.count(t.late),
        lambda v: -sum(clip(r.minutes, 0, 40) for r in v) / sum(r.late for r in v),
    ),
    "different values": (
        lambda t: t.plan.nunique(t.year == 2), lambda v: len({r.plan for r in v if r.year == 2}),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_those_of_plain_python(name: str) -> None:
    make, plain = NUMBERS[name]
    found = make(each_row()["visits"])
    answer = found._chain.aggregate(x=found).release(epsilon=SURE)
    assert answer.rows[0]["x"] == pytest.approx(plain(ROWS), abs=1e-4)


def test_groups_are_those_of_plain_python_on_arrays_and_on_duckdb() -> None:
    duckdb, pandas = pytest.importorskip("duckdb"), pytest.importorskip("pandas")
    frame = pandas.DataFrame([vars(each) for each in ROWS]).astype({"score": "Int64"})
    assert len(frame) == len(ROWS)
    relation = duckdb.sql("SELECT * REPLACE (CAST(day AS DATE) AS day) FROM frame")
    for data in (ROWS, relation):
        t = opened(Records[Visit], data)["visits"]
        late = t.mutate(v=t.minutes.clip(0, 9), early=~t.late).filter(t.year < 2)
        asked = late.group_by("plan", "early", keys={"plan": PLANS}).aggregate(
            n=late.count(), total=t.v.sum(), mean=t.v.mean()
        )
        answer = asked.release(epsilon=SURE)
        assert [row["plan"] for row in answer] == [plan for plan in PLANS for _ in range(2)]
        for row in answer:
            own = [r for r in ROWS if r.year < 2 and r.plan == row["plan"]
                   and (not r.late) == row["early"]]  # fmt: skip
            total = sum(clip(r.minutes, 0, 9) for r in own)
            wanted = [len(own), total, total / max(len(own), 1)]
            assert [row["n"], row["total"], row["mean"]] == pytest.approx(wanted, abs=1e-4)


def test_persons_are_limited_and_charged_as_in_sql() -> None:
    t = persons()["visits"]
    asked = (
        t.filter(t.late).group_by("plan", keys=PLANS).aggregate(n=t.count(), who=t.person.nunique())
    )
    given: dict[str, Any] = {"epsilon": 6, "max_groups": 2, "max_rows": 3}
    answer = asked.release(**given)
    assert answer.releases[0].cost.startswith("ε = 6")
    assert 'dp.limit_groups(asked, "person", by="plan", groups=2, rows=3)' in answer.programs[0]
    assert "eps / 4" in answer.programs[0]  # two numbers, two groups of a person
    query = (
        "SELECT plan, COUNT(*) AS n, COUNT(DISTINCT person) AS who "
        "FROM visits WHERE late GROUP BY plan"
    )
    queried = persons().sql(query, keys={"plan": PLANS}, **given)
    body = [each.programs[0].split("def query")[1].replace("'", '"') for each in (answer, queried)]
    assert body[0].replace("(row.late)", "row.late") == body[1]
    assert asked.release(**given).rows == answer.rows  # the same question is the same answer


def test_private_keys_are_found_with_a_delta() -> None:
    t = persons()["visits"]
    asked = t.group_by("plan").aggregate(n=t.count(), m=t.minutes.clip(0, 9).mean())
    with pytest.raises(ParameterError, match="needs a delta"):
        asked.release(epsilon=1, max_groups=4, max_rows=9)
    answer = asked.release(epsilon=1000, delta=1e-6, max_groups=4, max_rows=20)
    assert {row["plan"] for row in answer} == {r.plan for r in ROWS}
    assert len(answer.releases) == 2


def test_costs_are_seen_before_they_are_spent() -> None:
    session = dp.Session({"visits": (Records[Visit], ROWS)}, budget=dp.Budget(epsilon=1))
    t = session["visits"]
    asked = t.aggregate(n=t.count())
    plan = asked.explain(epsilon=0.25)
    assert plan.costs[0].cost["epsilon"] == Fraction(1, 4)
    assert session.left() == {"epsilon": 1}
    with pytest.raises(BudgetError):
        asked.release(epsilon=2)
    asked.release(epsilon=0.25)
    assert session.left() == {"epsilon": Fraction(3, 4)}
    assert str(asked) == "<question visits.aggregate(n=_.count())>"


#: What is refused, and the error.
REFUSED: dict[str, tuple[Callable[[Any], Any], type[MetricdpError]]] = {
    "no column": (lambda t: t.filter(t.vists > 1), TrackedError),
    "a column that select left out": (lambda t: t.select("plan").filter(t.year == 1), TrackedError),
    "no bound": (lambda t: t.aggregate(x=t.minutes.sum()).release(epsilon=1), NotProvedError),
    "no bounds of a mean": (lambda t: t.aggregate(x=t.year.mean()).release(1), ParameterError),
    "a number of rows as a condition": (lambda t: t.filter(t.count()), TrackedError),
    "Python's and": (lambda t: t.filter(t.late and t.year == 1), TrackedError),
    "a chain of comparisons": (lambda t: t.filter(0 < t.year < 2), TrackedError),
    "in": (lambda t: t.filter(t.plan in PLANS), TrackedError),
    "is None": (lambda t: t.filter(t.score is None), TrackedError),
    "bits of numbers": (lambda t: t.filter((t.year & 1) == 1), TrackedError),
    "a column of another session": (
        lambda t: t.filter(persons()["visits"].year == 1) and t.filter(each_row()["visits"].late),
        TrackedError,
    ),
    "a column of what comes later": (lambda t: t.filter(t.filter(t.late).year == 1), TrackedError),
    "a number of other rows": (lambda t: t.aggregate(n=t.filter(t.late).count()), TrackedError),
    "a method by another name": (lambda t: getattr(t.plan, "x(dp.collect"), TrackedError),
    "a name of no name": (lambda t: t.aggregate(**{"x: sum": t.count()}), ParameterError),
    "a private number": (lambda t: t.filter(t.year == dp.count(t)), TrackedError),
    "noise by hand": (lambda t: dp.laplace(t.count(), epsilon=1), TrackedError),
    "doubles as keys": (
        lambda t: t.group_by("minutes").aggregate(n=t.count()).release(1), TrackedError),
    "keys of another kind": (
        lambda t: t.group_by("plan", keys=[1]).aggregate(n=t.count()).release(1), ParameterError),
    "keys that repeat": (lambda t: t.group_by("plan", keys=["a", "a"]), ParameterError),
    "a quotient in a sum": (
        lambda t: t.aggregate(x=t.count() / t.count(t.late) + 1).release(1), TrackedError),
    "an unknown method": (
        lambda t: t.aggregate(n=t.count(t.plan.glob("a"))).release(1), NotProvedError),
    "a field that may be missing": (
        lambda t: t.aggregate(n=t.count(t.score > 1)).release(1), NotProvedError),
    "printing": (lambda t: float(t.count()), TrackedError),
    "rows": (lambda t: list(t.filter(t.late)), TrackedError),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_meaning_is_refused_and_costs_nothing(name: str) -> None:
    asked, error = REFUSED[name]
    session = dp.Session({"visits": (Records[Visit], ROWS)}, budget=dp.Budget(epsilon=1))
    with pytest.raises(error):
        asked(session["visits"])
    assert session.left() == {"epsilon": 1}


def test_persons_need_limits_and_rows_need_none() -> None:
    t = persons()["visits"]
    with pytest.raises(ParameterError, match="any number of rows"):
        t.aggregate(n=t.count()).release(1)
    with pytest.raises(ParameterError, match="any number of groups"):
        t.group_by("plan", keys=PLANS).aggregate(n=t.count()).release(1, max_rows=2)
    assert t.aggregate(n=t.person.nunique()).release(SURE).rows[0]["n"] == len(
        {r.person for r in ROWS}
    )
    with pytest.raises(ParameterError, match="no other rows"):
        each_row()["visits"].aggregate(n=each_row()["visits"].count()).release(1, max_rows=2)


def test_tables_of_other_distances_are_no_tables_of_chains() -> None:
    session = dp.Session({"x": (Records[Visit, dp.ChangeOne], ROWS)}, budget=dp.Budget(epsilon=1))
    with pytest.raises(SpaceError):
        session["x"].filter(session["x"].late)
