"""Every way in gives the same table as a plain list of rows; what is refused is refused by name.

pandas is installed with the tests.  Polars and Arrow are tried where they are installed, and their
protocols by small stand-ins everywhere.
"""

from __future__ import annotations

import datetime
import importlib.util
import math
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Annotated, Any, NamedTuple, TypedDict

import numpy as np
import pytest

import metricdp as dp
from metricdp.columns.chunked import Chunked, joined
from metricdp.columns.table import Table
from metricdp.errors import DataValueError, SchemaError, SpaceError
from metricdp.maps import make
from metricdp.run.entering.characters import told_apart
from metricdp.run.guards import admit
from metricdp.run.shared import refuse_shared
from metricdp.spaces import Bounds, Data, LInf, Matrix, NoNaN, Real, Records, Vector, space_of

pandas = pytest.importorskip("pandas")


@dataclass
class Visit:
    pay: float
    age: int
    paid: bool
    town: str


class Stay(TypedDict):
    pay: float
    age: int
    paid: bool
    town: str


class Trip(NamedTuple):
    pay: float
    age: int
    paid: bool
    town: str


NAMES = ("pay", "age", "paid", "town")
FIRST, LAST = -(2**63), 2**63 - 1
LARGEST = sys.float_info.max
#: One column of each kind, as Python holds it.
Columns = dict[str, list[Any]]
EDGES: Columns = {
    "pay": [math.nan, math.inf, -math.inf, -0.0, 5e-324, LARGEST, 0.1, -7.5],
    "age": [FIRST, LAST, 2**53 + 1, -(2**53) - 1, 0, -1, 1, 2**62],
    "paid": [True, False, True, True, False, False, True, False],
    "town": ["", "a", "é", "a b", "A", "a", "\n", "x" * 40],
}


def space(annotation: Any) -> Any:
    return space_of(annotation, "x")


def random_columns(seed: int, rows: int) -> Columns:
    rng = Random(seed)
    return {
        "pay": [rng.choice([rng.gauss(0, 100), 0.5, *EDGES["pay"]]) for _ in range(rows)],
        "age": [rng.choice([rng.randint(-9, 9), *EDGES["age"]]) for _ in range(rows)],
        "paid": [rng.random() < 0.5 for _ in range(rows)],
        "town": [rng.choice([f"town {rng.randint(0, 30)}", *EDGES["town"]]) for _ in range(rows)],
    }


def clean(x: float) -> float:
    """The reference: what a double that enters is."""
    return 0.0 if x != x else min(max(x, -LARGEST), LARGEST) + 0.0


def expected(c: Columns) -> list[tuple[Any, ...]]:
    return list(zip(map(clean, c["pay"]), c["age"], c["paid"], c["town"], strict=True))


# -- ways in ---------------------------------------------------------------------------------------

ARRAYS = {"pay": np.float64, "age": np.int64, "paid": np.bool_, "town": None}


def arrays(c: Columns) -> dict[str, Any]:
    return {name: np.array(cells, ARRAYS[name] or "U40") for name, cells in c.items()}


def structured(c: Columns) -> Any:
    kinds = [("pay", ">f8"), ("age", ">i8"), ("paid", "?"), ("other", "i1"), ("town", "U40")]
    found = np.zeros(len(c["pay"]), kinds)
    for name in NAMES:
        found[name] = c[name]
    return found


def strided(c: Columns) -> dict[str, Any]:
    """Every column at every third place of an array backwards."""
    found = {}
    for name, array in arrays(c).items():
        wide = np.repeat(array, 3)[::-1].copy()
        found[name] = wide[::-1][1::3]
        found[name].flags.writeable = False
    return found


def frame(c: Columns, **kinds: str) -> Any:
    made = pandas.DataFrame({name: pandas.Series(cells, dtype=object) for name, cells in c.items()})
    return made.astype({"pay": "float64", "age": "int64", "paid": "bool", "town": "str", **kinds})


def nullable(c: Columns) -> Any:
    held = arrays(c)
    whole = np.zeros(len(held["age"]), np.bool_)
    return pandas.DataFrame(
        {
            # Made of an array, NaN would be missing.
            "pay": pandas.arrays.FloatingArray(held["pay"], whole),
            "age": pandas.arrays.IntegerArray(held["age"], whole.copy()),
            "paid": pandas.array(held["paid"], dtype="boolean"),
            "town": pandas.array(c["town"], dtype="string"),
        }
    )


def categorical(c: Columns) -> Any:
    made = frame(c)
    made["age"], made["town"] = made["age"].astype("category"), made["town"].astype("category")
    return made


def polars(c: Columns) -> Any:
    library = pytest.importorskip("polars")
    return library.DataFrame(arrays(c) | {"town": library.Series(c["town"], dtype=library.String)})


def polars_categories(c: Columns) -> Any:
    library = pytest.importorskip("polars")
    made = polars(c)
    return made.with_columns(made["town"].cast(library.Categorical))


def polars_chunks(c: Columns) -> Any:
    library = pytest.importorskip("polars")
    half = len(c["pay"]) // 2
    parts = [{n: x[:half] for n, x in c.items()}, {n: x[half:] for n, x in c.items()}]
    return library.concat([polars(part) for part in parts], rechunk=False)


def arrow(c: Columns) -> Any:
    library = pytest.importorskip("pyarrow")
    return library.table(
        {n: library.array(x) for n, x in (arrays(c) | {"town": c["town"]}).items()}
    )


