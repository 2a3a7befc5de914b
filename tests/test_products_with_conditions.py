"""Sums of products with a condition: a row, whatever it holds, moves those of one region alone."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

import metricdp as dp


@dataclass
class Visit:
    city: str
    hours: float


@dp.transformation
def gated(rows: dp.Records[Visit]):  # type: ignore[no-untyped-def]
    # What `hours` makes here may overflow, or be no number.
    return (
        dp.sum([min(max(r.hours * 10 - r.hours * 9, -1), 1) * (r.city == "a") for r in rows]),
        dp.sum([(r.city == "b") * min(max(r.hours * r.hours * r.hours, -1), 1) for r in rows]),
        dp.sum([(1 if r.city == "c" else 0) * min(max(r.hours, -1), 1) for r in rows]),
    )


@pytest.mark.parametrize("hours", [0.5, -0.0, 1e308, -1e308, float("nan"), float("inf"), 1e-320])
def test_a_row_moves_one_of_them(hours: float) -> None:
    assert str(gated.guarantee.data.inputs[0].stability) == "d_in"
    some = [Visit("a", 0.25), Visit("b", -3.0)]
    before = gated(some)
    for city in ("a", "b", "c", "d"):
        after = gated([*some, Visit(city, hours)])
        moved = [abs(x - y) for x, y in zip(before, after, strict=True)]
        assert sum(moved) <= 1 and sum(each > 0 for each in moved) <= (city != "d")
