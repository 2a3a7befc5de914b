"""Units in calendar windows: what one person does in one month, told by a text of both."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from random import Random
from typing import Annotated, Any

import pandas as pd
import pytest
from column_graphs import evaluated_by

import metricdp as dp
from metricdp.audit import replay
from metricdp.errors import ParameterError, SpaceError
from metricdp.run.guards import admit
from metricdp.spaces import Owned, space_of
from metricdp.spaces.windows import PERIODS, unit_of, window


@dataclass
class Visit:
    person: int
    ward: int
    day: date


@dataclass
class Bill:
    patient: int
    cents: int
    paid: datetime


VISITS = dp.Records[Visit, dp.Ids("person", per="month", of="day")]
BILLS = dp.Records[Bill, dp.Ids("patient", unit="person", per="month", of="paid")]


@dp.transformation
def limited(visits: VISITS):
    return dp.count(dp.limit_rows(visits, "person", 2))


@dp.transformation
def months(visits: VISITS):
    return dp.count_ids([v for v in visits if v.ward == 1], "person")


@dp.transformation
def of_both(visits: VISITS, bills: BILLS):
    both = dp.join_by_id(visits, bills, ("person", "patient"))
    return dp.count(dp.limit_rows(both, "person", 3))


@dp.measurement
def noisy(visits: VISITS, eps: float):
    return dp.laplace(dp.count_ids(visits, "person"), epsilon=eps)


def rows(rng: Random, count: int) -> list[Visit]:
    first = date(2023, 11, 20)
    return [
        Visit(rng.choice((1, 2, 33)), rng.randrange(2), first + timedelta(rng.randrange(70)))
        for _ in range(count)
    ]


def test_every_day_is_in_the_window_of_the_calendar() -> None:
    day = date(1999, 12, 20)
    for _ in range(1100):
        year, week, _ = day.isocalendar()
        texts = [f"{day:%Y-%m-%d}", f"{year}-W{week:02}", f"{day:%Y-%m}", f"{day:%Y}"]
        assert [window(per, day) for per in PERIODS] == texts
        day += timedelta(1)
    for per in PERIODS:
        ends = {len(window(per, when)) for when in (date.min, date(2024, 2, 29), date.max)}
        assert len(ends) == 1  # so that two units have two texts


def test_counts_are_those_of_pandas() -> None:
    rng = Random(1)
    for size in (0, 5, 60):
        some = rows(rng, size)
        frame = pd.DataFrame([vars(v) for v in some], columns=["person", "ward", "day"])
        of = frame.assign(month=pd.to_datetime(frame.day).dt.to_period("M"))
        groups = of.groupby(["person", "month"]).size()
        bills = [Bill(v.person, 1, datetime(v.day.year, v.day.month, 3, 23, 59)) for v in some[::2]]
        paid = Counter((b.patient, b.paid.year, b.paid.month) for b in bills)
        mine = Counter((v.person, v.day.year, v.day.month) for v in some)
        for way in ("arrays", "reference"):
            with evaluated_by(way, 7):
                assert limited(some) == groups.clip(upper=2).sum()
                seen = of[of.ward == 1][["person", "month"]].drop_duplicates()
                assert months(some) == len(seen)
                assert of_both(some, bills) == sum(min(3, n * paid[u]) for u, n in mine.items())


def test_one_unit_moves_what_was_proved_and_a_person_moves_more() -> None:
    """All small tables of one person in three months, and of another one."""
    days = (date(2023, 1, 5), date(2024, 1, 5), date(2024, 2, 5))
    some: Any = ((), (0,), (1, 1, 1))
    tables = [
        [Visit(1, w, day) for day, have in zip(days, mine, strict=True) for w in have]
        + [Visit(2, 1, days[1])]
        for mine in itertools.product(some, repeat=3)
    ]
    space = space_of(VISITS)
    assert isinstance(space, Owned)
    of_two = Fraction(0)
    answers = [(t, limited(t), months(t)) for t in tables]
    for (x, rows_x, units_x), (y, rows_y, units_y) in itertools.combinations(answers, 2):
        a, b = ([space.row.build(list(vars(v).values())) for v in t] for t in (x, y))
        d = space.distance(a, b).as_fraction()
        months_apart = sum(
            [v for v in x if v.day == day] != [v for v in y if v.day == day] for day in days
        )
        assert d is not None
        assert months_apart <= d <= 2 * months_apart
        assert abs(rows_x - rows_y) <= 2 * d
        assert abs(units_x - units_y) <= d
        of_two = max(of_two, Fraction(abs(rows_x - rows_y), 2 * int(d)))
    assert of_two == 1
    assert "closest 1 of the claim" in str(replay(noisy, public={"eps": 1}, seconds=0.3))


@pytest.mark.parametrize("kind", ["date", "datetime"])
@pytest.mark.parametrize("per", PERIODS)
def test_rows_that_enter_are_those_of_the_space(per: str, kind: str) -> None:
    annotation = {"date": VISITS, "datetime": BILLS}[kind]
    row, column, field = {"date": (Visit, "person", "day"), "datetime": (Bill, "patient", "paid")}[
        kind
    ]
    space = space_of(dp.Records[row, dp.Ids(column, per=per, of=field)])  # type: ignore[valid-type]
    assert isinstance(space, Owned)
    assert annotation is not None
    rng = Random(7)
    for _ in range(20):
        raw = space.sample(rng, 6)
        entered = admit("x", space, [tuple(each) for each in raw])
        found = [tuple(each) for each in entered.rows()]
        held = [e for r in raw if abs(r[0]) < 2**62 and (e := space.entered(r)) is not None]
        assert [tuple(map(str, r)) for r in found] == [tuple(map(str, r)) for r in held]
        assert space.inside.contains(held)


def test_days_beyond_the_calendar_are_no_window() -> None:
    """Moved to the last date, two months were one: who leaves would change another unit's rows."""
    given = [Visit(1, 1, date.max), Visit(1, 1, date.min), Visit(1, 1, date(2024, 1, 1))]
    assert months(given) == 1
    assert months([Visit(2**70, 1, date(2024, 1, 1)), Visit(5, 1, date(2024, 1, 1))]) == 1