def arrow_batches(c: Columns) -> Any:
    """Chunks of 5 rows; texts are in dictionaries, a different one in each chunk."""
    library = pytest.importorskip("pyarrow")
    whole = arrow(c)
    whole = whole.set_column(3, "town", whole["town"].cast(library.dictionary("int8", "string")))
    return library.Table.from_batches(whole.to_batches(5), whole.schema)


def arrow_frame(c: Columns) -> Any:
    pytest.importorskip("pyarrow")
    return arrow(c).to_pandas(types_mapper=pandas.ArrowDtype)


def in_chunks(of: Callable[[Columns], Any], size: int = 7) -> Callable[[Columns], Iterator[Any]]:
    def chunks(c: Columns) -> Iterator[Any]:
        for start in range(0, len(c["pay"]), size):
            yield of({name: cells[start : start + size] for name, cells in c.items()})

    return chunks


def tuples(c: Columns) -> list[tuple[Any, ...]]:
    return list(zip(*(c[name] for name in NAMES), strict=True))


WAYS: dict[str, Callable[[Columns], Any]] = {
    "tuples": tuples,
    "a tuple of lists": lambda c: tuple(map(list, tuples(c))),
    "dataclasses": lambda c: [Visit(*row) for row in tuples(c)],
    "named tuples": lambda c: [Trip(*row) for row in tuples(c)],
    "dictionaries": lambda c: [dict(zip(NAMES, row, strict=True)) for row in tuples(c)],
    "rows of several kinds": lambda c: [
        Visit(*row) if i % 2 else row for i, row in enumerate(tuples(c))
    ],
    "an array of tuples": lambda c: np.array([*tuples(c), None], object)[:-1],
    "columns in lists": lambda c: dict(c),
    "columns in tuples": lambda c: {name: tuple(cells) for name, cells in c.items()},
    "columns in arrays": arrays,
    "columns of scalars of NumPy": lambda c: {name: list(x) for name, x in arrays(c).items()},
    "columns of objects": lambda c: c | {"town": np.array(c["town"], object)},
    "a structured array": structured,
    "strided, read-only": strided,
    "big-endian": lambda c: {n: x.astype(x.dtype.newbyteorder(">")) for n, x in arrays(c).items()},
    "a data frame": frame,
    "columns of a data frame": lambda c: dict(frame(c)),
    "a data frame with more columns": lambda c: frame(c).assign(other=datetime.date(2020, 1, 1)),
    "a data frame of objects": lambda c: frame(c, town="object"),
    "a data frame with another index": lambda c: frame(c).set_index(frame(c)["age"]),
    "nullable": nullable,
    "categories": categorical,
    "Polars": polars,
    "Polars, categories": polars_categories,
    "Polars, in chunks": polars_chunks,
    "Arrow": arrow,
    "Arrow, in batches with dictionaries": arrow_batches,
    "Arrow in pandas": arrow_frame,
    "chunks of tuples": in_chunks(tuples),
    "chunks of arrays": in_chunks(arrays),
    "chunks of data frames": in_chunks(frame),
    "chunks of categories": in_chunks(categorical, 3),
    "chunks of Arrow": in_chunks(arrow, 4),
}
#: Rows that come one by one: they have no columns.
ROWS = {
    "tuples", "a tuple of lists", "dataclasses", "named tuples", "dictionaries",
    "rows of several kinds", "an array of tuples", "chunks of tuples",
}  # fmt: skip
SAMPLES = {
    "edges": EDGES,
    "none": {name: [] for name in NAMES},
    "one": {name: cells[:1] for name, cells in EDGES.items()},
    "random": random_columns(1, 300),
}


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize("way", WAYS)
def test_every_way_in_gives_the_rows_of_a_list(way: str, sample: str) -> None:
    columns = SAMPLES[sample]
    found = admit("x", space(Records[Visit]), WAYS[way](columns))
    assert type(found) is Table and len(found) == len(columns["pay"])
    assert [tuple(row) for row in found] == expected(columns)
    assert [column.base for column in found.columns] == ["double", "integer", "boolean", "text"]


@pytest.mark.parametrize("way", ["tuples", "columns in arrays", "a data frame", "chunks of arrays"])
def test_rows_longer_than_a_piece(way: str) -> None:
    columns = random_columns(2, 40_000)
    found = admit("x", space(Records[Visit]), WAYS[way](columns))
    assert [tuple(row) for row in found] == expected(columns)
    counted = found.mapped(lambda row: row.paid)
    assert counted.total() == sum(columns["paid"])


@pytest.mark.parametrize("kind", [Stay, Trip, tuple[float, int, bool, str]])
@pytest.mark.parametrize("way", ["tuples", "columns in lists", "a data frame", "categories"])
def test_rows_of_every_kind_of_record(kind: Any, way: str) -> None:
    found = admit("x", space(Records[kind]), WAYS[way](EDGES))
    rows = [tuple(row.values()) if isinstance(row, dict) else tuple(row) for row in found]
    assert rows == expected(EDGES)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("way", [way for way in WAYS if way not in ROWS])
def test_every_column_alone_is_records_of_scalars(name: str, way: str) -> None:
    made = WAYS[way](EDGES)
    kind: Any = {"pay": float, "age": int, "paid": bool, "town": str}[name]
    given = (each[name] for each in made) if hasattr(made, "__next__") else made[name]
    found = admit("x", space(Records[kind]), given)
    wanted = [row[NAMES.index(name)] for row in expected(EDGES)]
    assert list(found) == wanted
    bounded = {float: (-3, 5), int: (-3, 5)}.get(kind)
    if bounded:
        low, high = bounded
        narrow = space(Annotated[Records[kind], Bounds(low, high)])
        made = WAYS[way](EDGES)
        given = (each[name] for each in made) if hasattr(made, "__next__") else made[name]
        assert list(admit("x", narrow, given)) == [min(max(x, low), high) for x in wanted]


