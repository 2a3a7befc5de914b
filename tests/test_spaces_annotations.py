"""Annotations: live objects and syntax give one space; bad ones give a clear error."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

import pytest

from metricdp.errors import SpaceError
from metricdp.expr import INF, num, sym
from metricdp.spaces import (
    L1,
    L2,
    Aligned,
    Bounds,
    Data,
    Hamming,
    LInf,
    Matrix,
    MetricMatrix,
    NoNaN,
    NonNegative,
    Public,
    Real,
    Records,
    Row,
    RowBound,
    Scalar,
    Size,
    Space,
    TupleSpace,
    Vector,
    space_from_ast,
    space_of,
)
from metricdp.spaces.vocabulary import default_resolve
from metricdp.spaces.written_rows import row_from_class


@dataclass
class Visit:
    cost: float
    kind: str


class Stay(TypedDict):
    days: int


LIVE: list[tuple[Any, str]] = [
    (Real, "dp.Real"),
    (float, "float"),
    (str, "str"),
    (None, "None"),
    (Vector[Real, L1], "dp.Vector[dp.Real, dp.L1]"),
    (Vector[float, L2], "Vector[Real, L2]"),
    (Matrix[Data, LInf], "metricdp.Matrix[Data, LInf]"),
    (MetricMatrix(Data, LInf), "dp.MetricMatrix(Data, LInf)"),
    (Records[float], "dp.Records[float]"),
    (Records[float, Hamming], "dp.Records[float, dp.Hamming]"),
    (Records[tuple[float, int]], "Records[tuple[float, int]]"),
    (Aligned[Vector[Real, L1], Matrix[Data, LInf]],
     "Aligned[Vector[Real, L1], Matrix[Data, LInf]]"),
    (Annotated[Records[float], Bounds(0, 20)], "Annotated[Records[float], Bounds(0, 20)]"),
    (Annotated[Matrix[Data, LInf], RowBound(L2, 1.5), Size("n", "m")],
     'Annotated[Matrix[Data, LInf], RowBound(norm=L2, radius=1.5), dp.Size("n", "m")]'),
    (Annotated[Vector[Real, L1], NonNegative], "Annotated['dp.Vector[Real, L1]', NonNegative]"),
    (Annotated[Records[float], NoNaN(drop=True)], "Annotated[Records[float], NoNaN(drop=True)]"),
    (Annotated[Real, Bounds(-1, 2)], "Annotated[Real, Bounds(-1, 2)]"),
    (tuple[Vector[Real, L1], Real], "tuple[Vector[Real, L1], Real]"),
    (tuple[float, ...], "tuple[float, ...]"),
    (list[list[int]], "list[list[int]]"),
    (Sequence[float], "Sequence[float]"),
    (Callable[[float], bool], "Callable[[float], bool]"),
    (float | None, "float | None"),
]  # fmt: skip


@pytest.mark.parametrize(("live", "text"), LIVE, ids=[text for _, text in LIVE])
def test_live_and_text_agree(live: Any, text: str) -> None:
    expected = space_of(live, "x")
    assert expected is not None
    assert space_of(text, "x") == expected
    node = ast.parse(text, mode="eval").body
    assert space_from_ast(node, default_resolve, "x") == expected


def test_numpy_arrays_are_public_without_importing_numpy() -> None:
    assert space_of("np.ndarray") == Public("numpy.ndarray")
    assert space_of("npt.NDArray[np.float64]") == Public("numpy.ndarray")
    numpy = pytest.importorskip("numpy")
    assert space_of(numpy.ndarray) == Public("numpy.ndarray")


def test_missing_annotation_is_none() -> None:
    assert space_of(inspect.Parameter.empty) is None


@pytest.mark.parametrize(
    "text",
    [
        "Real",
        "Int",
        "Vector[Real, L1]",
        "Gradient[Int, L2]",
        "Matrix[Data, LInf]",
        "Records[float]",
        "Records[str, ChangeOne]",
        "Records[tuple[float, int]]",
        "Aligned[Vector[Real, L1], Matrix[Data, LInf]]",
        "tuple[Real, Vector[Real, L1]]",
    ],
)
def test_printed_as_written(text: str) -> None:
    space = space_of(f"Annotated[{text}, 'a note of someone else']", "x")
    assert isinstance(space, Space)
    assert str(space) == text


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("dp.Vectr[Real, L1]", "dp.Vectr is not known here"),
        ("os.system", "os.system is not known here"),
        ("Vector", "Vector needs its arguments in brackets"),
        ("Records", "Records needs its arguments"),
        ("Vector[Real]", "Vector takes an element and a norm"),
        ("Vector[L1, Real]", "L1 is no element"),
        ("Vector[Real, L3]", "L3 is not known here"),
        ("Matrix[Data, float]", "float is no norm"),
        ("Records[float, L1]", "L1 is no metric on records"),
        ("Records[float, Hamming, Hamming]", "Records takes the type of a record"),
        ("Records[list[float]]", "is no type of a record"),
        ("Records[tuple[float, bytes]]", "which is no scalar type"),
        ("Aligned[Records[float], Vector[Real, L1]]", "no public row count"),
        ("Aligned[float, Vector[Real, L1]]", "no public row count"),
        ("L1", "L1 alone is no space"),
        ("list[Vector[Real, L1]]", "is a metric space inside list"),
        ("Vector[Real, L1] | None", "is a metric space in a union"),
        ("Annotated[Records[float], Bounds(3, 1)]", "the bounds 3 and 1 are swapped"),
        ("Annotated[Records[float], Bounds(1)]", "has the wrong arguments"),
        ("Annotated[Records[float], Bounds(None, 1)]", "lower bound None is no number"),
        ("Annotated[Records[str], Bounds(0, 1)]", "does not fit Records[str]"),
        ("Annotated[Records[float], Size('n')]", "does not fit Records[float]"),
        ("Annotated[Matrix[Data, LInf], RowBound(L2, -1)]", "the radius -1 is negative"),
        ("Annotated[Real, RowBound(L2, 1)]", "does not fit Real"),
        ("Annotated[Vector[Real, L1], Size('n', 'm')]", "does not fit Vector[Real, L1]"),
        ("Annotated[Vector[Real, L1], Size(-1)]", "-1 is no size"),
        ("Annotated[Records[float, Hamming], NoNaN(drop=True)]", "does not fit"),
        ("Annotated[float, Bounds(0, 1)]", "does not fit float"),
        ("print('hello')", "print is not known here"),
        ("float(1)", "is a call inside an annotation"),
        ("Vector[Real, L1", "does not parse"),
        ("lambda: 1", "is no annotation"),
        ("1 + 2", "3 is neither a metric space"),
        ("[float]", "neither a metric space"),
        ("7", "neither a metric space"),
        ("Annotated[Real, Bounds(*b)]", "unpacks arguments"),
    ],
)
def test_bad_annotations(text: str, fact: str) -> None:
    with pytest.raises(SpaceError) as caught:
        space_of(text, "x")
    assert fact in caught.value.fact
    assert caught.value.remedy


def test_unknown_class_is_refused() -> None:
    class Model:
        pass

    with pytest.raises(SpaceError, match="Model is neither"):
        space_of(Model)


def test_sizes_are_named_after_the_parameter() -> None:
    n = sym("n", nonneg=True, integer=True)
    assert Vector[Real, L1].named("x").size == sym("len_x", nonneg=True, integer=True)
    matrix = Matrix[Real, L1].refined(Size("n")).named("x")
    assert (matrix.rows, matrix.cols) == (n, sym("cols_x", nonneg=True, integer=True))
    assert Records[float].named("x").size is None
    assert str(Records[float, Hamming].named("x").size) == "len_x"
    aligned = Aligned[Vector[Real, L1], Matrix[Data, LInf]].named("x")
    assert str(aligned.rows) == "rows_x"
    assert str(aligned.parts[1].rows) == "rows_x"


def test_bounds_are_the_double_that_python_builds() -> None:
    space = Scalar("Real").refined(Bounds(0, 0.1), Bounds("lower", 5))
    assert isinstance(space, Scalar)
    assert space.hi == num(0.1)
    assert "lower" in str(space.lo)
    assert Scalar("Real").refined(NonNegative) == Scalar("Real", num(0), INF)


def test_rows_from_classes_and_from_syntax_agree() -> None:
    assert str(Records[Visit]) == "Records[Visit]"
    for cls, base in ((Visit, "dataclasses.dataclass"), (Stay, "typing.TypedDict")):
        live = Records[cls].row
        assert isinstance(live, Row)
        node = ast.parse(inspect.getsource(cls)).body[0]
        assert isinstance(node, ast.ClassDef)
        assert row_from_class(node, default_resolve, lambda name, base=base: base) == live
    sample = Records[Visit].row.extremes()[0]
    assert (sample.cost, sample.kind) == (0, "")
    assert Records[Stay].row.extremes()[0] == {"days": 0}
    assert Records[Visit].contains([Visit(1.0, "a")])
    assert not Records[Visit].contains([Visit(1.0, 2), 3])


def test_class_with_methods_is_a_record_and_one_with_more_is_none() -> None:
    text = "@dataclass\nclass A:\n    x: float\n    def f(self): return 1\n"
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.ClassDef)
    row = row_from_class(node, default_resolve, lambda name: "dataclasses.dataclass")
    assert row is not None and row.names == ("x",)
    node = ast.parse(text.replace(" f(", " __getattr__(")).body[0]
    assert isinstance(node, ast.ClassDef)
    with pytest.raises(SpaceError, match="more than fields"):
        row_from_class(node, default_resolve, lambda name: "dataclasses.dataclass")
    assert row_from_class(node, default_resolve, lambda name: None) is None


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("Records[float]", "one record added or removed"),
        ("Records[float, InsertDelete]", "one record inserted or deleted"),
        ("Records[float, ChangeOne]", "one record replaced"),
        ("Records[float, Hamming]", "one record replaced"),
        ("Matrix[Data, LInf]", "one row replaced"),
        ("Matrix[Data, L1]", "one entry replaced"),
        ("Aligned[Vector[Data, L1], Vector[Data, L1]]", "one row replaced"),
        ("Vector[Real, L2]", "one unit of L2 distance"),
        ("Vector[Data, L1]", "one entry replaced"),
        ("Matrix[Real, L2]", "one unit of L2 distance, added over rows"),
        ("Real", "distance 1"),
        ("Data", "one value replaced"),
        ("float", "public"),
    ],
)
def test_unit_in_words(text: str, unit: str) -> None:
    space = space_of(text)
    assert space is not None
    assert space.unit == unit


def test_describe_shows_refinements() -> None:
    space = Matrix[Data, LInf].refined(Bounds(0, 1), RowBound(L2, 2)).named("x")
    assert space.describe() == (
        "Matrix[Data, LInf], rows_x rows, cols_x columns, entries in [0, 1], "
        "every row has L2 norm at most 2"
    )
    assert str(space_of("tuple[Real, Real]")) == "tuple[Real, Real]"
    assert isinstance(space_of("tuple[Real, Real]"), TupleSpace)


@pytest.mark.parametrize(
    ("marker", "help"),
    [
        ("ChangeOne", r"write Records\[float, ChangeOne\]"),
        ("L1", r"write Vector\[Real, L1\]"),
        ("Data", r"write Vector\[Data, L2\]"),
    ],
)
def test_a_marker_beside_the_space_is_refused_not_ignored(marker: str, help: str) -> None:
    with pytest.raises(SpaceError, match=help):
        space_of(f"Annotated[Records[float], {marker}]")
