"""Tuples that functions of rows make: rows with fields, which a run computes as Python does."""

from __future__ import annotations

from datetime import date
from itertools import product
from typing import Any

import pytest
from beside_python import both

PROGRAM = """
from dataclasses import dataclass
from datetime import date


@dataclass
class Row:
    age: int
    pay: float
    city: str
    day: date
    may: int | None


def split(r):
    if r.age > 3:
        return r.pay, 1
    return 0.5, 0


def positive(r):
    return r.pay > 0


def second(r):
    return dp.clamp(r.age, 0, 3)


@dp.transformation
def pairs(rows: dp.Records[Row]):
    of_all = [(r.age, r.pay, r.city) for r in rows]
    made = [split(r) for r in rows]
    kept = [p for p in of_all if p[2] == "a"]
    chosen = [(r.city, dp.clamp(r.age, 0, 5)) if r.pay > 0 else ("none", 7) for r in rows]
    of_kinds = [(r.may, r.day, r.city.upper(), 2, "x") for r in rows]
    again = [(b, a) for a, b in made]
    return (
        sum([dp.clamp(p, -9, 9) for a, p, c in of_all if a >= 2 and c != "a"]),
        sum([dp.clamp(p[1] + p[0], -9, 9) for p in kept]),
        sum([dp.clamp(a, -2, 2) for a, b in made if b == 1]),
        sum([dp.clamp(b, 0, 9) for a, b in made]),
        sum([n for c, n in chosen if c != "b"]),
        sum([dp.clamp(m, -9, 9) * k for m, d, c, k, x in of_kinds
             if m is not None and d.year > 2000 and c + x == "Ax"]),
        sum([dp.clamp(b * 2, -9, 9) for a, b in again]),
        len([q for q in map(split, rows) if q[0] > 0]),
        sum(map(second, filter(positive, rows))),
        len(list(filter(positive, rows))),
        len(kept),
    )


@dp.transformation
def loops(rows: dp.Records[Row]):
    total = some = 0
    for a, c in [(r.age, r.city) for r in rows]:
        if c == "b":
            total += dp.clamp(a, -9, 9)
    for r in rows:
        p, n = split(r)
        if p > 0.5:
            some += n
    return total, some
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """The program as it is checked, and as plain Python."""
    return both(tmp_path_factory.mktemp("tuples"), PROGRAM)


@pytest.mark.parametrize("name", ["pairs", "loops"])
def test_a_run_is_what_python_computes(programs: tuple[Any, Any], name: str) -> None:
    checked, plain = programs
    days = (date(1999, 2, 1), date(2024, 2, 29))
    cells = product((-7, 0, 3, 4), (-3.0, 0.25, 8.5), ("a", "b", ""), days, (None, 2))
    every = [checked.Row(*each) for each in cells]
    for rows in (every, every[::5], every[:1] * 3, []):
        assert getattr(checked, name)(rows) == getattr(plain, name)(rows)
    names = ("age", "pay", "city", "day", "may")
    columns = {each: [getattr(row, each) for row in every] for each in names}
    assert getattr(checked, name)(columns) == getattr(plain, name)(every)
    assert not getattr(checked, name).guarantee.data.by_row