@pytest.mark.parametrize(
    "dtype", [*"?bhilqBHILQefdg", ">f4", "<f8", ">f8", ">i2", ">u8", ">i8", ">q"]
)
def test_numbers_of_every_dtype(dtype: str) -> None:
    given = np.array([0, 1, 1, 0, 1]).astype(dtype)
    kinds = [float] if given.dtype.kind == "f" else [float, int]
    for kind in [*kinds, bool] if dtype == "?" else kinds:
        long = np.concatenate([given] * (4000 if dtype in ("?", "q", "d", ">f8") else 100))
        for array in (given, given[::-1][::2], long):
            assert list(admit("x", space(Records[kind]), array)) == array.tolist()


def test_integers_beyond_64_bits_saturate_and_beyond_53_stay_exact() -> None:
    huge = [2**64 - 1, 2**63, 2**63 - 1, 2**53 + 1, 0]
    wanted = [min(x, LAST) for x in huge]
    unsigned = np.array(huge, np.uint64)
    series = pandas.Series(huge, dtype="UInt64")
    mixed = iter([unsigned, np.array([-5, 2**53 + 1]), [True, 2**70, -(2**70)]])
    for given in (huge, unsigned, unsigned.astype(">u8"), series):
        assert list(admit("x", space(Records[int]), given)) == wanted
        assert list(admit("x", space(Annotated[Records[int], Bounds(1, 9)]), given)) == [9] * 4 + [
            1
        ]
        assert admit("x", space(Records[int]), given).total() == sum(wanted)
    found = admit("x", space(Records[int]), mixed)
    assert list(found) == [*wanted, -5, 2**53 + 1, 1, LAST, FIRST]
    whole = pandas.Series([2**53 + 1, None, -(2**60) - 1], dtype="Int64")
    assert list(admit("x", space(Records[int | None]), whole)) == [2**53 + 1, None, -(2**60) - 1]
    assert list(admit("x", space(Records[float]), [10**400, -(10**400)])) == [LARGEST, -LARGEST]
    assert list(admit("x", space(Records[float]), [Fraction(1, 3), 1])) == [1 / 3, 1]


# -- missing values --------------------------------------------------------------------------------

GAPS: dict[Any, list[Any]] = {
    float: [1.5, None, -2.0, None, 0.0],
    int: [2**53 + 1, None, -1, None, 0],
    bool: [True, None, False, None, True],
    str: ["a", None, "", None, "a"],
}
NULLABLE = {float: "Float64", int: "Int64", bool: "boolean", str: "string"}


def _library(name: str, make: Callable[[Any, list[Any], type], Any]) -> Callable[..., Any]:
    return lambda cells, kind: make(pytest.importorskip(name), cells, kind)


GAPPED: dict[str, Callable[[list[Any], type], Any]] = {
    "list": lambda cells, kind: cells,
    "objects": lambda cells, kind: np.array(cells, object),
    "list with NA": lambda cells, kind: [pandas.NA if x is None else x for x in cells],
    "pandas": lambda cells, kind: pandas.Series(cells, dtype=NULLABLE[kind]),
    "pandas objects": lambda cells, kind: pandas.Series(cells, dtype=object),
    "categories": lambda cells, kind: pandas.Series(
        pandas.array(cells, dtype=NULLABLE[kind])
    ).astype("category"),
    "chunks": lambda cells, kind: iter([cells[:2], np.array(cells[2:3]), cells[3:]]),
    "Arrow": _library("pyarrow", lambda pa, cells, kind: pa.array(cells)),
    "Arrow, in chunks": _library(
        "pyarrow", lambda pa, cells, kind: pa.chunked_array([cells[:2], cells[2:]])
    ),
    "Arrow in pandas": _library(
        "pyarrow",
        lambda pa, cells, kind: pandas.Series(pandas.arrays.ArrowExtensionArray(pa.array(cells))),
    ),
    "Polars": _library("polars", lambda pl, cells, kind: pl.Series(cells)),
    "Polars, in chunks": _library(
        "polars",
        lambda pl, cells, kind: pl.concat(
            [pl.Series(cells[:2]), pl.Series(cells[2:])], rechunk=False
        ),
    ),
}


@pytest.mark.parametrize("kind", GAPS)
@pytest.mark.parametrize("way", GAPPED)
def test_missing_values_are_none_where_they_are_declared(way: str, kind: type) -> None:
    cells = GAPS[kind]
    found = admit("x", space(Records[kind | None]), GAPPED[way](cells, kind))
    assert list(found) == cells
    if way != "chunks":  # a chunk without gaps would do
        with pytest.raises(SchemaError, match=r"a missing value|dtype object|of several kinds"):
            admit("x", space(Records[kind]), GAPPED[way](cells, kind))
    dropping = space(Annotated[Records[kind | None], NoNaN(drop=True)])
    rest = [x for x in cells if x is not None]
    assert list(admit("x", dropping, GAPPED[way](cells, kind))) == rest
    whole = GAPPED["pandas"](rest, kind)
    assert list(admit("x", space(Records[kind]), whole)) == rest
    missing = [None] * 3
    if way != "chunks":
        assert list(admit("x", space(Records[kind | None]), GAPPED[way](missing, kind))) == missing


