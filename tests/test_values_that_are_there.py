"""Guards of values that may be missing: what a run computes is what Python does."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from beside_python import both

PROGRAM = """
from dataclasses import dataclass
from datetime import date


@dataclass
class Row:
    age: int | None
    pay: float | None
    city: str | None
    day: date | None
    ok: bool | None
    n: int


def band(age):
    if age is None:
        return 0
    return age // 2


def known(r):
    age = r.age
    if age is None:
        age = 5
    return age


@dp.transformation
def filters(rows: dp.Records[Row]):
    kept = [r for r in rows if r.pay is not None]
    ages = [r.age for r in rows]
    return (
        sum([dp.clamp(r.pay, 0, 9) for r in kept]),
        sum([dp.clamp(r.age, -9, 9) for r in rows if r.age is not None]),
        sum(dp.clamp(r.age + r.n, -9, 9) for r in rows if not (r.age is None or r.pay is None)),
        sum([dp.clamp(a, -9, 9) for a in ages if a != None]),
        sum([1 for r in rows if r.age is not None and r.age >= 2]),
        sum([1 for r in rows if r.age is None or r.age < 2]),
        sum([1 for r in rows if r.city is not None and r.city.upper() == "OSLO"]),
        sum([1 for r in rows if r.day is not None and r.day.year == 2024]),
        sum([1 for r in rows if r.day is not None if r.day > date(2000, 1, 1)]),
        sum([1 for r in rows if r.ok is not None and not r.ok]),
        sum([1 for r in kept if r.pay is None]),
    )


@dp.transformation
def branches(rows: dp.Records[Row]):
    return (
        sum([dp.clamp(band(r.age), -9, 9) for r in rows]),
        sum([dp.clamp(known(r), -9, 9) for r in rows]),
        sum([dp.clamp(r.age if r.age is not None else r.n, -9, 9) for r in rows]),
        sum([dp.clamp(0.5 if r.pay is None else r.pay, -9, 9) for r in rows]),
        sum([dp.clamp(dp.fill_missing(r.age, 3), -9, 9) for r in rows]),
        sum([dp.clamp(dp.fill_missing(r.pay, 3), -9, 9) for r in rows]),
        sum([1 for r in rows if dp.fill_missing(r.city, "Rome") == "Rome"]),
        sum([1 for r in rows if dp.fill_missing(r.ok, True)]),
        sum([1 for r in rows if dp.fill_missing(r.day, date(2001, 1, 1)).year > 2000]),
        sum([1 if r.day is not None and r.day.month == 2 else 0 for r in rows]),
    )


@dp.transformation
def loops(rows: dp.Records[Row]):
    total = count = months = 0
    some = 0.0
    for r in rows:
        if r.age is not None:
            total += dp.clamp(r.age, -9, 9)
            if r.pay is not None and r.pay > r.age:
                count += 1
        elif r.pay is not None:
            some += dp.clamp(r.pay, 0, 3)
        day = r.day
        if day is not None:
            months += day.month
    return total, count, some, months


@dp.transformation
def skipped(rows: dp.Records[Row]):
    total = 0.0
    for r in rows:
        if r.pay is None:
            continue
        total += dp.clamp(r.pay, 0, 9)
    return total
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """The program as it is checked, and as plain Python."""
    return both(tmp_path_factory.mktemp("there"), PROGRAM)


def _rows(module: Any) -> list[Any]:
    from datetime import date

    days = (None, date(2024, 2, 29), date(1999, 2, 1))
    cells = product((None, 0, 3, -7), (None, 0.25, -3.0, 8.5), (None, "Oslo"), days,
                    (None, False, True), (2,))  # fmt: skip
    return [module.Row(*each) for each in cells]


@pytest.mark.parametrize("name", ["filters", "branches", "loops", "skipped"])
def test_a_run_is_what_python_computes(programs: tuple[Any, Any], name: str) -> None:
    checked, plain = programs
    every = _rows(checked)
    for rows in (every, every[::7], every[:1] * 3, []):
        found, wanted = getattr(checked, name)(rows), getattr(plain, name)(rows)
        assert found == wanted
    if name != "skipped":
        assert not getattr(checked, name).guarantee.data.by_row


def test_the_same_in_columns_and_row_by_row(programs: tuple[Any, Any]) -> None:
    checked, _ = programs
    rows = _rows(checked)
    names = ("age", "pay", "city", "day", "ok", "n")
    cells = {name: [getattr(row, name) for row in rows] for name in names}
    for name in ("filters", "branches", "loops"):
        assert getattr(checked, name)(rows) == getattr(checked, name)(cells)
