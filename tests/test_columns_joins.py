"""Joins of tables in columns are those of the reference function, row by row and in its order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any, TypedDict

import numpy as np
import pytest
from column_graphs import HUGE, evaluated_by
from depth import depth
from test_columns_keys import cells, column

import metricdp as dp
from metricdp.columns.language import Untraceable, add, lt, stored
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.primitives.records import join, join_by_id, join_public
from metricdp.primitives.records._keys import row_key
from metricdp.run.guards import admit
from metricdp.spaces import space_of
from metricdp.values import Exact

BASES = ("text", "boolean", "integer", "double")


def table(rng: Random, bases: tuple[str, ...], count: int) -> Table:
    held = tuple(column(base, cells(base, rng, count)) for base in bases)
    return Table(held, tuple(each.node(at) for at, each in enumerate(held)), value=Exact)


def last(row: Any) -> Any:
    return row[-1]


def agrees(a: Table, b: Table, key_a: Any, key_b: Any, most: int) -> None:
    of_b = Random(most).choice((None, 1, 3))
    expected = join.run(a.rows(), b.rows(), key_a, key_b, most, of_b)
    for evaluator in ("arrays", "reference"):
        with evaluated_by(evaluator, 7):
            found = join.tabular(fresh(a), fresh(b), key_a, key_b, most, of_b)
            assert isinstance(found, Table) and found.rows() == expected
            kinds = [list(map(type, row)) for row in expected]
            assert [list(map(type, row)) for row in found.rows()] == kinds


def fresh(held: Table) -> Table:
    return Table(held.columns, held.row, held.where, held.chosen, held.value)


@pytest.mark.parametrize("key", BASES)
@pytest.mark.parametrize("most", [0, 1, 2, 5])
def test_pairs_are_those_of_the_reference(key: str, most: int) -> None:
    rng = Random(f"{key}{most}")
    for _ in range(12):
        others = [rng.choice(BASES) for _ in range(rng.randrange(3))]
        a = table(rng, (*others, key), rng.choice((0, 1, 9, 40)))
        b = table(rng, (rng.choice(BASES), key), rng.choice((0, 1, 9, 40)))
        agrees(a, b, last, last, most)


class Named(TypedDict):
    who: str
    left: float
    mark: bool | None


@dataclass
class Dated:
    left: float | None
    who: str
    day: date
    at: datetime | None


def named(rng: Random, count: int) -> Table:
    some = [{"who": rng.choice(WHO), "left": rng.choice(HUGE), "mark": rng.choice((None, True))}
            for _ in range(count)]  # fmt: skip
    return admit("a", space_of(dp.Records[Named, dp.Ids("who")]), some)


def dated(rng: Random, count: int) -> Table:
    some = [
        Dated(rng.choice((None, *HUGE)), rng.choice(WHO[1:]), date(2020, 1, rng.randint(1, 9)),
              rng.choice((None, datetime(2020, 1, 1, 3))))
        for _ in range(count)
    ]  # fmt: skip
    return admit("b", space_of(dp.Records[Dated, dp.Ids("who")]), some)


WHO = ("a", "b", "", "é", "\ud800")


@pytest.mark.parametrize("evaluator", ["arrays", "parts", "reference"])
def test_rows_of_a_person_beside_each_other_are_those_of_the_reference(evaluator: str) -> None:
    rng = Random(4)
    for trial in range(4):
        with evaluated_by(evaluator, 7):
            a, b = (make(rng, rng.choice((0, 1, 9, 30))) for make in (named, dated))
            for x, y in ((a, b), (b, a), (a, a), (b.filtered(lt(b.row.left.value, 1)), a)):
                for how, columns in (
                    ("inner", None), ("semi", None), ("anti", None), ("inner", "left"),
                    ("left", ("left", *(("at", "day") if y is not a else ("mark",)))),
                ):  # fmt: skip
                    expected = join_by_id.run(x.rows(), y.rows(), "who", how, columns)
                    found = join_by_id.tabular(x, y, "who", how, columns)
                    assert repr(found.rows()) == repr(expected), trial
                    if (how, columns) == (
                        "inner",
                        None,
                    ) and x is not y:  # rows of two kinds make tuples
                        on = ("0" if x is a else "1", "who")
                        again = join_by_id.tabular(found, y, on)
                        assert repr(again.rows()) == repr(join_by_id.run(expected, y.rows(), on))


@pytest.mark.parametrize("evaluator", ["arrays", "reference"])
def test_rows_beside_those_of_a_public_table_are_those_of_the_reference(evaluator: str) -> None:
    rng = Random(7)
    public = (("a", -(2**62), "x", True), ("a", 0, "", False), ("é", 1, "\ud800", True))
    for count in (0, 1, 30):
        with evaluated_by(evaluator, 7):
            a = named(rng, count)
            some = a.filtered(lt(a.row["left"], 1))
            back = some.taken(np.arange(some.size())[::-1])
            # Keys that stand once are looked up where the rows lie.
            for rows, lines in product((a, some, back), (public, public[1:], public[2:])):
                for how in ("inner", "left"):
                    given = ("who", lines, ("n", "t", "b"), how)
                    expected = join_public.run(rows.rows(), *given)
                    assert join_public.tabular(rows, *given).rows() == expected
            assert len(join_public.run(a.rows(), "who", public, ("n", "t", "b"), "left")) >= count


def test_keys_of_two_kinds_meet_where_python_says_that_they_are_equal() -> None:
    rng = Random(2)
    for first in BASES:
        for second in BASES:
            agrees(table(rng, (first,), 30), table(rng, ("text", second), 30), last, last, 2)


def test_filtered_rows_chosen_ones_and_keys_that_are_computed() -> None:
    rng = Random(3)
    a, b = table(rng, ("double", "integer"), 50), table(rng, ("integer", "double"), 50)
    kept = a.accepted(lambda row: lt(row[0], 3)).taken([1, 0, 5, 5])
    whole = join.run(kept.rows(), b.rows(), lambda row: row[1], lambda row: row[0], 3)
    assert join.tabular(kept, b, lambda row: row[1], lambda row: row[0], 3).rows() == whole
    shifted: Callable[[Any], Any] = lambda row: add(row[1], 1) if isinstance(row, tuple) else row  # noqa: E731
    found = join.tabular(a, b, shifted, lambda row: row[0], 3).rows()
    assert found == join.run(a.rows(), b.rows(), lambda row: row[1] + 1, lambda row: row[0], 3)


def test_integers_of_any_size_and_single_values() -> None:
    rng = Random(4)
    held = [
        Stored("integer", np.array([rng.choice(HUGE) for _ in range(60)], object)) for _ in range(2)
    ]
    a, b = (Table((each,), each.node(0), value=Exact) for each in held)
    agrees(a, b, lambda x: x, lambda y: y, 2)


def test_what_has_no_columns_is_left_to_the_reference() -> None:
    rng = Random(5)
    a = table(rng, ("integer",), 5)
    vectors = Stored("double", np.zeros((3, 2)))
    for other, key in (
        ([(1,)], last), (Table((vectors,), vectors.node(0)), last), (a, lambda row: row),
        (a, lambda row: hash(row[0])),
    ):  # fmt: skip
        with pytest.raises(Untraceable):
            join.tabular(a, other, last, key, 1)


@pytest.mark.parametrize(("most", "its"), [(1, 1), (2, 2), (3, 3), (3, 1), (1, 2)])
def test_one_row_changes_as_many_pairs_as_is_charged(most: int, its: int) -> None:
    """A row added to the first table in columns moves at most 2m pairs; the worst are met."""
    rng, worst = Random(6), 0
    base = stored(0, "integer"), stored(1, "integer")
    for _ in range(depth(150, 300)):
        rows = [(rng.randrange(9), rng.randrange(3)) for _ in range(rng.randrange(12))]
        more = [*rows, (rng.randrange(9), rng.randrange(3))]
        rng.shuffle(more)
        other = [(rng.randrange(9), rng.randrange(3)) for _ in range(12)]
        found = []
        for some in (rows, more):
            a, b = (
                Table(tuple(Stored("integer", np.array(x, np.int64)) for x in columns(each)), base)
                for each in (some, other)
            )
            found.append(Counter(join.tabular(a, b, last, last, most, its).rows()))
        left, right = found
        worst = max(worst, (left - right).total() + (right - left).total())
    assert worst == 2 * its


def columns(rows: list[tuple[int, int]]) -> list[list[int]]:
    return [[row[0] for row in rows], [row[1] for row in rows]]


@dataclass
class Visit:
    patient: int
    pay: float


@dataclass
class Patient:
    number: int
    town: str


@dp.transformation
def paid_in_town(visits: dp.Records[Visit], patients: dp.Records[Patient]):
    pairs = dp.join(visits, patients, lambda v: v.patient, lambda p: p.number, multiplicity=2)
    return dp.sum([dp.clamp(pair.pay, 0, 10) for pair in pairs if pair.town == "a"])


@dp.transformation
def paid_by_position(visits: dp.Records[Visit], patients: dp.Records[Patient]):
    pairs = dp.join(visits, patients, lambda v: v.patient, lambda p: p.number, multiplicity=2)
    return dp.sum([dp.clamp(pay, 0, 10) for _, pay, _, town in pairs if town == "a"])


def test_a_program_that_joins() -> None:
    visits = [Visit(k % 5, float(k)) for k in range(20)]
    patients = [Patient(k, "ab"[k % 2]) for k in range(4)]
    # Of each patient two visits, whatever they pay.
    kept = [sorted([(k, k + 5 * i) for i in range(4)], key=row_key)[:2] for k in (0, 2)]
    expected = sum(Fraction(min(pay, 10)) for rows in kept for _, pay in rows)
    assert expected == 32
    for program in (paid_in_town, paid_by_position):
        assert program(visits, patients) == expected
        with evaluated_by("reference"):
            assert program(visits, patients) == expected
        assert program(visits[::-1], patients) == expected
        assert not program.guarantee.data.by_row


class Person(TypedDict):
    number: int
    town: str


@dp.transformation
def met_in_town(a: dp.Records[Person], b: dp.Records[Person]):
    pairs = dp.join(a, b, lambda p: p["number"], lambda p: p["number"], multiplicity=2)
    return dp.count([pair for pair in pairs if pair["town_a"] == pair["town_b"]])


@dp.transformation
def three_tables(a: dp.Records[Visit], b: dp.Records[Patient], c: dp.Records[Patient]):
    pairs = dp.join(a, b, lambda v: v.patient, lambda p: p.number, multiplicity=2)
    more = dp.join(pairs, c, lambda pair: pair.number, lambda p: p.number, multiplicity=2)
    return dp.count([row for row in more if row.pay > 3 and row.town_a == row.town_b])


def test_names_of_dictionaries_and_of_three_tables() -> None:
    people: list[Person] = [{"number": k % 4, "town": "ab"[k % 2]} for k in range(6)]
    assert met_in_town(people, people) == 2 * 4 + 2 == 10
    visits, patients = [Visit(k, 4.0) for k in range(4)], [Patient(k, "a") for k in range(3)]
    assert three_tables(visits, patients, patients) == 3
    for empty in ((visits, [], patients), ([], patients, patients), (visits, patients, [])):
        assert three_tables(*empty) == 0


def test_what_is_kept_has_nothing_to_do_with_what_the_rows_say() -> None:
    """The mean of kept rows is that of all, within 6 standard errors; no place of a row is
    rare.  Nothing is seeded: all of it fails by chance once in 10**8 runs."""
    rows = [(key, pay) for key in range(2000) for pay in range(10)]
    kept = join.run(rows, rows, lambda r: r[0], lambda r: r[0], 1)
    assert len(kept) == 2000
    assert all(row[:2] == row[2:] for row in kept)  # of one table the same row on both sides
    assert abs(sum(row[1] for row in kept) / 2000 - 4.5) < 6 * (8.25 / 2000) ** 0.5
    places = Counter(row[1] for row in kept)
    assert min(places.values()) > 115 and max(places.values()) < 295