@pytest.mark.parametrize("kind", GAPS)
def test_what_is_masked_is_missing_where_missing_values_are_declared(kind: type) -> None:
    cells, some = GAPS[kind], {str: "?"}.get(kind, 1)
    mask = [x is None for x in cells]
    full = [some if x is None else x for x in cells]
    for held in (
        np.ma.masked_array(np.array(full, kind), mask),
        np.ma.masked_array(np.array(full, object), mask),
        np.ma.masked_array(np.array(full[::-1], kind), mask[::-1])[::-1],
    ):  # fmt: skip
        assert list(admit("x", space(Records[kind | None]), held)) == cells
        dropping = space(Annotated[Records[kind | None], NoNaN(drop=True)])
        assert list(admit("x", dropping, held)) == [x for x in cells if x is not None]
        with pytest.raises(SchemaError, match="a masked array"):
            admit("x", space(Records[kind]), held)
    plain = np.ma.masked_array(np.array(full, kind))
    assert list(admit("x", space(Records[kind | None]), plain)) == full
    with pytest.raises(SchemaError, match="2 dimensions"):
        admit("x", space(Records[kind | None]), np.ma.masked_array(np.array([full]), [mask]))


def test_nan_is_missing_where_missing_values_are_declared_and_a_number_elsewhere() -> None:
    nan = math.nan
    for given in ([1.0, nan, None], pandas.Series([1.0, nan, None]), np.array([1.0, nan, nan])):
        assert list(admit("x", space(Records[float | None]), given)) == [1, None, None]
    assert list(admit("x", space(Records[float]), pandas.Series([1.0, nan]))) == [1, 0]
    rows = space(Annotated[Records[tuple[float, str]], NoNaN(drop=True)])
    for way in (
        [(nan, "a"), (1.0, "b")],
        {"u": np.array([nan, 1.0]), "v": ["a", "b"]},
        pandas.DataFrame({"u": [nan, 1.0], "v": ["a", "b"]}),
        iter([[(nan, "a")], [(1.0, "b")]]),
    ):
        assert list(admit("x", rows, way)) == [(1, "b")]
    with pytest.raises(SchemaError, match="a missing value"):
        nothing = pandas.DataFrame({"u": pandas.array([None], dtype="Float64"), "v": ["a"]})
        admit("x", rows, nothing)


# -- refused by name -------------------------------------------------------------------------------