def test_units_are_told_in_words() -> None:
    says = "all records of one person in one calendar month added or removed changes the chance"
    assert says in " ".join(str(noisy.guarantee).split())
    release = noisy(rows(Random(2), 5), eps=1)
    assert "one person in one calendar month" in str(release.unit)
    rests = " ".join(str(limited.guarantee).split())
    assert "at most 2 rows of each person in one calendar month" in rests
    both = " ".join(str(of_both.guarantee).split())
    assert "all records of one person in one calendar month in visits and bills" in both
    assert unit_of(33, "month", date(2024, 3, 9)) == "33 2024-03"


def test_a_session_counts_months_and_asks_nothing_of_persons() -> None:
    session = dp.Session({"visits": (VISITS, rows(Random(3), 9))}, budget=dp.Budget(epsilon=4))
    assert session.run(noisy, eps=1).cost == "ε = 1"
    dp.laplace(dp.count_ids(session["visits"], "person"), epsilon=1)
    assert session.left() == {"epsilon": Fraction(2)}

    other = dp.Records[Visit, dp.Ids("person")]
    whole = dp.Session({"visits": (other, rows(Random(3), 9))}, budget=dp.Budget(epsilon=4))
    with pytest.raises(SpaceError, match="declare the table as the function does"):
        whole.run(noisy, eps=1)


@dataclass
class Gap:
    person: int
    day: date | None
    when: float


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"per": "month"}, "a window is one of"),
        ({"of": "day"}, "a window is one of"),
        ({"per": "decade", "of": "day"}, "a window is one of"),
        ({"per": "month", "of": "day"}, "no column of Gap with the date of every row"),
        ({"per": "month", "of": "when"}, "no column of Gap with the date of every row"),
        ({"per": "month", "of": "nothing"}, "no column of Gap with the date of every row"),
    ],
)
def test_windows_of_no_date_are_refused(given: dict[str, str], says: str) -> None:
    with pytest.raises(SpaceError, match=says):
        space_of(Annotated[dp.Records[Gap], dp.Ids("person", **given)])


def test_windows_on_an_engine_and_in_maps() -> None:
    duckdb = pytest.importorskip("duckdb")
    text = "SELECT 1::BIGINT AS person, 1::BIGINT AS ward, DATE '2024-01-01' AS day"
    for given in (duckdb.sql(text), dp.table(duckdb.sql(text), collect=True)):
        assert noisy(given, eps=1e6).value == pytest.approx(1, abs=1)
    with pytest.raises(ParameterError, match="its rows enter a call"):
        noisy.at(eps=1)
