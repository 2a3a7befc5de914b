"""Fields that may be missing: they enter from every source, and are asked whether they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypedDict

import numpy as np
import pytest

import metricdp as dp
from metricdp.errors import SchemaError
from metricdp.run.guards import admit
from metricdp.spaces import Records
from metricdp.spaces.rows import row_space

NAN = float("nan")


@dataclass
class Form:
    age: int | None
    income: float | None
    city: str | None
    member: bool


class Pair(NamedTuple):
    x: float | None
    y: int


class Items(TypedDict):
    x: float | None
    y: int


@dp.transformation
def missing(forms: dp.Records[Form]):
    return (
        sum(1 for f in forms if f.age is None),
        sum(1 for f in forms if f.income is None and f.member),
        sum(1 for f in forms if f.city is not None or not f.member),
        sum(1 for f in forms if f.member is None),
    )


@dp.transformation
def ages(forms: dp.Records[Form]):
    there = dp.drop_null([f.age for f in forms])
    known = dp.impute([f.income for f in forms], 3)
    return dp.sum(dp.clamp(there, 0, 100)) + dp.sum(dp.clamp(known, 0, 9))


@dp.transformation
def looped(forms: dp.Records[Form]):
    total = 0
    for f in forms:
        if f.age is None:
            total += 1
        elif f.city is not None:
            total += 10
    return total


FORMS = [
    Form(3, 1.5, "a", True), Form(None, NAN, None, True), Form(40, None, "b", False),
    Form(None, 7.25, None, False), Form(200, -3.0, "", True),
]  # fmt: skip


def test_rows_of_python_objects() -> None:
    assert [int(x) for x in missing(FORMS)] == [2, 1, 4, 0]
    assert ages(FORMS) == 3 + 40 + 100 + 1.5 + 3 + 3 + 7.25 + 0
    assert looped(FORMS) == 2 + 30
    assert [int(x) for x in missing([])] == [0, 0, 0, 0]
    for function in (missing, ages, looped):
        assert not function.guarantee.data.by_row


def test_every_source_gives_the_same() -> None:
    pandas = pytest.importorskip("pandas")
    cells = {
        "age": [3, None, 40, None, 200], "income": [1.5, NAN, None, 7.25, -3.0],
        "city": ["a", None, "b", None, ""], "member": [True, True, False, False, True],
    }  # fmt: skip
    frame = pandas.DataFrame(cells)
    nullable = frame.astype({"age": "Int64", "income": "Float64", "city": "string"})
    chunks = [nullable[:2], nullable[2:]]
    masked = dict(
        cells, age=pandas.array(cells["age"], "Int64"), income=np.array(cells["income"], float)
    )
    records = [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]
    for data in (
        nullable,
        cells,
        masked,
        records,
        [tuple(r.values()) for r in records],
        iter(chunks),
    ):
        assert [int(x) for x in missing(data)] == [2, 1, 4, 0]


@pytest.mark.parametrize("name", ["polars", "pyarrow"])
def test_frames_of_other_libraries(name: str) -> None:
    library = pytest.importorskip(name)
    cells = {
        "age": [3, None, 40], "income": [1.5, None, 2.0], "city": ["a", None, None],
        "member": [True, True, False],
    }  # fmt: skip
    frame = library.DataFrame(cells) if name == "polars" else library.table(cells)
    assert [int(x) for x in missing(frame)] == [1, 1, 2, 0]


@pytest.mark.parametrize("kind", [Pair, Items, tuple[float | None, int]])
def test_every_kind_of_row(kind: type) -> None:
    space = Records(row_space(kind))
    table = admit("rows", space, [(1.5, 2), (None, 3), (NAN, 4)])
    assert [space.row.parts(row)[0] for row in table] == [1.5, None, None]
    assert space.contains([space.row.build((None, 1)), space.row.build((2, 1))])
    assert not space.contains([space.row.build((1, None))])


def test_fields_that_are_always_there_may_not_be_missing() -> None:
    with pytest.raises(SchemaError, match="missing value"):
        missing([Form(1, 1.0, "a", None)])  # type: ignore[arg-type]


def test_a_drop_of_missing_values_beside_fields_that_may_be_missing() -> None:
    with pytest.raises(SchemaError, match="drop"):
        admit("rows", Records(row_space(Pair), drop_nan=True), [(1.0, 2)])
