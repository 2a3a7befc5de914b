"""Maps of rows: missing values, forms of columns, casts, keys, refusals of other rules."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from inspect import Parameter, signature
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest
from column_graphs import evaluated_by

from metricdp.audit import attack
from metricdp.audit.values import plain
from metricdp.columns.nullable import Nullable, parts
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.columns.texts import Texts
from metricdp.errors import ParameterError, SchemaError, SpaceError
from metricdp.expr import D, num
from metricdp.maps import Transformation, make
from metricdp.primitives import load
from metricdp.record import REGISTRY, Arg, Body, Refusal
from metricdp.run.applied import applied
from metricdp.run.guards import admit
from metricdp.run.pins import Pins
from metricdp.spaces import Maybe, Records, Scalar, Space, space_of
from metricdp.spaces.joining import fits
from metricdp.spaces.texts import Cells, Lines, Named, lines_of
from metricdp.values import Exact, wrap

load()
FLOAT, INT, TEXT = (Scalar("Data", kind=kind) for kind in ("float", "int", "str"))
BOOL = Scalar("Data", kind="bool")
DOUBLES: tuple[float, ...] = (
    0,
    0.5,
    -0.5,
    1.5,
    -2.7,
    1e10,
    2.0**31 - 1,
    -(2.0**31),
    -(2.0**31) - 1,
    2.0**63,
)
DOUBLES += (2.0**63 - 1024, -(2.0**63), 1e300, 255.9, 256, -0.9, 5e-324, 3)
TEXTS = ("", "a", "1", "1.5", "-7", " 1", "9" * 30, "1e999", "true", "300")
INTEGERS = (0, 1, -1, 2**31, 2**53 + 1, 2**62 + 1, -(2**63), 2**63 - 1, 255, 256)


def columns(missing: bool) -> list[tuple[Table, list[Any]]]:
    """(table, the same rows as a list): doubles, integers, texts and Booleans."""
    found: list[tuple[Table, list[Any]]] = []
    for row, values in ((FLOAT, DOUBLES), (INT, INTEGERS), (TEXT, TEXTS), (BOOL, (True, False))):
        data = [*values, None, *values[:3]] if missing else [*values, *values[:3]]
        held = admit("x", Records(Maybe(row) if missing else row), data)
        assert isinstance(held, Table)
        found.append((held, list(held)))
    return found


def both(name: str, held: Table, rows: list[Any], **public: Any) -> None:
    """A record in columns, by either evaluator, is its reference function."""
    expected = plain(REGISTRY[name].run(rows, **public))
    for evaluator in ("arrays", "reference"):
        with evaluated_by(evaluator):
            slow: list[str] = []
            found = applied(name, Pins()[name], (fresh(held),), public, slow.append)
            assert isinstance(found, Table) and not slow, (name, public)
            assert plain(list(found)) == expected, (name, public, evaluator)


# -- values that may be missing ---------------------------------------------------------------


def test_none_and_nan_become_none() -> None:
    space = Records(Maybe(FLOAT))
    given: tuple[Any, ...] = ([1, None, float("nan")], np.array([1, np.nan, np.nan]))
    for data in given:
        rows = admit("x", space, data)
        assert isinstance(rows, Table) and list(rows) == [1, None, None]
    assert list(admit("x", Records(Maybe(TEXT)), ["a", None, float("nan")])) == ["a", None, None]
    assert list(admit("x", Records(Maybe(BOOL)), [True, None])) == [True, None]
    assert list(admit("x", Records(Maybe(INT)), [1, None, 10**30])) == [1, None, 2**63 - 1]


def test_a_wrong_type_among_them_is_still_a_schema_error() -> None:
    with pytest.raises(SchemaError):
        admit("x", Records(Maybe(FLOAT)), [None, "7"])
    with pytest.raises(SchemaError):
        admit("x", Records(FLOAT), [None])


@pytest.mark.parametrize(
    "text",
    [
        "dp.Records[float | None]",
        "dp.Records[Optional[float]]",
        "dp.Records[float | None, dp.Symmetric]",
    ],
)
def test_annotations(text: str) -> None:
    assert space_of(text) == Records(Maybe(FLOAT))


def test_bounds_reach_the_value_that_is_there() -> None:
    space = space_of("dp.Records[Annotated[float, dp.Bounds(0, 1)] | None]")
    assert space == Records(Maybe(Scalar("Data", num(0), num(1), "float")))
    assert list(admit("x", space, [5.0, None])) == [1, None]


def test_a_union_is_a_public_parameter_as_before() -> None:
    assert str(space_of("float | None")) == str(space_of("Optional[float]"))


def test_rows_that_are_there_fit_where_they_may_be_missing_and_not_the_other_way() -> None:
    assert fits(Records(FLOAT), Records(Maybe(FLOAT)))
    assert not fits(Records(Maybe(FLOAT)), Records(FLOAT))
    assert not fits(Records(Maybe(TEXT)), Records(Maybe(FLOAT)))
    assert not fits(Records(TEXT), Records(Maybe(FLOAT)))


#: Rules that may be applied to rows of these kinds; every other rule refuses them.
ANY_ROWS = {"count", "len", "filter", "map", "identity", "partition", "black_box", "reveal"}
#: Asked with arguments of their own shape only.
CONTROL = {"branch", "loop", "loop_rows", "loop_records"}
OF_MISSING = {"cast", "cast_default", "drop_null", "find", "histogram", "impute", "is_equal"}
OF_MISSING |= {"is_null", "impute_uniform", "resize", "ordered", "lookup", "count_by"}
OF_MISSING |= {"count_distinct"}
OF_NAMED = {"df_cast_default", "df_is_equal", "select_column", "subset_by"}
KNOWN = [
    (Records(Maybe(FLOAT)), ANY_ROWS | OF_MISSING),
    (Records(Maybe(INT)), ANY_ROWS | OF_MISSING),
    (Records(Maybe(TEXT)), ANY_ROWS | OF_MISSING),
    (Records(Named()), ANY_ROWS | OF_NAMED),
    (Records(Cells()), ANY_ROWS | {"create_dataframe"}),
    (Lines(), {"identity", "split_lines", "black_box", "reveal"}),
    (
        Maybe(FLOAT),
        {"identity", "black_box", "reveal", "is_missing", "fill_missing", "eq", "ne", "contains"},
    ),
]
PUBLIC = [
    Arg(value=num(1), literal=1, text="1"),
    Arg(literal="a", text="a"),
    Arg(literal="int", text="int"),
    Arg(literal="L2", text="L2"),
    Arg(literal=(1, 2, 3), text="edges"),
    Arg(body=Body(Scalar("Bool"), ({("", ""): D},)), text="f"),
]


@pytest.mark.parametrize(("space", "allowed"), KNOWN, ids=[str(space) for space, _ in KNOWN])
def test_rules_that_do_not_speak_of_a_space_refuse_it(space: Space, allowed: set[str]) -> None:
    for name, record in REGISTRY.items():
        if name in allowed | CONTROL:
            continue
        parameters = [
            p
            for p in signature(record.rule).parameters.values()
            if p.kind is not Parameter.VAR_POSITIONAL
        ]
        for position in parameters[:2]:
            others = [p for p in parameters if p is not position and p.default is Parameter.empty]
            if len(others) > 2:
                continue
            for chosen in product(PUBLIC, repeat=len(others)):
                given = {p.name: a for p, a in zip(others, chosen, strict=True)}
                given[position.name] = Arg(space, True, text="x")
                with pytest.raises(Refusal):
                    record.rule(**given)


# -- forms of columns, casts ------------------------------------------------------------------


@pytest.mark.parametrize("to", ["int", "i8", "u8", "i32", "u64", "float", "bool", "str"])
@pytest.mark.parametrize("missing", [True, False])
def test_casts_of_columns_equal_those_of_rows(to: str, missing: bool) -> None:
    for column, rows in columns(missing):
        both("cast", column, rows, to=to)
        both("cast_default", column, rows, to=to)


CONSTANTS: dict[str, tuple[Any, ...]] = {
    "double": (0, 7, Fraction(1, 2), 2**53),
    "integer": (0, 7, -(2**63)),
    "text": ("", "a", "?"),
    "boolean": (True, False),
}


def base_of(held: Table) -> str:
    found: str = parts(held.row)[0].base
    return found


def test_other_forms_of_columns_equal_their_reference() -> None:
    for missing in (True, False):
        for held, rows in columns(missing):
            for constant in CONSTANTS[base_of(held)]:
                both("impute", held, rows, constant=constant)
                both("is_equal", held, rows, value=constant)
            both("drop_null", held, rows)
            both("is_null", held, rows)
            for value in (Fraction(1, 3), 2**53 + 1, 2**63 - 1, "1"):
                both("is_equal", held, rows, value=value)
            for categories in ([], [*CONSTANTS[base_of(held)]], [Fraction(1, 3), -1]):
                both("find", held, rows, categories=categories)
    for missing in (True, False):
        held, rows = columns(missing)[0]
        for lower, upper in ((0, 1), (-3, Fraction(1, 3)), (0.1, 0.3), (-1e308, 1e308), (7, 7)):
            both("impute_uniform", held, rows, lower=lower, upper=upper)
    for held, rows in columns(False)[:2]:
        for edges in ([], [0, 1, 2], [-1, Fraction(1, 2)], [Fraction(1, 3)], [-(2**63), 2**63]):
            both("find_bin", held, rows, edges=edges)


#: Values of a public argument of each kind.
PUBLIC_VALUES: dict[str, tuple[Any, ...]] = {
    "float": (0, 7, Fraction(1, 2), -3, 2**53),
    "int": (0, 7, -1, 255),
    "str": ("", "a", "1", "true"),
    "bool": (True, False),
}


def some_step(rng: Random, kind: str) -> tuple[str, dict[str, Any]]:
    """A record, and public arguments that it may take on rows of a kind."""
    value, values = rng.choice(PUBLIC_VALUES[kind]), PUBLIC_VALUES[kind]
    other = PUBLIC_VALUES[rng.choice([*PUBLIC_VALUES])]
    return rng.choice((
        ("cast", {"to": rng.choice(("int", "u8", "float", "bool", "str"))}),
        ("cast_default", {"to": rng.choice(("int", "i8", "float", "bool", "str"))}),
        ("impute", {"constant": value}), ("drop_null", {}), ("is_null", {}),
        ("is_equal", {"value": value}), ("identity", {}), ("ordered", {}),
        ("find", {"categories": rng.sample(values, rng.randrange(len(values)))}),
        ("lookup", {"categories": [*other], "null": other[0]}),
        ("resize", {"size": rng.choice((1, 5, 40)), "constant": value}),
        ("find_bin", {"edges": sorted(rng.sample(range(-4, 9), 3))}),
        ("impute_uniform", {"lower": -1, "upper": rng.choice((2, Fraction(1, 3)))}),
        ("clamp", {"lower": -1, "upper": rng.choice((1, 9))}),
    ))  # fmt: skip


def test_chains_of_maps_in_columns_are_chains_of_rows() -> None:
    """What one record leaves where a row is missing, the next one does not see."""
    met: Counter[str] = Counter()
    pins = Pins()
    for seed in range(300):
        rng = Random(seed)
        row = rng.choice((FLOAT, INT, TEXT, BOOL, Scalar("Data", num(-2), num(3), "float")))
        metric = rng.choice(("Symmetric", "ChangeOne"))
        space: Space = Records(Maybe(row) if rng.random() < 0.7 else row, metric)
        values = {"float": DOUBLES, "int": INTEGERS, "str": TEXTS, "bool": (True, False)}[row.kind]
        missing = [None] * (2 * isinstance(space.row, Maybe))
        data = [rng.choice([*values, *missing]) for _ in range(rng.choice((0, 1, 3, 20)))]
        held = admit("x", space, data)
        rows: Any = list(held)
        for _ in range(5):
            inner = space.row.inner if isinstance(space.row, Maybe) else space.row
            name, public = some_step(rng, inner.kind)
            try:
                made = make(name, space, **public)
            except (SpaceError, ParameterError):
                continue
            met[name] += 1
            space, rows = made.output_space, list(wrap(REGISTRY[name].run(rows, **public)))
            found = []
            for evaluator in ("arrays", "reference"):
                with evaluated_by(evaluator, 3):
                    found.append(applied(name, pins[name], (fresh(held),), public))
                    assert plain(list(fresh(found[-1]))) == plain(rows), (seed, name, public)
            held = found[0]
            assert all(space.row.contains(x) for x in plain(rows)), (seed, name)
    assert len(met) == 14 and min(met.values()) > 20, met


def fresh(held: Table) -> Table:
    """The table as it was before it was read."""
    return Table(held.columns, held.row, held.where, held.chosen, held.value)


def test_a_constant_that_is_no_double_is_filled_in_row_by_row() -> None:
    held, rows = columns(True)[0]
    slow: list[str] = []
    public = {"constant": Fraction(1, 3)}
    found = applied("impute", Pins()["impute"], (held,), public, slow.append)
    assert list(found) == REGISTRY["impute"].run(rows, Fraction(1, 3))
    assert slow == ["a constant that is no value of the rows"]


def test_missing_rows_are_counted_where_no_category_is() -> None:
    for held, rows in columns(True):
        for categories in ((), (0, 1), ("a", "", True), (None, "a", 1, None)):
            for more in (False, True):
                public = {"categories": categories, "null_category": more}
                found = applied("histogram", Pins()["histogram"], (held,), public)
                assert list(found) == REGISTRY["histogram"].run(rows, **public)


def test_keys_of_columns_equal_those_of_rows() -> None:
    rng = Random(4)
    for missing in (True, False):
        for held, rows in columns(missing):
            constant = CONSTANTS[base_of(held)][0]
            for _ in range(10):
                picked = [rng.randrange(len(rows)) for _ in range(rng.randint(0, 12))]
                some, listed = held.taken(picked), [rows[i] for i in picked]
                both("ordered", some, listed)
                for size in (1, 3, 7, 20):
                    both("resize", some, listed, size=size, constant=constant)


def test_missing_values_keep_their_range() -> None:
    space = Records(Maybe(Scalar("Data", num(0), num(3), "float")))
    held = admit("x", space, np.array([1.0, np.nan, 99.0, -1.0]))
    filled = applied("impute", Pins()["impute"], (held, 7), {})
    assert filled.row.range == (0, 7) and list(filled) == [1, 7, 3, 0]
    assert filled.total() == 11
    kept = applied("drop_null", Pins()["drop_null"], (held,), {})
    assert kept.row.range == (0, 3) and kept.total() == 4 and len(kept) == 3


def test_what_stands_in_place_of_a_missing_value_is_never_seen() -> None:
    """Two tables that differ only there give the same of every record."""
    there = np.array([True, False, True, False])
    marks = Stored("boolean", there)
    for row, values, other in (
        ("double", np.array([1.0, 5.0, 2.0, 7.0]), np.array([1.0, np.nan, 2.0, -1e300])),
        ("integer", np.array([1, 5, 2, 7]), np.array([1, -9, 2, 2**62])),
        ("text", Texts.of(["1", "x", "2", "3"]), Texts.of(["1", "", "2", "1"])),
    ):  # fmt: skip
        held = [
            Table((s := Stored(row, x), marks), Nullable(s.node(0), marks.node(1)), value=Exact)
            for x in (values, other)
        ]
        constant = "a" if row == "text" else 1
        for name, public in (
            ("cast", {"to": "float"}), ("cast", {"to": "str"}), ("cast", {"to": "bool"}),
            ("cast", {"to": "u8"}), ("cast_default", {"to": "int"}),
            ("impute", {"constant": constant}),
            ("is_null", {}), ("drop_null", {}), ("is_equal", {"value": constant}), ("ordered", {}),
            ("find", {"categories": [constant]}), ("resize", {"size": 2, "constant": constant}),
            ("resize", {"size": 6, "constant": constant}),
            ("impute_uniform", {"lower": 0, "upper": 1}),
            ("histogram", {"categories": (1, "1"), "null_category": True}),
        ):  # fmt: skip
            first, second = (list(applied(name, Pins()[name], (x,), public)) for x in held)
            assert first == second, (name, row)


@pytest.mark.parametrize(
    ("value", "to", "expected"),
    [
        ("1.5", "float", Fraction(3, 2)),
        ("-.5e1", "float", -5),
        (" 1", "float", None),
        ("1_0", "float", None),
        ("nan", "float", None),
        ("inf", "float", None),
        ("1e999", "float", None),
        ("9" * 5000, "float", None),
        ("007", "int", 7),
        ("+7", "int", 7),
        ("9" * 5000, "int", None),
        ("9223372036854775808", "int", None),
        ("256", "u8", None),
        ("\u0661", "int", None),
        (Fraction(-27, 10), "int", -2),
        (Fraction(10**30), "int", None),
        (2**53 + 1, "float", 2**53),
        (Fraction(1, 10**7), "str", "0.0000001"),
        (Fraction(1e300), "str", "1" + "0" * 300),
        (True, "str", "true"),
        (Fraction(1, 2), "bool", True),
        ("", "bool", False),
        (None, "str", None),
    ],
)
def test_cast(value: Any, to: str, expected: Any) -> None:
    (found,) = REGISTRY["cast"].run([value], to)
    assert found == expected and type(found) is not float


def test_imputed_numbers_depend_on_how_many_rows_are_missing_and_not_on_where() -> None:
    run = REGISTRY["impute_uniform"].run
    rows = [None, Fraction(7), None, None]
    assert run(rows, 0, 1) == [Fraction(1, 2), 7, Fraction(1, 4), Fraction(3, 4)]
    assert sorted(run(rows[::-1], 0, 1)) == sorted(run(rows, 0, 1))
    for lower, upper in ((Fraction(1, 3), Fraction(1, 3)), (Fraction(1, 3), Fraction(2, 3))):
        assert all(lower <= x <= upper for x in run([None] * 40, lower, upper))


# -- maps that are wrong elsewhere --------------------------------------------------------------


def test_the_attack_refutes_insert_delete_to_hamming() -> None:
    """Moving the first row to the end is 2 apart and changes every position."""
    source = Records(INT, "InsertDelete")
    wrong = Transformation(source, Records(INT, "Hamming"), lambda x: x, "floor(d_in/2)", "bounded")
    rows = list(range(5))
    assert attack(wrong, tries=((rows, [*rows[1:], rows[0]]),)).refuted


def test_the_attack_refutes_a_sort_that_is_stable_under_hamming() -> None:
    source = Records(INT, "ChangeOne", num(4))
    ordered = REGISTRY["ordered"].run
    wrong = Transformation(source, Records(INT, "Hamming", num(4)), ordered, "d_in", "sorted")
    assert attack(wrong).refuted
    right = Transformation(source, Records(INT, "Hamming", num(4)), ordered, "4", "sorted")
    assert not attack(right, pairs=500).refuted


def test_the_attack_refutes_numbering_of_missing_rows_that_keeps_their_order() -> None:
    source = Records(Maybe(FLOAT), "InsertDelete")
    run = REGISTRY["impute_uniform"].run
    ordered = Records(FLOAT, "InsertDelete")
    wrong = Transformation(source, ordered, lambda x: run(x, 0, 1), "d_in", "numbered")
    assert attack(wrong).refuted


def test_the_attack_refutes_resize_by_first_rows_under_the_symmetric_distance() -> None:
    def first(x: Any) -> Any:
        return [*x[:2], *[Fraction(0)] * (2 - len(x))]

    source = Records(FLOAT)
    wrong = Transformation(source, Records(FLOAT, "ChangeOne", num(2)), first, "d_in", "first")
    assert attack(wrong).refuted  # another order of the same rows


# -- in the library -----------------------------------------------------------------------------


def test_a_chain_of_text() -> None:
    lines = make("split_lines", Lines())
    cells = lines >> make("split_records", lines.output_space, separator=",")
    rows = cells >> make("create_dataframe", cells.output_space, columns=["town", "age"])
    adults = rows >> make("df_is_equal", rows.output_space, name="town", value="A")
    kept = adults >> make("subset_by", adults.output_space, indicator="town", keep=["age"])
    ages = kept >> make("select_column", kept.output_space, name="age", to="int")
    assert ages("A, 30\nB,7\r\nA\n\nA,x,9") == [30, 0, 0]
    assert ages.map(3) == 3 and ages.trust == "proved"


def test_lines() -> None:
    assert lines_of("a\r\n\nb") == ["a", "", "b"] and lines_of("") == [] and lines_of("\n") == [""]


def test_rows_by_name_are_equal_in_any_order_of_their_cells() -> None:
    space = Records(Named())
    left, right = [{"a": 1, "b": "x"}], [{"b": "x", "a": Fraction(1)}]
    assert space.distance(left, right).is_zero
    assert not space.distance([{"a": 1}], [{"a": "1"}]).is_zero
    assert not space.distance([{"a": 1}], [{"a": True}]).is_zero


def test_frames_enter_as_columns_or_rows() -> None:
    space = Records(Named())
    as_rows = admit("x", space, [{"a": 1, "b": "x"}, {"a": None, "b": "y"}])
    assert as_rows == admit("x", space, {"a": [1, None], "b": ["x", "y"]})
    assert as_rows == [{"a": 1, "b": "x"}, {"a": "", "b": "y"}]
    with pytest.raises(SchemaError):
        admit("x", space, {"a": [1], "b": []})
    with pytest.raises(SchemaError):
        admit("x", Lines(), ["a"])


def test_refusals_name_the_edit() -> None:
    with pytest.raises(SpaceError, match="missing") as caught:
        make("clamp", Records(Maybe(FLOAT)), lower=0, upper=1)
    assert "impute" in str(caught.value)


def test_no_row_of_a_column_is_asked_alone() -> None:
    rows = admit("x", Records(Maybe(FLOAT)), np.where(np.arange(10**5) % 3 == 0, np.nan, 1.0))
    filled = applied("impute", Pins()["impute"], (rows, 0), {})
    assert isinstance(filled, Table) and len(filled) == 10**5 and filled._listed is None


def test_keys_tell_apart_what_a_table_tells_apart() -> None:
    """A column of any scalars: True is not 1, and no number equals the text of the same hash."""
    from metricdp.primitives.records._keys import _word

    twin = _word("a") - (1 << 64 if _word("a") >> 63 else 0)
    rows = [True, 1, Fraction(1), False, 0, "a", twin, "a", twin, "1", None, None]
    space = Records(Maybe(Scalar("Data")))
    rng = Random(3)
    for size in range(1, 13):
        kept = REGISTRY["resize"].run(rows, size, 0)
        for _ in range(20):
            mixed = rng.sample(rows, len(rows))
            assert space.distance(kept, REGISTRY["resize"].run(mixed, size, 0)).is_zero
            ordered = Records(Maybe(Scalar("Data")), "InsertDelete")
            same = REGISTRY["ordered"].run(rows), REGISTRY["ordered"].run(mixed)
            assert ordered.distance(*same).is_zero
