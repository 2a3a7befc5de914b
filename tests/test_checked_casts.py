"""Casts of messy texts run as they were checked, whether the type is an object or its name."""

from __future__ import annotations

from typing import Any

import pytest

import metricdp as dp
from metricdp import Records
from metricdp.primitives.records import cast, cast_default

MESSY = ["1", "2.5", "abc", "", "nan", "inf", "1e400", "1_000", " 7 ", "-3", "0x10"]


@dp.transformation
def floats(x: Records[str]):
    return dp.sum(dp.clamp(dp.cast_default(x, float), -10, 10))


@dp.transformation
def whole(x: Records[str]):
    return dp.sum(dp.clamp(dp.cast_default(x, int), -10, 10))


@dp.transformation
def kept(x: Records[str]):
    return dp.sum(dp.clamp(dp.drop_null(dp.cast(x, float)), -10, 10))


def test_messy_texts_are_numbers_or_the_default() -> None:
    assert floats(MESSY) == 1 + 2.5 - 3
    assert whole(MESSY) == 1 - 3
    assert kept(MESSY) == 1 + 2.5 - 3


@pytest.mark.parametrize("transformation", [floats, whole, kept])
def test_a_row_more_moves_the_result_by_at_most_the_bound(transformation: Any) -> None:
    bound = transformation.map(1)
    total = transformation(MESSY)
    for row in [*MESSY, "10", "-10", "99", "x" * 1000]:
        assert abs(transformation([*MESSY, row]) - total) <= bound


@pytest.mark.parametrize("kind", [float, int, bool, str])
def test_a_type_and_its_name_are_one_cast(kind: type) -> None:
    for rows in (MESSY, [1, 0, -5], [True, False], [0.5, 1e300]):
        named = kind.__name__
        assert cast.run(rows, kind) == cast.run(rows, named)
        assert cast_default.run(rows, kind) == cast_default.run(rows, named)
