"""Joins by the id and calendar windows on Spark: the rows are those that arrays have."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path
from random import Random
from typing import Any

import pytest
import test_engine_joins as joins

import metricdp as dp
from metricdp.errors import EngineError

VISITS = "person string, ward int, cost double, day date, urgent boolean"
BILLS = "patient string, ward int, cents bigint, paid timestamp_ntz"


def frames(spark: Any, a: list[Any], b: list[Any]) -> tuple[Any, Any]:
    first = spark.createDataFrame([astuple(row) for row in a], VISITS)
    return first, spark.createDataFrame([tuple(row.values()) for row in b], BILLS)


@pytest.mark.parametrize(
    ("program", "size"),
    [(joins.every_way, 0), (joins.every_way, 60), (joins.joins_of_joins, 60),
     (joins.in_months, 60), (joins.beside_public_tables, 60)],
    ids=lambda f: getattr(f, "__name__", f),
)  # fmt: skip
def test_joins_of_frames_are_those_of_arrays(spark: Any, program: Any, size: int) -> None:
    rng = Random(size)
    a, b = joins.visits(rng, size), joins.bills(rng, size // 2)
    assert program(*frames(spark, a, b)) == program(a, b)


def test_frames_that_are_cut_on_both_sides_are_those_of_arrays(spark: Any) -> None:
    a, b = joins.costs(Random(4), 60)
    first = spark.createDataFrame(a, "person string, ward int, cost double, urgent boolean")
    second = spark.createDataFrame(b, "ward int, bed int, price double, name string")
    assert joins.cut_on_both_sides(first, second) == joins.cut_on_both_sides(a, b)


def test_frames_of_two_sessions_are_one_place(spark: Any) -> None:
    rng = Random(3)
    a, b = joins.visits(rng, 20), joins.bills(rng, 20)
    first, second = frames(spark, a, [])[0], frames(spark.newSession(), [], b)[1]
    assert joins.after_a_release(first, second, eps=1).cost == "ε = 2"


def test_what_lies_elsewhere_is_refused_before_anything_is_spent(
    spark: Any, tmp_path: Path
) -> None:
    rng = Random(1)
    a, b = joins.visits(rng, 9), joins.bills(rng, 9)
    first, _ = frames(spark, a, b)
    path = joins.written(joins.duckdb.connect(), "bills", b, tmp_path)
    for other in (b, path):
        data = {"a": (joins.VISITS, first), "b": (joins.BILLS, other)}
        session = dp.Session(data, budget=dp.Budget(epsilon=4))
        with pytest.raises(EngineError, match="rows of two tables, side by side"):
            session.run(joins.after_a_release, eps=1)
        assert session.left() == {"epsilon": 4}
