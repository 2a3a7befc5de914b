"""Fields that hold several values: a run computes as Python does, from every kind of data."""

from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Annotated, Any, NamedTuple, TypedDict

import duckdb
import numpy as np
import pandas as pd
import pytest
from beside_python import both

import metricdp as dp
from metricdp.errors import SchemaError
from metricdp.run.guards import admit
from metricdp.spaces import Records

PROGRAM = """
from dataclasses import dataclass
from typing import Annotated


@dataclass
class Row:
    x: Annotated[list[float], dp.Size(3)]
    said: tuple[bool, str]
    y: float


def first_two(r):
    return r.x[:2]


@dp.transformation
def by_position(rows: dp.Records[Row]):
    return [sum(dp.clamp(r.x[j], 0, 1) for r in rows) for j in range(3)]


@dp.transformation
def of_all(rows: dp.Records[Row]):
    total = 0.0
    for r in rows:
        a, b, c = r.x
        if r.said[0] and r.said[1] != "b":
            total += dp.clamp(a * b + max(b, c) + len(r.x), -2, 5)
        elif r.x == (1.0, 2.0, 3.0):
            total += 1.0
    return total


@dp.transformation
def tables(rows: dp.Records[Row]):
    kept = [r for r in rows if r.x[2] < 1]
    pairs = [first_two(r) for r in kept]
    return sum(dp.clamp(v + w, 0, 3) for v, w in pairs)


@dp.transformation
def weights(rows: dp.Records[Row], w: tuple[float, ...]):
    total = 0.0
    for r in rows:
        score = 0.0
        for j in range(3):
            score += w[j] * r.x[j]
        total += dp.clamp(score, -1, 1)
    return total
"""
ROWS = [
    SimpleNamespace(x=tuple(x), said=said, y=0.5)
    for x, said in zip(
        [
            (1.0, 2.0, 3.0),
            (-0.0, 0.5, 0.25),
            (1e300, -1e300, 0.0),
            (0.5, 0.5, -4.0),
            (1.0, 2.0, 3.0),
        ],
        [(True, "b"), (True, "a"), (False, "é"), (False, ""), (True, "a")],
        strict=True,
    )
]


def _forms(rows: list[Any]) -> list[Any]:
    named = {name: [getattr(row, name) for row in rows] for name in ("x", "said", "y")}
    return [
        rows,
        [{"x": np.array(row.x), "said": list(row.said), "y": row.y} for row in rows],
        named | {"x": np.array(named["x"])},
        pd.DataFrame(named),
    ]


def test_as_plain_python(tmp_path: Path) -> None:
    checked, plain = both(tmp_path, PROGRAM)
    for data in _forms(ROWS):
        for name in ("by_position", "of_all", "tables"):
            found, right = getattr(checked, name)(data), getattr(plain, name)(ROWS)
            assert np.array(found, float).tolist() == np.array(right, float).tolist()
        w = (0.5, -1.0, 0.25)
        assert float(checked.weights(data, w=w)) == plain.weights(ROWS, w)


class Point(NamedTuple):
    at: Annotated[list[float], dp.Bounds(0, 2), dp.Size(2)]
    n: int


class Item(TypedDict):
    at: tuple[float, int]


def test_bounds_hold_of_every_value() -> None:
    rows = admit("x", Records[Point], [Point([5.0, float("nan")], 1), Point([-1.0, 0.5], 2)])
    assert [tuple(map(float, row.at)) for row in rows] == [(2.0, 0.0), (0.0, 0.5)]


@pytest.mark.parametrize(
    "given",
    [
        [Point([1.0], 1)], [Point([1.0, 2.0, 3.0], 1)], [Point(None, 1)], [Point("ab", 1)],
        [Point({1.0, 2.0}, 1)], [Point([1.0, "z"], 1)], [Point([1.0, [2.0]], 1)],
        [Point([1.0, 2.0], 1), Point([1.0], 1)], {"at": np.ones((2, 3)), "n": [1, 2]},
        {"at": np.ones(2), "n": [1, 2]}, {"at": np.ones((3, 2)), "n": [1, 2]},
    ],
)  # fmt: skip
def test_other_shapes_are_refused_by_their_place(given: Any) -> None:
    with pytest.raises(SchemaError, match=r"^x"):
        admit("x", Records[Point], given)


def test_engines_refuse() -> None:
    with pytest.raises(SchemaError, match="several values"):
        admit("x", Records[Point], dp.table(duckdb.sql("SELECT [1.0, 2.0] AS at, 1 AS n")))


@pytest.mark.parametrize("space", [Records[Point], Records[Item]])
def test_what_an_audit_draws_are_rows(space: Any) -> None:
    rng = Random(1)
    for _ in range(60):
        x = space.sample(rng)
        y = space.neighbours(x, 1, rng)
        assert space.contains(x) and space.contains(y) and space.length(x, y).at_most(1)
        assert all(space.contains(z) for z, _ in zip(space.shrink(x), range(5), strict=False))


def test_rows_are_told_apart_by_every_value() -> None:
    key = Records[Item].row.row_key
    assert key({"at": (1.0, 2)}) == key({"at": (1, 2)}) != key({"at": (1.0, 3)})
    assert key({"at": (float("nan"), 2)}) == key({"at": (float("nan"), 2)})
