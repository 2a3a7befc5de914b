"""Releases of classes: every field has the interval that it would have alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import metricdp as dp
from metricdp.run.emit import Seeded, handling

CITIES = ("a", "b")


@dataclass
class Row:
    pay: float
    city: str


@dataclass
class Report:
    rows: float
    city: dict
    twice: float
    title: str


class Pair(NamedTuple):
    here: float
    both: list


@dp.measurement
def report(rows: dp.Records[Row], eps: float):
    rows_seen = dp.laplace(len(rows), epsilon=eps)
    by = {c: dp.laplace(sum(1 for r in rows if r.city == c), epsilon=eps) for c in CITIES}
    return Report(rows_seen, by, 2 * rows_seen, "monthly")


@dp.measurement
def pair(rows: dp.Records[Row], eps: float):
    n = dp.laplace(len(rows), epsilon=eps)
    return Pair(n, [n, dp.laplace(sum(1 for r in rows if r.city == "a"), epsilon=eps / 2)])


@dp.measurement
def several(rows: dp.Records[Row], eps: float):
    made = report(rows, eps)
    return made, {"first": Pair(made.rows, [1])}


ROWS = [Row(i % 9, CITIES[i % 2]) for i in range(40)]


def test_fields_of_a_class_have_intervals() -> None:
    with handling(Seeded(3)):
        found = report(ROWS, eps=1)
    around = found.interval()
    assert around["title"] is None and set(around["city"]) == set(CITIES)
    low, high = around["rows"]
    assert low < 40 < high and abs((high - low) / 2 - 2.9957) < 1e-3
    assert abs(sum(around["twice"]) - 4 * found.value.rows) < 1e-6
    assert all(low < 20 < high for low, high in around["city"].values())
    lines = str(found).splitlines()
    assert [line.strip().partition("=")[0] for line in lines[1:]] == [
        "rows", "city", "twice", "title",
    ]  # fmt: skip
    assert [line.count("±") for line in lines[1:]] == [1, 2, 0, 0]


def test_a_named_tuple_is_one_output_with_fields() -> None:
    with handling(Seeded(3)):
        found = pair(ROWS, eps=1)
    around = found.interval()
    assert set(around) == {"here", "both"} and around["both"][0] == around["here"]
    wide = around["both"][1]
    assert abs((wide[1] - wide[0]) / 2 - 2 * 2.9957) < 2e-3
    assert str(found).count("±") == 3 and len(list(found.parts())) == 3
    assert found.value.here == found.value.both[0]


def test_classes_inside_of_tuples_and_dictionaries() -> None:
    with handling(Seeded(3)):
        found = several(ROWS, eps=1)
    first, second = found.interval()
    assert first["rows"] == second["first"]["here"]
    assert "Pair(here=" in str(found)
