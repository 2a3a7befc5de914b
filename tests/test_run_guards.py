"""Data that enter: schema facts raise with place and remedy, value facts are enforced silently."""

from __future__ import annotations

import traceback
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, TypedDict

import numpy as np
import pytest

from metricdp.columns.table import Table
from metricdp.errors import DataValueError, MetricdpError, ParameterError, SchemaError, SpaceError
from metricdp.run.guards import admit
from metricdp.run.shared import refuse_shared
from metricdp.run.sizes import sizes
from metricdp.spaces import (
    L1,
    L2,
    Aligned,
    Bool,
    Bounds,
    Data,
    Gradient,
    Hamming,
    Int,
    LInf,
    Matrix,
    NoNaN,
    Real,
    Records,
    RowBound,
    Size,
    Vector,
    space_of,
)
from metricdp.values import LARGEST, Exact, NumberMatrix, Numbers

SECRET = 73313.37


@dataclass
class Visit:
    age: float
    kind: str


class Stay(TypedDict):
    days: int
    paid: bool


def space(annotation: Any) -> Any:
    return space_of(annotation, "x")


VECTOR = Vector[Real, L1]


def test_each_space_has_its_run_time_class() -> None:
    assert type(admit("x", space(Real), 2.5)) is Exact
    assert admit("x", space(Bool), np.bool_(True)) is True
    assert admit("x", space(Data), "a") == "a"
    assert type(admit("x", space(Real), np.float32(0.1))) is Exact
    assert admit("x", space(Real), np.float32(0.1)) == Fraction(float(np.float32(0.1)))
    for data in ([1, 2.5], (1, 2.5), np.array([1, 2.5]), np.array([1, 2.5], np.float32)):
        vector = admit("x", space(VECTOR), data)
        assert type(vector) is Numbers
        assert vector == [1, Fraction(5, 2)]
    matrix = admit("x", space(Matrix[Real, L2]), [[1, 2], [3, 4]])
    assert type(matrix) is NumberMatrix and (matrix.rows, matrix.cols) == (2, 2)
    assert admit("x", space(Matrix[Real, L2]), np.zeros((0, 3))).cols == 3
    tensors = [np.ones((2, 2)), [5.0]]
    assert admit("x", space(Gradient[Real, L2]), tensors) == [1, 1, 1, 1, 5]
    column = admit("x", space(Records[float]), [1, 2.5, True])
    assert type(column) is Table and list(column) == [1, Fraction(5, 2), 1]
    assert list(admit("x", space(Records[int]), np.array([3, -3], np.int8))) == [3, -3]
    assert admit("x", space(Records[str]), ["b", "a"]) == ["b", "a"]
    assert admit("x", space(Records[bool]), [True, False]) == [True, False]


def test_rows_of_records() -> None:
    visits = admit("x", space(Records[Visit]), [Visit(30, "a"), Visit(2.5, "b")])
    assert [(v.age, v.kind) for v in visits] == [(30, "a"), (Fraction(5, 2), "b")]
    assert type(visits[0].age) is Exact
    stays = admit("x", space(Records[Stay]), [{"days": 3, "paid": True}])
    assert stays == [{"days": 3, "paid": True}]
    assert admit("x", space(Records[Stay]), {"days": [3], "paid": [True]}) == stays
    pairs = space(Records[tuple[float, int]])
    assert admit("x", pairs, [(1.5, 2)]) == [(Fraction(3, 2), 2)]
    assert admit("x", pairs, []) == []


def test_pandas_objects_are_accepted() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"age": [1.0, np.nan], "kind": ["a", "b"]})
    visits = admit("x", space(Records[Visit]), frame)
    assert [v.age for v in visits] == [1, 0]
    assert list(admit("x", space(Records[float]), frame["age"])) == [1, 0]
    numbers = pandas.DataFrame({"a": [1, 2], "b": [3, 4]})
    assert admit("x", space(Matrix[Real, L1]), numbers) == [[1, 3], [2, 4]]
    with pytest.raises(SchemaError, match="no column kind"):
        admit("x", space(Records[Visit]), frame[["age"]])


