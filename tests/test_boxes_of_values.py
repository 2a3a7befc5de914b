"""Black boxes of single values of rows are asked once for the different ones, in columns."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

import numpy as np
import pytest
from column_graphs import evaluated_by

import metricdp as dp
from metricdp import Bool, Int, Real
from metricdp.checked.boxes import Boxes


class Visit(TypedDict):
    town: str
    days: float
    age: int
    paid: bool


@dp.black_box(returns=Bool)
def in_the_north(town):
    return town.strip().lower().startswith("n")


@dp.black_box(returns=Annotated[Int, dp.Bounds(0, 12)])
def month(day):
    return int(day[5:7])


@dp.black_box(returns=Annotated[Real, dp.Bounds(-1, 2)])
def score(days, age, factor, paid):
    return days / factor + (age if paid else -age)


@dp.black_box(returns=Bool)
def odd_row(row):
    return len(row["town"]) % 2 == 1 or row["paid"]


@dp.black_box(returns=Bool)
def missing(x):
    return x is None


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[list[Any]]:
    """The arguments of every call of a box."""
    found: list[list[Any]] = []
    plain = Boxes.call

    def call(self: Boxes, key: str, args: list[Any], keywords: dict[str, Any]) -> Any:
        found.append(args)
        return plain(self, key, args, keywords)

    monkeypatch.setattr(Boxes, "call", call)
    return found


@dp.transformation
def northern(rows: dp.Records[Visit]):
    return dp.count([row for row in rows if in_the_north(row["town"])])


@dp.transformation
def months(rows: dp.Records[str]):
    total = 0
    for day in rows:
        total += month(day)
    return total


@dp.transformation
def scores(rows: dp.Records[Visit], factor: int):
    found = [score(row["days"], row["age"], factor, row["paid"]) for row in rows]
    return dp.sum(dp.clamp(found, -1, 2))


@dp.transformation
def odd(rows: dp.Records[Visit]):
    return dp.count(dp.filter(lambda row: odd_row(row), rows))


@dp.transformation
def twice(rows: dp.Records[Visit]):
    found = [odd_row(row) for row in rows]
    total = 0
    for test in found:
        total += 1 if test else 0
    return total + dp.count([test for test in found if test])


@dp.transformation
def gaps(rows: dp.Records[float | None]):
    return dp.count([x for x in rows if missing(x)])


TOWNS = ("north", " North", "south", "", "Nowhere ", "a")


def visits(count: int) -> list[Visit]:
    rng = np.random.default_rng(count)
    return [
        Visit(
            town=TOWNS[rng.integers(len(TOWNS))],
            days=float(rng.choice([0.0, -0.0, 0.5, 3.0, np.nan, 1e300])),
            age=int(rng.integers(0, 3)),
            paid=bool(rng.integers(2)),
        )
        for _ in range(count)
    ]


@pytest.mark.parametrize("count", [0, 1, 7, 300])
def test_boxes_of_values_give_what_one_row_gives(count: int) -> None:
    rows = visits(count)
    days = [f"2024-{1 + i % 14:02}-03" if i % 5 else "no day" for i in range(count)]
    some = [None if i % 3 == 0 else float(i % 2) for i in range(count)]
    expected = {
        "northern": sum(row["town"].strip().lower().startswith("n") for row in rows),
        "months": sum(min(int(day[5:7]), 12) if day != "no day" else 0 for day in days),
        "odd": sum(len(row["town"]) % 2 == 1 or row["paid"] for row in rows),
        "gaps": some.count(None),
    }
    found = {}
    for evaluator in ("arrays", "reference"):
        with evaluated_by(evaluator, 37):
            assert northern(rows) == expected["northern"] and odd(rows) == expected["odd"]
            assert twice(rows) == 2 * expected["odd"]
            assert months(days) == expected["months"] and gaps(some) == expected["gaps"]
            found[evaluator] = scores(rows, 2)
    assert found["arrays"] == found["reference"] == sum(one(row) for row in rows)


def one(row: Visit) -> float:
    days = 0.0 if row["days"] != row["days"] else row["days"]
    return min(max(days / 2 + (row["age"] if row["paid"] else -row["age"]), -1), 2)


def test_a_box_is_asked_once_for_the_different_values(calls: list[list[Any]]) -> None:
    rows = visits(1000)
    for function, given, most in (
        (northern, (rows,), len(TOWNS)), (scores, (rows, 2), 5 * 3 * 2), (odd, (rows,), 6 * 5 * 6),
        (months, ([row["town"] for row in rows],), len(TOWNS)),
        (gaps, ([None, 1.0, None, 0.0, -0.0] * 100,), 3), (twice, (rows,), 6 * 5 * 6),
    ):  # fmt: skip
        calls.clear()
        with evaluated_by("arrays", 37):
            function(*given)
        assert 0 < len(calls) <= most and len(set(map(str, calls))) == len(calls), function


def test_a_box_sees_what_it_sees_of_one_row(calls: list[list[Any]]) -> None:
    scores([Visit(town="a", days=3.0, age=1, paid=True)], 2)
    (seen,) = calls
    assert seen == [3, 1, 2, True] and [type(x) for x in seen] == [int, int, int, bool]
    calls.clear()
    odd([Visit(town="a", days=0.5, age=1, paid=False)])
    assert calls == [[{"town": "a", "days": 0.5, "age": 1, "paid": False}]]
    calls.clear()
    gaps([None])
    assert calls == [[None]]
