"""Tables in which one person has many rows: distances, what is kept of a person, what enters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from random import Random
from typing import Annotated, Any

import numpy as np
import pandas as pd
import pytest
from column_graphs import evaluated_by

import metricdp as dp
from metricdp.columns.language import nearest
from metricdp.columns.owners import limited
from metricdp.errors import ParameterError, SchemaError, SpaceError
from metricdp.primitives.records import limit_rows, sum_per_id
from metricdp.primitives.records._keys import row_keys
from metricdp.run.guards import admit
from metricdp.spaces import Owned, space_of


@dataclass
class Visit:
    person: str
    ward: int
    minutes: float | None
    day: date


@dataclass
class Ward:
    person: str
    ward: int


TABLE = dp.Records[Visit, dp.Ids("person")]
CHANGED = Annotated[dp.Records[Visit], dp.Ids("person", dp.ChangeOne)]


def space(annotation: Any) -> Owned:
    found = space_of(annotation)
    assert isinstance(found, Owned)
    return found


def rows(rng: Random, count: int) -> list[Visit]:
    return [
        Visit(
            rng.choice("abcd"), rng.randrange(3), rng.choice((None, 0.0, 1.5, 2.0)),
            date(2024, 1, rng.randint(1, 3)),
        )
        for _ in range(count)
    ]  # fmt: skip


def kept_by_reference(some: list[Visit], most: int) -> list[Any]:
    build = space(TABLE).row.build
    return limit_rows.run([build(list(vars(row).values())) for row in some], "person", most)


def nothing_told(fields: Any) -> Any:
    values, _ = fields[0]
    return np.zeros(len(values), np.uint64)


def key(row: Any) -> Hashable:
    return row.person, row.ward, row.minutes, row.day


# -- distances


def apart(x: list[Visit], y: list[Visit], changed: bool) -> int:
    """By hand: whose rows differ, and whether they are in both tables."""
    total = 0
    for person in {row.person for row in (*x, *y)}:
        mine, theirs = (Counter(key(r) for r in some if r.person == person) for some in (x, y))
        if mine != theirs:
            total += 1 if changed or not mine or not theirs else 2
    return total


def test_distances_count_persons() -> None:
    rng = Random(1)
    for annotation, changed in ((TABLE, False), (CHANGED, True)):
        held = space(annotation)
        for _ in range(200):
            x = rows(rng, rng.randrange(7))
            y = [row for row in x if rng.random() < 0.8] + rows(rng, rng.randrange(3))
            rng.shuffle(y)
            assert held.distance_float(x, y) == apart(x, y, changed)
            for d in (1, 2, 3):
                assert held.distance_float(x, held.neighbours(x, d, rng)) <= d


# -- what is kept


@pytest.mark.parametrize("evaluator", ["arrays", "parts", "reference"])
def test_rows_that_are_kept_are_those_of_the_reference(evaluator: str) -> None:
    rng, held = Random(2), space(TABLE)
    for _ in range(40):
        some, most = rows(rng, rng.choice((0, 1, 5, 40))), rng.choice((0, 1, 2, 3))
        with evaluated_by(evaluator, 7):
            table = admit("visits", held, some)
            found = limit_rows.tabular(table, "person", most).rows()
            # Hashes that all collide leave the rest of the order, which is the same.
            fields = table.row
            collide = limited(table, fields.person, fields, most, nothing_told, row_keys).rows()
        wanted = [key(r) for r in kept_by_reference(some, most)]
        assert [key(r) for r in found] == [key(r) for r in collide] == wanted


def test_as_many_rows_are_kept_as_there_are_and_whoever_else_is_there_changes_nothing() -> None:
    rng = Random(3)
    for _ in range(200):
        some, most = rows(rng, rng.randrange(20)), rng.choice((1, 2, 3))
        kept = kept_by_reference(some, most)
        there = Counter(row.person for row in some)
        assert Counter(r.person for r in kept) == {p: min(n, most) for p, n in there.items()}
        shuffled = rng.sample(some, len(some))
        assert Counter(map(key, kept_by_reference(shuffled, most))) == Counter(map(key, kept))
        without = [row for row in some if row.person != "a"]
        alone = kept_by_reference(without, most)
        assert [key(r) for r in alone] == [key(r) for r in kept if r.person != "a"]


def test_the_worst_pairs_of_tables_are_met_and_none_is_worse() -> None:
    """m rows per person added, 2m per person changed."""
    rng = Random(4)
    for annotation, factor in ((TABLE, 1), (CHANGED, 2)):
        held, worst = space(annotation), 0
        for _ in range(400):
            x = held.sample(rng, 5)
            y = held.neighbours(x, 1, rng)
            a, b = (Counter(map(held.row.row_key, limit_rows.run(t, "person", 2))) for t in (x, y))
            worst = max(worst, (a - b).total() + (b - a).total())
        assert worst == 2 * factor


def test_which_rows_are_kept_has_nothing_to_do_with_their_size() -> None:
    """Of rows 1 to 9 of many persons, each is kept about as often: no bias to small or early ones.

    2,000 persons keep 3 of 9 rows: 667 of each value, standard deviation 21; five of them.
    """
    some = [(person, float(value)) for person in range(2000) for value in range(9)]
    kept = Counter(value for _, value in limit_rows.run(some, "0", 3))
    assert kept.total() == 6000 and all(abs(n - 667) < 105 for n in kept.values())


# -- what rows add up to


@pytest.mark.parametrize("evaluator", ["arrays", "parts"])
def test_numbers_of_a_person_are_exact_sums_whatever_the_order(evaluator: str) -> None:
    """Doubles that cancel, overflow and round, integers beyond 64 bits: against fractions."""
    rng = Random(8)
    doubles = [1e300, -1e300, 1.7e308, 0.1, 1e-300, 2.0**53, 1.0, -0.0, 3.0]
    whole = [2**62, -(2**62), 2**62 - 1, 1, 0, -7]
    for numbers, kind in ((doubles, "float"), (whole, "int")):
        held = space(dp.Records[tuple[str, {"float": float, "int": int}[kind]], dp.Ids("0")])
        for _ in range(60):
            some = [(rng.choice("abc"), rng.choice(numbers)) for _ in range(rng.randrange(12))]
            expected: dict[str, Fraction] = {}
            for who, number in some:
                expected[who] = expected.get(who, Fraction(0)) + Fraction(number)
            wanted = [nearest(v) if kind == "float" else int(v) for v in expected.values()]
            for given in (some, rng.sample(some, len(some))):
                with evaluated_by(evaluator):
                    found = sum_per_id.tabular(admit("x", held, given), "0", lambda row: row[1])
                    read = found.rows()
                assert Counter(map(Fraction, read)) == Counter(map(Fraction, wanted))


@dp.measurement
def wards(visits: dp.Records[Ward, dp.Ids("person")], eps: float):
    each = dp.sum_per_id(visits, "person", lambda v: v.ward)
    return dp.laplace(dp.sum(dp.clamp(each, 0, 15)), epsilon=eps)


def test_ordinary_sums_of_persons_are_those_of_pandas() -> None:
    frame = pd.DataFrame([vars(row) for row in rows(Random(9), 80)])
    frame = frame[["person", "ward"]]
    expected = frame.groupby("person").ward.sum().clip(0, 15).sum()
    assert round(wards(frame, eps=1e9).value) == expected


# -- programs


@dp.measurement
def total(visits: TABLE, eps: float):
    kept = dp.limit_rows(visits, "person", 2)
    return dp.laplace(dp.sum([dp.clamp(v.ward, 0, 9) for v in kept]), epsilon=eps)


@dp.measurement
def persons(visits: TABLE, eps: float):
    early = [v for v in visits if v.day < date(2024, 1, 3)]
    return dp.laplace(dp.count_ids(early, "person"), epsilon=eps)


def test_a_data_frame_and_a_list_give_what_pandas_gives() -> None:
    some = rows(Random(5), 60)
    frame = pd.DataFrame([vars(row) for row in some])
    early = frame[pd.to_datetime(frame.day) < "2024-01-03"]
    for given in (some, frame, iter([frame.iloc[:9], frame.iloc[9:]])):
        assert round(persons(given, eps=1e9).value) == early.person.nunique()
    expected = sum(row.ward for row in kept_by_reference(some, 2))
    assert round(total(frame, eps=1e9).value) == expected


def test_what_is_left_out_of_a_release() -> None:
    found = total(rows(Random(6), 9), eps=1)
    assert "all records of one person added or removed" in str(found.unit)
    assert any("at most 2 rows of each person" in line for line in found.rests_on)


@dp.measurement
def of_two_tables(
    visits: dp.Records[Ward, dp.Ids("person")],
    scans: dp.Records[Ward, dp.Ids("person", unit="patient")],
    eps: float,
):
    some = dp.laplace(dp.count_ids(visits, "person"), epsilon=eps)
    return some, dp.laplace(dp.count_ids(scans, "person"), epsilon=eps)


def test_persons_of_two_tables_are_told_to_be_units_of_their_own() -> None:
    """One person in both tables moves both: a session charges both costs together."""
    says = "the persons of visits and scans are units of their own: who is in several pays all"
    assert says in " ".join(str(of_two_tables.guarantee).split())
    assert "units of their own" not in str(total.guarantee)
    given = [Ward("a", 1)]
    space_ = dp.Records[Ward, dp.Ids("person")]
    other = dp.Records[Ward, dp.Ids("person", unit="patient")]
    tables = {"visits": (space_, given), "scans": (other, given)}
    session = dp.Session(tables, budget=dp.Budget(epsilon=1))
    assert "ε = 1" in str(session.run(of_two_tables, eps=0.5).cost)


@dataclass
class Stay:
    person: str
    room: str


@dp.measurement
def rooms(stays: dp.Records[Stay, dp.Ids("room")], eps: float):
    return dp.laplace(dp.count_ids(stays, "room"), epsilon=eps)


def test_a_session_of_persons_answers_no_program_about_another_column() -> None:
    """A person in fifty rooms was charged as one room: the columns of ids were not compared."""
    some = [Stay("a", str(room)) for room in range(50)]
    table = {"stays": (dp.Records[Stay, dp.Ids("person")], some)}
    session = dp.Session(table, budget=dp.Budget(epsilon=1))
    with pytest.raises(SpaceError, match="declare the table as the function does"):
        session.run(rooms, eps=0.5)
    assert session.left() == {"epsilon": Fraction(1)}


# -- what enters


@dataclass
class Numbered:
    person: int
    ward: int


@dp.transformation
def numbers(visits: dp.Records[Numbered, dp.Ids("person")]):
    return dp.count_ids(visits, "person")


def test_ids_that_do_not_fit_are_left_out_and_never_become_another_persons() -> None:
    """Moved to the end of the range, two persons were one: who leaves would change another's rows,
    which is distance 2."""
    for beyond in (2**63 - 1, 2**63, 2**70, -(2**63), -(2**70)):
        assert numbers([Numbered(beyond, 1), Numbered(7, 1)]) == 1
    assert numbers({"person": np.array([2**63, 2**63 + 1, 7], np.uint64), "ward": [1, 1, 1]}) == 1
    assert numbers({"person": np.array([1, 2, 255], np.uint8), "ward": [1, 1, 1]}) == 3
    assert numbers([Numbered(2**63 - 2, 1), Numbered(-(2**63) + 1, 1)]) == 2


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (pd.DataFrame({"person": ["a", None], "ward": [1, 1]}), "person"),
        (pd.DataFrame({"person": [1.0, 2.0], "ward": [1, 1]}), "person"),
        (pd.DataFrame({"who": [1, 2], "ward": [1, 1]}), "no column person"),
        ({"person": [1, 2], "ward": [1]}, "unequal length"),
    ],
)
def test_wrong_tables_are_refused_before_a_row_is_read(given: Any, says: str) -> None:
    with pytest.raises(SchemaError, match=says):
        numbers(given)


def test_a_session_charges_persons_and_half_a_person_is_none() -> None:
    some = rows(Random(7), 30)
    session = dp.Session({"visits": (TABLE, some)}, budget=dp.Budget(epsilon=1))
    assert "one person" in str(session.run(total, eps=0.5).unit)
    unit = dp.Unit(visits=0.5)
    with pytest.raises(ParameterError, match="counts rows"):
        dp.Session({"visits": (TABLE, some)}, unit=unit, budget=dp.Budget(epsilon=1))