SCHEMA = [
    (Real, None, "missing value"),
    (Real, "a", "a str where float"),
    (Int, 1.5, "a float where int"),
    (Bool, 1, "an int where bool"),
    (VECTOR, None, "NoneType where a sequence"),
    (VECTOR, 5.0, "a float where a sequence"),
    (VECTOR, "abc", "a str where a sequence"),
    (VECTOR, {1.0, 2.0}, "a set where a sequence"),
    (VECTOR, [1.0, None], "missing value"),
    (VECTOR, [1.0, "a"], "a str where float"),
    (VECTOR, [1.0, [2.0]], "a list where float"),
    (VECTOR, np.zeros((2, 2)), "2 dimensions where 1"),
    (VECTOR, np.array(3.0), "0 dimensions where 1"),
    (VECTOR, np.array(["a"]), "dtype <U1 where float"),
    (VECTOR, np.array([1.0, None]), "dtype object where float"),
    (VECTOR, np.array([1j]), "dtype complex128"),
    (VECTOR, np.array(["2020-01-01"], "M8[D]"), r"dtype datetime64\[D\]"),
    (Matrix[Real, L2], [[1.0], [1.0, 2.0]], "rows of unequal length"),
    (Matrix[Real, L2], np.zeros(3), "1 dimensions where 2"),
    (Matrix[Real, L2], [1.0, 2.0], "a float where a sequence"),
    (Records[int], np.array([1.0]), "dtype float64 where int"),
    (Records[int], [1, 1.5], "a float where int"),
    (Records[bool], [0, 1], "an int where bool"),
    (Records[str], [1.0], "a float where str"),
    (Records[float], np.ma.masked_array([1.0], [True]), "masked"),
    (Records[Visit], [Visit(1.0, None)], "missing value"),  # type: ignore[arg-type]
    (Records[Visit], [3.0], "a float where a record"),
    (Records[Stay], [{"days": 3}], "without a declared field"),
    (Records[tuple[float, int]], [(1.0, 2, 3)], "3 columns where 2"),
    (Records[tuple[float, int]], np.zeros((4, 3)), "3 columns where 2"),
    (Annotated[VECTOR, Size(3)], [1.0], "1 entries where 3 are declared"),
    (Aligned[VECTOR, Records[float, Hamming]], ([1.0], [1.0, 2.0]), "different lengths, 1 and 2"),
    (Aligned[VECTOR, VECTOR], [[1.0]], "one value per declared part"),
]


@pytest.mark.parametrize(("annotation", "data", "fact"), SCHEMA, ids=[s[2] for s in SCHEMA])
def test_schema_facts_raise(annotation: Any, data: Any, fact: str) -> None:
    with pytest.raises(SchemaError, match=fact) as caught:
        admit("pay", space(annotation), data)
    assert caught.value.place.startswith("pay")
    assert caught.value.remedy
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize(
    ("annotation", "data", "strict"),
    [
        (VECTOR, [SECRET, "73313.37"], False),
        (VECTOR, np.array([SECRET, None]), False),
        (Records[int], [7331337, 2**63 + 7331337], True),
        (Records[Visit], [Visit(SECRET, 73313.37)], False),  # type: ignore[arg-type]
        (Annotated[VECTOR, Bounds(0, 1)], [SECRET], True),
        (Annotated[Records[float], Bounds(0, 1)], [SECRET], True),
        (Annotated[VECTOR, RowBound(L2, 1)], [SECRET], True),
    ],
)
def test_errors_carry_no_data(annotation: Any, data: Any, strict: bool) -> None:
    with pytest.raises(MetricdpError) as caught:
        admit("x", space(annotation), data, strict=strict)
    error = caught.value
    assert error.__cause__ is None
    assert error.__context__ is None
    text = "".join(traceback.format_exception(error)[-1:]) + repr(error.args) + repr(vars(error))
    assert "73313" not in text
    frames = [f for f, _ in traceback.walk_tb(error.__traceback__)]
    inside = [f for f in frames if f.f_globals["__name__"].startswith("metricdp.")]
    assert inside
    assert all("73313" not in repr(frame.f_locals) for frame in inside)


def test_value_facts_are_enforced_silently(recwarn: pytest.WarningsRecorder) -> None:
    bad = [float("nan"), float("inf"), float("-inf"), -0.0, 1e308]
    clean = [0, LARGEST, -LARGEST, 0, Fraction(1e308)]
    assert admit("x", space(VECTOR), bad) == clean
    column = admit("x", space(Records[float]), bad)
    assert list(column) == clean
    assert not np.signbit(column.array(column.row)[3])
    bounded = space(Annotated[Records[float], Bounds(0.1, 5)])
    assert list(admit("x", bounded, np.array(bad))) == [Fraction(0.1), 5, *[Fraction(0.1)] * 2, 5]
    assert admit("x", space(Annotated[VECTOR, Bounds(-1, 2)]), bad) == [0, 2, -1, 0, 2]
    assert admit("x", space(Annotated[Real, Bounds(1, 2)]), float("nan")) == 1
    ints = space(Annotated[Records[int], Bounds(0.5, 7.5)])
    assert list(admit("x", ints, [-5, 3, 99])) == [1, 3, 7]
    huge = np.array([2**64 - 1, 5], np.uint64)
    assert list(admit("x", space(Records[int]), huge)) == [2**63 - 1, 5]
    beyond = [2**63, -(2**80), 5]
    assert list(admit("x", space(Records[int]), beyond)) == [2**63 - 1, -(2**63), 5]
    assert admit("x", space(Int), 2**80) == 2**63 - 1
    assert admit("x", space(Real), 2**80) == 2**80
    assert not recwarn.list


def test_records_with_nan_may_be_dropped() -> None:
    dropping = space(Annotated[Records[float], NoNaN(drop=True)])
    for data in ([1.0, float("nan"), 2.0], np.array([1.0, np.nan, 2.0])):
        assert list(admit("x", dropping, data)) == [1, 2]
    rows = space(Annotated[Records[Visit], NoNaN(drop=True)])
    assert [v.kind for v in admit("x", rows, [Visit(float("nan"), "a"), Visit(1.0, "b")])] == ["b"]


