"""Joins of tables in columns are those of the reference function, row by row and in its order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from column_graphs import HUGE, evaluated_by
from test_columns_keys import cells, column

import metricdp as dp
from metricdp.columns.language import Untraceable, add, lt, stored
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.primitives.records import join
from metricdp.values import Exact

BASES = ("text", "boolean", "integer", "double")


def table(rng: Random, bases: tuple[str, ...], count: int) -> Table:
    held = tuple(column(base, cells(base, rng, count)) for base in bases)
    return Table(held, tuple(each.node(at) for at, each in enumerate(held)), value=Exact)


def last(row: Any) -> Any:
    return row[-1]


def agrees(a: Table, b: Table, key_a: Any, key_b: Any, most: int) -> None:
    expected = join.run(a.rows(), b.rows(), key_a, key_b, most)
    for evaluator in ("arrays", "reference"):
        with evaluated_by(evaluator, 7):
            found = join.tabular(fresh(a), fresh(b), key_a, key_b, most)
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


@pytest.mark.parametrize("most", [1, 2, 3])
def test_one_row_changes_as_many_pairs_as_is_charged(most: int) -> None:
    """A row added to a table in columns moves at most 2k pairs; the worst of them are met."""
    rng, worst = Random(6), 0
    base = stored(0, "integer"), stored(1, "integer")
    for _ in range(300):
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
            found.append(Counter(join.tabular(a, b, last, last, most).rows()))
        left, right = found
        worst = max(worst, (left - right).total() + (right - left).total())
    assert worst == 2 * most


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
    return dp.sum([dp.clamp(pair[1], 0, 10) for pair in pairs if pair[3] == "a"])


def test_a_program_that_joins() -> None:
    visits = [Visit(k % 5, float(k)) for k in range(20)]
    patients = [Patient(k, "ab"[k % 2]) for k in range(4)]
    # Of each patient the two visits of least pay: k and k + 5.
    expected = sum(Fraction(min(pay, 10)) for k in (0, 2) for pay in (k, k + 5))
    assert paid_in_town(visits, patients) == expected
    with evaluated_by("reference"):
        assert paid_in_town(visits, patients) == expected
    assert not paid_in_town.guarantee.data.by_row
