"""Data frames that do not fit: a typed error that names the column, never a value, with an edit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import numpy as np
import pytest

import metricdp as dp
from metricdp.errors import SchemaError

pandas = pytest.importorskip("pandas")


@dataclass
class Visit:
    age: int
    pay: float
    name: str
    day: date
    when: datetime
    ok: bool


@dp.transformation
def visits(rows: dp.Records[Visit]):
    return dp.count([r for r in rows if r.age >= 18 and r.pay > 0 and r.ok and r.name != "b"])


@dp.transformation
def total(x: dp.Records[float]):
    return dp.sum(dp.clamp(x, 0, 10))


def frame(**columns: Any) -> Any:
    times = pandas.to_datetime(["2001-01-01"] * 3)
    base = {
        "age": [20, 30, 40], "pay": [1.5, 2.5, 77777.5], "name": ["a", "SECRET", "c"],
        "day": times.date, "when": times, "ok": [True, False, True],
    }  # fmt: skip
    return pandas.DataFrame({**base, **columns})


def zoned() -> Any:
    return pandas.to_datetime(["2001-01-01"] * 3).tz_localize("Europe/Berlin")


REFUSED: dict[str, tuple[Callable[[], Any], str, str]] = {
    "a column left out": (lambda: frame().drop(columns="pay"), "rows: no column pay", "age, pay"),
    "a column in the index": (
        lambda: frame().set_index("age"), "rows: age is the index and no column",
        "pass rows.reset_index()",
    ),
    "one of two indices": (
        lambda: frame().set_index(["name", "age"]), "rows: age is the index", "reset_index()"
    ),
    "columns on two levels": (
        lambda: frame().set_axis(pandas.MultiIndex.from_product([["a"], frame().columns]), axis=1),
        "rows: no column age", "name the columns",
    ),
    "two columns of one name": (
        lambda: pandas.concat([frame(), frame()[["pay"]]], axis=1),
        "rows.pay: two columns of one name", "name each differently",
    ),
    "texts for integers": (
        lambda: frame(age=["20", "30", "SECRET"]), "rows.age: texts where int is needed",
        'pass pandas.to_numeric(rows["age"])',
    ),
    "floats for integers": (
        lambda: frame(age=[20.0, np.nan, 77777.5]), "rows.age: dtype float64 where int",
        'declare it as float, or pass rows["age"].round().astype(int)',
    ),
    "objects for integers": (
        lambda: frame(age=pandas.Series([20, "SECRET", 40], dtype=object)),
        "rows.age: dtype object", 'rows["age"].astype(int)',
    ),
    "nullable integers": (
        lambda: frame(age=pandas.array([20, None, 77777], dtype="Int64")),
        "rows.age: a missing value", "before the call",
    ),
    "complex numbers": (lambda: frame(pay=[1j, 2, 77777]), "rows.pay: dtype complex128", "numbers"),
    "missing texts": (
        lambda: frame(name=pandas.array(["a", None, "SECRET"], dtype="string")),
        "rows.name: a missing value", "before the call",
    ),
    "categories of integers for texts": (
        lambda: frame(name=pandas.Categorical([1, 2, 77777])), "rows.name: dtype int64 where str",
        'rows["name"].astype(str)',
    ),
    "bytes for texts": (
        lambda: frame(name=[b"a", b"SECRET", b"c"]), "rows.name: a bytes where str", "x.decode()"
    ),
    "texts for dates": (
        lambda: frame(day=["2001-01-01", "SECRET", "x"]), "rows.day: texts where date",
        "pandas.to_datetime",
    ),
    "a time zone": (
        lambda: frame(when=zoned()), "rows.when: a column of datetime64", "dp.Zone("
    ),
    "periods": (
        lambda: frame(when=frame().when.dt.to_period("D")), "rows.when: a column of period", ""
    ),
    # astype(bool) would make True of "no".
    "texts for truth values": (
        lambda: frame(ok=["yes", "no", "SECRET"]), "rows.ok: texts where bool",
        'pass rows["ok"] == "yes"',
    ),
    "numbers for truth values": (
        lambda: frame(ok=[1, 0, 77777]), "rows.ok: dtype int64 where bool", 'rows["ok"] != 0'
    ),
    "single records one by one": (
        lambda: iter(frame().to_dict("records")), "of single records where chunks", "pass a list"
    ),
    "columns of unequal length": (
        lambda: {**frame().to_dict("list"), "age": [1]}, "rows: columns of unequal length", "same"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_frame_that_does_not_fit(name: str) -> None:
    make, fact, remedy = REFUSED[name]
    data = make()
    with pytest.raises(SchemaError) as found:
        visits(data)
    text = str(found.value)
    assert fact in text and remedy in found.value.remedy
    assert found.value.remedy, "what to write instead"
    assert "SECRET" not in text and "77777" not in text


@pytest.mark.parametrize(
    "columns",
    [
        {}, {"extra": [1, 2, 3]}, {"age": pandas.array([20, 30, 40], dtype="Int64")},
        {"age": np.array([20, 30, 40], np.uint8)}, {"age": pandas.Categorical([20, 30, 40])},
        {"pay": np.array([1, 2, 3], np.float32)}, {"pay": [1, 2, 3]},
        {"name": pandas.Categorical(["a", "x", "a"])}, {"day": pandas.to_datetime(["2001"] * 3)},
        {"name": pandas.array(["a", "x", "c"], dtype="string")},
    ],
)  # fmt: skip
def test_other_dtypes_of_the_same_values(columns: dict[str, Any]) -> None:
    data = frame(**columns)
    assert visits(data) == 2
    assert visits(data.set_index(pandas.Index(["x", "y", "z"]))) == 2  # an index that is no column


def test_a_frame_where_one_column_is_needed() -> None:
    for data in (frame()[["pay"]], np.ones((2, 2))):
        with pytest.raises(SchemaError, match=r'pass one column: x\["name"\]'):
            total(data)


@pytest.mark.parametrize(
    "make", [lambda: iter([[1.0, 2.0]]), lambda: map(list, [[1.0, 2.0]]),
             lambda: (chunk for chunk in [[1.0, 2.0]])],
)  # fmt: skip
def test_an_iterator_gives_its_data_once(make: Callable[[], Any]) -> None:
    """Also one that ended in an error: what is left of it is another table."""
    data = make()
    assert total(data) == 3
    for _ in range(2):
        with pytest.raises(SchemaError, match="read before: it gives its data once"):
            total(data)
    failing = map(float, ["1", "2"])
    with pytest.raises(SchemaError, match="a chunk of rows is needed"):
        total(failing)
    with pytest.raises(SchemaError, match="read before"):
        total(failing)