DAYS = pandas.Series(pandas.to_datetime(["2020-01-01"]))
REFUSED: dict[str, tuple[Any, Any, str, str]] = {
    "dates": (float, DAYS, r"dtype datetime64\[\w+\]", "x.dt.year"),
    "a time zone": (float, DAYS.dt.tz_localize("Europe/Berlin"), "Europe/Berlin", "x.dt.year"),
    "durations": (float, DAYS - DAYS, r"dtype timedelta64\[\w+\]", "total_seconds"),
    "periods": (float, DAYS.dt.to_period("D"), r"period\[D\]", "x.dt.year"),
    "cells that are dates": (float, [datetime.date(2020, 1, 1)], "a date where", "x.dt.year"),
    "cells that are times": (str, [datetime.datetime(2020, 1, 1)], "a datetime", "x.dt.year"),
    "cells of durations": (float, [datetime.timedelta(1)], "a timedelta where", "total_seconds"),
    "decimals": (float, [Decimal("1.5")], "a Decimal where float", "whole units"),
    "fractions for integers": (int, [Fraction(1, 2)], "a Fraction where int", "convert"),
    "objects": (float, pandas.Series([1.0, "a"], dtype=object), "dtype object", "astype"),
    "objects of several kinds": (str, pandas.Series(["a", 1], dtype=object), "an int", "convert"),
    "categories of several kinds": (
        str, pandas.Series(["a", 1], dtype="category"), "categories of several kinds", "pass",
    ),
    "texts for numbers": (float, pandas.Series(["1"]), "texts where float", "to_numeric"),
    "categories for numbers": (
        float, pandas.Series(["1"], dtype="category"), "texts where float", "to_numeric",
    ),
    "numbers for texts": (str, pandas.Series([1], dtype="category"), "dtype int64 where str", ""),
    "doubles for integers": (int, pandas.Series([1.0], dtype="Float64"), "dtype float64", "astype"),
    "a masked array": (float, np.ma.masked_array([1.0], [True]), "a masked array", "fill"),
    "a data frame for a column": (float, pandas.DataFrame({"a": [1.0]}), "2 dimensions", ""),
    "intervals": (float, pandas.Series(pandas.interval_range(0, 1)), "interval", "numbers"),
    "bytes": (str, np.array([b"a"]), "dtype |S1", ""),
    "complex": (float, np.array([1j]), "dtype complex128", ""),
    "unequal columns": (
        tuple[float, int], {"a": [1.0, 2.0], "b": np.array([1])}, "unequal length", "same length",
    ),
    "no such column": (Visit, {"pay": [1.0]}, "no column age", "name the columns"),
    "no column": (Visit, pandas.DataFrame(), "no column pay", "name the columns"),
    "columns of one name": (
        tuple[float, float], pandas.DataFrame([[1.0, 2.0]], columns=["a", "a"]), "two columns", "",
    ),
    "too few columns": (tuple[float, int], np.zeros((3, 1)), "1 columns where 2", ""),
    "three dimensions": (tuple[float, int], np.zeros((3, 2, 1)), "3 dimensions", ""),
    "no dimension": (tuple[float, int], np.array(1.0), "0 dimensions", ""),
    "rows that are no records": (Visit, [1.0], "a float where a record", "give every record"),
    "a row without a field": (Stay, [{"pay": 1.0}], "without a declared field", "give every"),
    "single values one by one": (float, iter([1.0]), "where a sequence is needed", "chunks"),
    "rows one by one": (tuple[float, int], iter([(1.0, 1)]), "a float where a record", ""),
    "chunks of several kinds": (float, iter([[1.0], ["a"]]), "a str where float", "convert"),
    "a set": (float, {1.0}, "a set where a sequence", "pass a list"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("strict", [False, True])
def test_what_is_refused_is_refused_by_name(name: str, strict: bool) -> None:
    kind, data, fact, remedy = REFUSED[name]
    data = iter([[1.0], ["a"]]) if name == "chunks of several kinds" else data
    data = iter([1.0]) if name == "single values one by one" else data
    data = iter([(1.0, 1)]) if name == "rows one by one" else data
    with pytest.raises(SchemaError, match=fact) as caught:
        admit("x", space(Records[kind]), data, strict=strict)
    error = caught.value
    assert error.place.startswith("x") and remedy in error.remedy and error.remedy
    assert error.__cause__ is None and error.__context__ is None


def test_kinds_of_other_libraries_that_no_row_holds() -> None:
    pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    moment = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)
    for cells, fact, remedy in (
        ([moment], "UTC", "x.dt.year"),
        ([moment.date()], "(?i)date", "x.dt.year"),
        ([datetime.timedelta(1)], "(?i)duration", "total_seconds"),
        ([Decimal("1.5")], "(?i)decimal", "whole units"),
        ([[1.0]], "(?i)list", "numbers"),
        ([b"a"], "(?i)binary", "numbers"),
        ([{"a": 1}], "(?i)struct", "numbers"),
    ):
        for given in (pa.array(cells), pl.Series(cells), pa.chunked_array([pa.array(cells)])):
            with pytest.raises(SchemaError, match=fact) as caught:
                admit("x", space(Records[float]), given)
            assert remedy in caught.value.remedy
    with pytest.raises(SchemaError, match="2 dimensions"):
        admit("x", space(Records[float]), pa.table({"a": [1.0]}))


def test_strict_finds_what_is_enforced_otherwise() -> None:
    narrow = space(Annotated[Records[int], Bounds(0, 1)])
    for given in (
        [5], np.array([5], np.int8), pandas.Series([5], dtype="Int64"), iter([[1], [5]]),
        pandas.Series([5], dtype="category"),
    ):  # fmt: skip
        with pytest.raises(DataValueError, match="outside the declared bounds"):
            admit("x", narrow, given, strict=True)
    with pytest.raises(DataValueError, match="beyond 64 bits"):
        admit("x", space(Records[int]), pandas.Series([2**63], dtype="UInt64"), strict=True)
    with pytest.raises(DataValueError, match="NaN"):
        admit("x", space(Records[float]), iter([[1.0], [math.nan]]), strict=True)


# -- no copy, and others who write -----------------------------------------------------------------


def test_arrays_are_read_where_they_lie() -> None:
    numbers, whole = np.arange(5.0), np.arange(5)
    table = pandas.DataFrame({"a": numbers, "b": whole}, copy=False)
    pairs = space(Records[tuple[float, int]])
    for given in ({"a": numbers, "b": whole}, table, dict(table)):
        columns = admit("x", pairs, given).columns
        assert np.shares_memory(columns[0].data, numbers)
        assert np.shares_memory(columns[1].data, whole)
    matrix = np.zeros((5, 2))
    for column in admit("x", space(Records[tuple[float, float]]), matrix).columns:
        assert np.shares_memory(column.data, matrix)


def test_arrays_of_other_libraries_are_read_where_they_lie() -> None:
    pa, pl = pytest.importorskip("pyarrow"), pytest.importorskip("polars")
    numbers = np.arange(5.0)
    parts = pa.chunked_array([numbers, numbers + 1])
    for given in (pa.array(numbers), pl.Series(numbers)):
        held = admit("x", space(Records[float]), given).columns[0].data
        assert np.shares_memory(held, given.to_numpy())
    assert list(admit("x", space(Records[float]), parts)) == [*range(5), *range(1, 6)]


def test_a_memory_map_that_another_thread_writes_meets_its_bounds(tmp_path: Path) -> None:
    rows = 100_000
    kinds = [("pay", "<f8"), ("age", "<i8"), ("paid", "?")]
    held = np.memmap(tmp_path / "rows", kinds, "w+", shape=rows)
    annotation = Records[tuple[Annotated[float, Bounds(0, 1)], Annotated[int, Bounds(0, 1)], bool]]
    found = admit("x", space(annotation), held)
    numbers = [found.mapped(lambda row, i=i: row[i]) for i in range(3)]
    over = threading.Event()
    wild = np.frombuffer(b"\xff" * rows * 17, kinds), np.zeros(rows, kinds)

    def write() -> None:
        while not over.is_set():
            for content in wild:
                held[:] = content
                held["pay"][::2], held["age"][::3] = math.inf, LAST

    thread = threading.Thread(target=write)
    thread.start()
    try:
        for _ in range(20):
            for column in numbers:
                assert 0 <= column.total() <= rows
                assert all(0 <= x <= 1 for x in column.array(column.row)[:: rows // 50].tolist())
    finally:
        over.set()
        thread.join()


def test_a_byte_that_is_no_boolean_counts_once() -> None:
    flags = np.frombuffer(bytes([0, 1, 2, 255]), np.bool_)
    for kind in (bool, int):
        found = admit("x", space(Records[kind]), flags)
        assert list(found) == [0, 1, 1, 1]
        assert found.mapped(lambda x: x).array(found.row).astype(int).sum() == 3


def test_bytes_that_are_no_characters_are_texts_all_the_same() -> None:
    wild = np.frombuffer(b"\xff" * 8 + b"a\0\0\0" * 2, "<U2")
    for given in (wild, wild.astype(">U2"), wild[::-1][::-1], {"a": wild}["a"]):
        assert list(admit("x", space(Records[str]), given))[1] == "aa"
    assert list(admit("x", space(Records[str]), wild)) == ["\ufffd" * 2, "aa"]
    assert list(admit("x", space(Records[str]), np.zeros(2, "U0"))) == ["", ""]


@pytest.mark.parametrize("different", [1, 20, 1000, 30_000, 200_000])
def test_texts_of_arrays_are_told_apart_however_many(different: int) -> None:
    rng = np.random.default_rng(different)
    texts = np.array([f"{'é' * (i % 3)}{i}" for i in range(different)])
    array = texts[rng.integers(0, different, 200_000)]
    found = told_apart(array)
    assert found.tolist() == array.tolist()
    assert len(set(found.values)) == len(found.values) == len(set(array.tolist()))


def test_codes_are_our_own_and_point_to_values() -> None:
    series = pandas.Series(["a", "b", "a"], dtype="category")
    found = admit("x", space(Records[str]), series)
    assert not np.shares_memory(found.columns[0].data.codes, series.array.codes)
    bad = pandas.Series(pandas.Categorical.from_codes([0, 0], ["a"]))
    bad.array.codes.base.setflags(write=True)
    codes = bad.array._ndarray
    codes[:] = 7
    with pytest.raises(SchemaError, match="codes without a category"):
        admit("x", space(Records[str]), bad)


def test_many_categories_of_two_columns_are_not_mixed_up() -> None:
    """Codes of bytes are made wider before those of two columns stand side by side."""
    left = pandas.Series([f"l{i}" for i in range(120)], dtype="category")
    right = pandas.Series([f"r{i}" for i in range(120)], dtype="category")
    found = admit("x", space(Records[tuple[str, str]]), {"a": left, "b": right})
    from metricdp.columns.language import eq, select

    odd = found.with_row(select(eq(found.row[0], "l7"), found.row[0], found.row[1]))
    assert list(odd) == ["l7" if i == 7 else f"r{i}" for i in range(120)]


# -- iterators -------------------------------------------------------------------------------------


def test_chunks_are_read_once_and_copied() -> None:
    buffer, given = np.zeros(3), []

    def chunks() -> Iterator[Any]:
        for i in range(4):
            buffer[:] = i
            given.append(i)
            yield buffer

    found = admit("x", space(Records[float]), chunks())
    buffer[:] = 99
    assert list(found) == [float(i) for i in range(4) for _ in range(3)]
    assert given == [0, 1, 2, 3]


def test_texts_of_an_array_are_read_once_and_owned_when_asked() -> None:
    texts = np.array(["a", "b"])
    late, owned = admit("x", space(Records[str]), texts), admit("x", space(Records[str]), texts)
    owned = owned.owned()
    chunks = admit("x", space(Records[str]), (texts for _ in range(2)))
    texts[:] = "c"
    assert list(owned) == ["a", "b"] and list(chunks) == ["a", "b"] * 2
    assert late.array(late.row).tolist() == ["c", "c"]
    texts[:] = "d"
    assert late.array(late.row).tolist() == ["c", "c"]
    series = pandas.Series(["a", "b", None])
    with pytest.raises(SchemaError, match="a missing value"):
        admit("x", space(Records[str]), series)
    cells = ["a", "b"]
    found = admit("x", space(Records[str]), cells)
    cells[:] = [1, 2]  # type: ignore[list-item]
    assert list(found) == ["a", "b"]


def test_chunks_of_any_dtype_and_of_none() -> None:
    def chunks() -> Iterator[Any]:
        yield []
        yield np.array([1.5], np.float32)
        yield np.array([2**53 + 1, 7])
        yield [True, 2, 0.5]
        yield pandas.Series([3], dtype="Int64")
        yield np.array([2**64 - 1], np.uint64)

    wanted = [1.5, float(2**53), 7, 1, 2, 0.5, 3, float(2**64)]
    assert list(admit("x", space(Records[float]), chunks())) == wanted
    for kind in (float, int, bool, str, Visit, float | None):
        assert list(admit("x", space(Records[kind]), iter([]))) == []
    rows = admit("x", space(Records[Vector[Data, LInf]]), iter([np.ones((2, 3)), np.zeros((1, 3))]))
    assert [list(row) for row in rows] == [[1] * 3, [1] * 3, [0] * 3] and rows.cols == 3
    with pytest.raises(SchemaError, match="unequal width"):
        admit("x", space(Records[Vector[Data, LInf]]), iter([np.ones((2, 3)), np.zeros((1, 2))]))
    with pytest.raises(SchemaError, match="a list_iterator where a sequence"):
        admit("x", space(Vector[Real, LInf]), iter([[1.0]]))


def test_an_iterator_is_refused_where_its_data_are_read_several_times() -> None:
    clamp = make("clamp", Records[float], lower=0, upper=20)
    total = clamp >> make("sum", clamp.output_space)
    once = total >> make("laplace", total.output_space, scale=2**-20)
    assert round(once(iter([[1.0, 2.0], [3.0]]))) == 6
    both = dp.maps.compose([once, once])
    assert list(map(round, both(iter([[1.0, 2.0], [3.0]])))) == [6, 6]
    with pytest.raises(SchemaError, match="can be read once"):
        dp.maps.composition.All((once, once))(iter([[1.0]]))
    with pytest.raises(SchemaError, match="can be read once"):
        both.function.law(iter([[1.0]]))
    for data in (iter([[1.0]]), (x for x in [[1.0]])):
        with pytest.raises(SchemaError, match="can be read once"):
            dp.Session({"x": (Records[float], data)}, budget=dp.Budget(epsilon=1))
    pairs = iter([[1.0]]), iter([[2.0]])
    space_of_both = dp.Aligned[Records[float, dp.Hamming], Records[float, dp.Hamming]]
    with pytest.raises(SchemaError, match="can be read once"):
        dp.Session({"x": (space_of_both, pairs)}, budget=dp.Budget(epsilon=1))


def test_a_session_owns_its_data() -> None:
    makers = [np.asarray, pandas.Series]
    for library, name in (("polars", "Series"), ("pyarrow", "array")):
        if importlib.util.find_spec(library):
            makers.append(getattr(importlib.import_module(library), name))
    for make_column in makers:
        numbers = np.arange(5.0)
        data = {"x": (Records[float], make_column(numbers))}
        session = dp.Session(data, budget=dp.Budget(epsilon=1e9))
        numbers[:] = 99.0
        total = dp.sum(dp.clamp(session["x"], 0, 100))
        assert round(dp.laplace(total, epsilon=1e8).value) == 10


def test_an_iterator_that_fails_shows_nothing() -> None:
    def chunks() -> Iterator[Any]:
        yield [1.0]
        raise OSError("73313 is private")

    with pytest.raises(SchemaError, match=r"cannot be read \(OSError\)") as caught:
        admit("x", space(Records[float]), chunks())
    assert "73313" not in str(caught.value) and caught.value.__context__ is None


def test_arrays_in_parts_read_as_one() -> None:
    rng = np.random.default_rng(3)
    parts = [np.arange(n) + 10 * i for i, n in enumerate((3, 1, 7, 2))]
    whole, held = np.concatenate(parts), Chunked(parts)
    assert len(held) == 13 and held.tolist() == whole.tolist()
    for start in range(14):
        for stop in range(15):
            assert held[start:stop].tolist() == whole[start:stop].tolist()
    for _ in range(20):
        positions = rng.integers(0, 13, rng.integers(0, 9))
        assert held[positions].tolist() == whole[positions].tolist()
        marks = rng.random(13) < 0.5
        assert held[marks].tolist() == whole[marks].tolist()
    assert [held[i] for i in range(13)] == whole.tolist()
    large = [np.arange(70_000), np.arange(3), np.arange(70_000.0)]
    assert joined(large)[69_999:70_004].tolist() == [69_999, 0, 1, 2, 0]
    assert joined([np.zeros(0)]).tolist() == [] and len(joined([np.zeros(0), np.ones(2)])) == 2


# -- tables of numbers -----------------------------------------------------------------------------


def test_matrices_from_data_frames() -> None:
    made = pandas.DataFrame({"a": pandas.array([1, 2], dtype="Int64"), "b": [0.5, 1.5]})
    wanted = [[1, Fraction(1, 2)], [2, Fraction(3, 2)]]
    assert admit("x", space(Matrix[Real, LInf]), made) == wanted
    rows = admit("x", space(Records[Vector[Data, LInf]]), made)
    assert [list(row) for row in rows] == wanted
    made["a"] = pandas.array([1, None], dtype="Int64")
    with pytest.raises(SchemaError, match=r"dtype object|a missing value"):
        admit("x", space(Matrix[Real, LInf]), made)
    assert list(admit("x", space(Vector[Real, LInf]), made["b"])) == [0.5, 1.5]
    for library in ("polars", "pyarrow"):
        module = pytest.importorskip(library)
        table = (module.DataFrame if library == "polars" else module.table)(
            {"a": [1, 2], "b": [0.5, 1.5]}
        )
        assert admit("x", space(Matrix[Real, LInf]), table) == wanted


# -- nothing of the guard is Python per cell -------------------------------------------------------


def lines_run(work: Callable[[], Any]) -> int:
    """How many lines of Python run, each round of a loop or comprehension counted."""
    count = 0

    def trace(*_: Any) -> Any:
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


QUICK = [
    "tuples", "a tuple of lists", "dataclasses", "named tuples", "dictionaries", "columns in lists",
    "columns in arrays", "columns of objects", "a structured array", "strided, read-only",
    "big-endian", "a data frame", "a data frame of objects", "nullable", "categories",
    "Polars", "Polars, categories", "Arrow", "Arrow in pandas",
]  # fmt: skip


@pytest.mark.parametrize("way", QUICK)
def test_no_line_of_python_runs_per_row(way: str) -> None:
    few, many = random_columns(5, 1000), random_columns(5, 6000)
    counts = []
    for columns in (few, many):
        given, wanted = WAYS[way](columns), space(Records[Visit])
        counts.append(lines_run(lambda g=given, w=wanted: admit("x", w, g)))  # type: ignore[misc]
    assert counts[1] - counts[0] < 2000, counts


def test_the_count_of_lines_would_find_a_loop() -> None:
    assert lines_run(lambda: [x + 1 for x in range(6000)]) > 5000


# -- stand-ins for libraries -----------------------------------------------------------------------


class ArrowLike:
    """What is asked of an Array of Arrow, without Arrow."""

    def __init__(self, kind: str, cells: list[Any]) -> None:
        self.type, self.cells = kind, cells
        self.null_count = cells.count(None)

    def __len__(self) -> int:
        return len(self.cells)

    def is_null(self) -> ArrowLike:
        return ArrowLike("bool", [x is None for x in self.cells])

    def fill_null(self, value: Any) -> ArrowLike:
        return ArrowLike(self.type, [value if x is None else x for x in self.cells])

    def cast(self, kind: str) -> ArrowLike:
        return ArrowLike(kind, self.cells)

    def to_numpy(self, zero_copy_only: bool = True) -> Any:
        assert None not in self.cells
        kinds = {"double": "f8", "int64": "i8", "bool": "?", "timestamp[ns, tz=UTC]": "M8[ns]"}
        return np.array(self.cells, kinds[self.type])

    def to_pylist(self) -> list[Any]:
        return self.cells

    def dictionary_encode(self) -> Any:
        different = sorted({x for x in self.cells if x is not None})
        codes = [None if x is None else different.index(x) for x in self.cells]
        return SimpleNamespace(
            dictionary=ArrowLike("string", different), indices=ArrowLike("int64", codes)
        )


class PolarsLike:
    """What is asked of a Series of Polars, without Polars."""

    def __init__(self, kind: str, cells: list[Any]) -> None:
        self.dtype, self.cells = type(kind, (), {})(), cells

    def __len__(self) -> int:
        return len(self.cells)

    def null_count(self) -> int:
        return self.cells.count(None)

    def n_chunks(self) -> int:
        return 1

    def get_chunks(self) -> list[Any]:
        return [self]

    def is_not_null(self) -> PolarsLike:
        return PolarsLike("Boolean", [x is not None for x in self.cells])

    def fill_null(self, value: Any) -> PolarsLike:
        kind = type(self.dtype).__name__
        return PolarsLike(kind, [value if x is None else x for x in self.cells])

    def drop_nulls(self) -> PolarsLike:
        return PolarsLike("String", [x for x in self.cells if x is not None])

    def unique(self, maintain_order: bool) -> PolarsLike:
        assert maintain_order
        return PolarsLike("String", list(dict.fromkeys(self.cells)))

    def replace_strict(self, old: Any, new: list[int], default: None, return_dtype: type) -> Any:
        places = dict(zip(old.cells, new, strict=True))
        return PolarsLike("Int64", [places.get(x) for x in self.cells])

    def to_list(self) -> list[Any]:
        return self.cells

    def to_numpy(self) -> Any:
        assert None not in self.cells
        kinds = {"Float64": "f8", "Int64": "i8", "Boolean": "?"}
        return np.array(self.cells, kinds[type(self.dtype).__name__])


LIKE: dict[str, tuple[type, dict[Any, str]]] = {
    "Arrow": (ArrowLike, {float: "double", int: "int64", bool: "bool", str: "string"}),
    "Polars": (PolarsLike, {float: "Float64", int: "Int64", bool: "Boolean", str: "String"}),
}


@pytest.mark.parametrize("kind", GAPS)
@pytest.mark.parametrize("library", LIKE)
def test_the_protocols_of_other_libraries(library: str, kind: type) -> None:
    make, names = LIKE[library]
    cells = GAPS[kind]
    assert list(admit("x", space(Records[kind | None]), make(names[kind], cells))) == cells
    rest = [x for x in cells if x is not None]
    assert list(admit("x", space(Records[kind]), make(names[kind], rest))) == rest
    with pytest.raises(SchemaError, match="a missing value"):
        admit("x", space(Records[kind]), make(names[kind], cells))
    parts = SimpleNamespace(
        chunks=[make(names[kind], rest), make(names[kind], cells)],
        type=names[kind], null_count=2, is_null=None,
    )  # fmt: skip
    if library == "Arrow":
        assert list(admit("x", space(Records[kind | None]), parts)) == rest + cells
    with pytest.raises(SchemaError, match="timestamp"):
        admit("x", space(Records[kind]), make("timestamp[ns, tz=UTC]", []))


# -- private and public at once --------------------------------------------------------------------


def test_data_are_not_passed_as_public_arguments_whatever_holds_them() -> None:
    numbers = np.arange(6.0)
    table = pandas.DataFrame({"a": numbers, "b": ["x"] * 6}, copy=False)
    row = (1.0, 2.0)
    for private in (table, {"a": numbers}, dict(table), [numbers], {"a": numbers[::2]}):
        with pytest.raises(SpaceError, match="public argument w"):
            refuse_shared({"x": private}, {"w": numbers})
        refuse_shared({"x": private}, {"w": np.arange(6.0), "k": (1, 2)})
    for private in ([row, (3.0, 4.0)], {"a": row}, [{"a": row}]):
        with pytest.raises(SpaceError, match="public argument w"):
            refuse_shared({"x": private}, {"w": row})
    for library in ("pyarrow", "polars"):
        module = pytest.importorskip(library)
        private = (module.array if library == "pyarrow" else module.Series)(numbers)
        if np.shares_memory(private.to_numpy(), numbers):
            with pytest.raises(SpaceError, match="public argument w"):
                refuse_shared({"x": private}, {"w": numbers})