@pytest.mark.parametrize("norm", [L1, L2, LInf])
@pytest.mark.parametrize("limits", [None, Bounds(0.5, 100), Bounds(-100, -0.25)])
def test_row_bounds_hold_exactly(norm: Any, limits: Any) -> None:
    rng = np.random.default_rng(7)
    rows = rng.normal(0, 30, (20, 3))
    annotation = Annotated[Matrix[Real, L2], RowBound(norm, 2)]
    if limits is not None:
        annotation = Annotated[annotation, limits]
    result = admit("x", space(annotation), rows)
    for row in result:
        if norm is L2:
            assert sum(x * x for x in row) <= 4
        else:
            assert (sum if norm is L1 else max)(map(abs, row)) <= 2
        if limits is not None:
            assert all(limits.lo.as_fraction() <= x <= limits.hi.as_fraction() for x in row)
    inside = [[0.5, -0.5, 0.5]]
    if limits is None:
        assert admit("x", space(annotation), inside) == inside


def test_integer_rows_stay_integers() -> None:
    bounded = space(Annotated[Matrix[Int, L1], RowBound(L1, 7)])
    (row,) = admit("x", bounded, [[10, -5, 9]])
    assert all(x.denominator == 1 for x in row)
    assert sum(map(abs, row)) <= 7
    assert row != [0, 0, 0]


def test_impossible_bounds_are_public_errors() -> None:
    impossible = space(Annotated[VECTOR, Bounds(3, 4), RowBound(L1, 1)])
    with pytest.raises(ParameterError, match="no row with L1 norm"):
        admit("x", impossible, [3.0, 3.0])


@pytest.mark.parametrize(
    ("annotation", "data", "fact"),
    [
        (Real, float("nan"), "NaN"),
        (VECTOR, [float("inf")], "an infinite value"),
        (Records[float], [1.0, float("nan")], "NaN"),
        (Annotated[Records[int], Bounds(0, 1)], [5], "outside the declared bounds"),
        (Annotated[Records[float], Bounds(0, 1)], [0.5, 5], "outside the declared bounds"),
        (Annotated[VECTOR, RowBound(L2, 1)], [3.0], "L2 norm exceeds"),
    ],
)
def test_strict_refuses_and_says_so(annotation: Any, data: Any, fact: str) -> None:
    with pytest.raises(DataValueError, match=fact) as caught:
        admit("pay", space(annotation), data, strict=True)
    assert "outside the guarantee" in str(caught.value)
    assert caught.value.place == "pay"
    admit("pay", space(annotation), data)


def test_strict_accepts_clean_data() -> None:
    bounded = space(Annotated[Records[float], Bounds(0, 1)])
    assert list(admit("x", bounded, [0, 1], strict=True)) == [0, 1]


def test_bounds_may_name_public_parameters() -> None:
    capped = space(Annotated[Records[float], Bounds(0, "cap")])
    assert list(admit("x", capped, [5.0, 1.0], env={"cap": 2})) == [2, 1]


def test_the_callers_data_are_neither_kept_nor_changed() -> None:
    array = np.array([1.0, -7.0, np.nan])
    before = array.copy()
    column = admit("x", space(Annotated[Records[float], Bounds(0, 1)]), array)
    assert np.array_equal(array, before, equal_nan=True)
    assert not np.shares_memory(array, column.array(column.row))
    integers = np.array([1, 2])
    held = admit("x", space(Records[int]), integers)
    assert not np.shares_memory(integers, held.array(held.row))


def test_sizes_bind_names_and_must_agree() -> None:
    vector = space(VECTOR)
    value = admit("x", vector, [1.0, 2.0])
    assert sizes("x", vector, value) == {"len_x": 2}
    matrix = space(Annotated[Matrix[Real, L2], Size("n", "m")])
    rows = admit("m", matrix, [[1.0, 2.0, 3.0]])
    assert sizes("m", matrix, rows) == {"n": 1, "m": 3}
    with pytest.raises(SchemaError, match="size of 1 where n has been 2"):
        sizes("m", matrix, rows, {"n": 2})
    assert sizes("x", space(Records[float]), admit("x", space(Records[float]), [1.0])) == {}
    joint = space(Aligned[VECTOR, Records[float, Hamming]])
    assert set(sizes("x", joint, admit("x", joint, ([1.0], [2.0]))).values()) == {1}


def test_shared_arrays_are_refused() -> None:
    data, other = np.arange(6.0), np.arange(6.0)
    refuse_shared({"x": data}, {"w": other, "eps": 1.0, "names": ("a",)})
    refuse_shared({"x": data[::2]}, {"w": data[1::2]})
    for private, public in ((data, data), (data, data[2:]), (data.reshape(2, 3), [data])):
        with pytest.raises(SpaceError, match="public argument w"):
            refuse_shared({"x": private}, {"w": public})
    plain = [1.0, 2.0]
    with pytest.raises(SpaceError):
        refuse_shared({"x": plain}, {"w": plain})
    refuse_shared({"x": plain}, {"w": [1.0, 2.0], "empty": []})
