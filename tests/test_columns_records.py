"""What records say of themselves in the columnar language is what their reference functions are.

Exactly for integers, comparisons and selections; correctly rounded for + - * / and roots; within
stated units of the last place for products of several factors and for elementary functions.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from inspect import signature
from math import inf, isfinite, nextafter, ulp
from random import Random
from typing import Any

import numpy as np
import pytest
from column_graphs import DOUBLES, HUGE, INTEGERS, evaluated_by, values

from metricdp.audit.values import plain
from metricdp.columns import language
from metricdp.columns.elementary import FUNCTIONS
from metricdp.columns.language import constant, nearest
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.columns.texts import Texts
from metricdp.expr.roots import BITS
from metricdp.primitives import load
from metricdp.record import REGISTRY, Instance, Record
from metricdp.run.pins import pinned
from metricdp.spaces import Scalar, Vector
from metricdp.spaces.base import bound_value, size_value

load()
ALL = [record for name, record in sorted(REGISTRY.items()) if record.columnar is not None]
#: Units of the last place by which a result may differ from the exact one: 0 is to the last bit.
EXACT = frozenset(
    """abs ceil clamp clipn contains discrete eq floor ge gt le len logical_and logical_not
    logical_or lt max maximum min minimum ne neg relu round trunc undisc""".split()
)
ROUNDED = frozenset("add sub mul div mod sqrt".split())
#: Of vectors as a whole: `test_rows_of_vectors` holds them to their reference functions, and
#: `test_counting` does.
OF_VECTORS = frozenset(
    """array branch clip concat dot index logsumexp map map2 matmul mean norm norm_convert one_hot
    outer outer_product size slice softmax sort sum""".split()
)
#: Of a row of a table of one column, where the reference goes through the table.
OF_TABLES = frozenset("cast cast_default find find_bin impute is_equal is_null lookup".split())
#: Of texts, of dates, and of values that may be missing: `test_texts_of_rows`, `test_dates`,
#: `test_optional_fields`, `test_values_that_are_there` and `test_finding_values` hold them to what
#: Python does, and `test_given_dictionaries` what is looked up.
OF_OTHERS = frozenset(
    """different_parts entry_of fill_missing is_missing text_method time_between time_earlier
    time_later time_part time_quotient time_ratio""".split()
)
COLUMNAR = [record for record in ALL if record.name not in OF_VECTORS | OF_TABLES | OF_OTHERS]
#: Applied by Python's own syntax, without names.
NAMELESS = ("branch",)
#: Arguments of functions whose exact values are long to compute, at most.
MOST = {"exp": 700, "softplus": 2000, "sigmoid": 700, "tanh": 700, "sin": 1000, "cos": 1000}


def base_of(space: Scalar | Vector) -> str:
    kind = getattr(space, "kind", "")
    known = {"Int": "integer", "Bool": "boolean"}.get(space.element)
    return known or {"int": "integer", "bool": "boolean", "str": "text"}.get(kind, "double")


def inputs(record: Record, space: Scalar | Vector, random: Random) -> list[Any]:
    """Values of a private argument as a column holds them, in its range."""
    base = base_of(space)
    if base == "text":
        return ["", "a", "A", "b"]
    if base == "boolean":
        return [False, True]
    low, high = bound_value(space.lo, False), bound_value(space.hi, True)
    ends = [end for end in (low, high) if end is not None]
    if base == "integer":
        found = [*INTEGERS, *HUGE, *range(-9, 10), *map(int, ends)]
    else:
        found = [*DOUBLES, *map(float, ends), *(random.uniform(-9, 9) for _ in range(30))]
        if len(ends) == 2:
            found += [random.uniform(*map(float, ends)) for _ in range(30)]
    most = MOST.get(record.name, 10**500)
    return [
        x for x in found
        if (low is None or x >= low) and (high is None or x <= high) and abs(x) <= most
    ]  # fmt: skip


def rows(record: Record, instance: Instance) -> list[dict[str, Any]]:
    """Values of all private arguments, row by row."""
    random = Random(1)
    known = {n: inputs(record, s, random) for n, s in instance.private.items()}  # type: ignore[arg-type]
    count = 60 if len(known) == 1 else 400

    def one(name: str, at: int) -> Any:
        space = instance.private[name]
        some = known[name]
        if isinstance(space, Vector):
            return [random.choice(some) for _ in range(size_value(space.size) or 1)]
        return some[at] if len(known) == 1 and at < len(some) else random.choice(some)

    total = max(count, *map(len, known.values()))
    found = [{name: one(name, at) for name in known} for at in range(total)]
    return [row for row in found if _ordered(row)]


def _ordered(row: dict[str, Any]) -> bool:
    """Bounds of a clamp are in order where it is checked."""
    return not {"lower", "upper"} <= row.keys() or row["lower"] <= row["upper"]


def column(space: Scalar | Vector, cells: list[Any]) -> Stored:
    base = base_of(space)
    if base == "text":
        return Stored(base, Texts.of(cells))
    kinds = {"integer": object, "boolean": np.bool_, "double": np.float64}
    return Stored(base, np.array(cells, kinds[base]))


def results(record: Record, instance: Instance) -> Iterator[tuple[dict[str, Any], Any, Any]]:
    """(arguments, the columnar result, the exact result) in every row."""
    held = rows(record, instance)
    names = list(instance.private)
    columns = [column(instance.private[n], [row[n] for row in held]) for n in names]  # type: ignore[arg-type]
    nodes = {
        name: each.node(at) for at, (name, each) in enumerate(zip(names, columns, strict=True))
    }
    found = constant(called(pinned(record).columnar, {**nodes, **instance.public}))
    table = Table(tuple(columns), found)
    for row, got in zip(held, values(table, [found])[0], strict=True):
        exact = {n: plain(v) for n, v in {**row, **instance.public}.items()}
        yield row, plain(got), plain(called(record.run, exact))


def called(function: Any, arguments: dict[str, Any]) -> Any:
    several = sorted((name for name in arguments if name.isdigit()), key=int)
    named = {name: value for name, value in arguments.items() if not name.isdigit()}
    return function(*(arguments[name] for name in several), **named)


def agrees(record: Record, instance: Instance, row: dict[str, Any], got: Any, exact: Any) -> bool:
    if isinstance(exact, list):
        if not isinstance(got, list) or len(got) != len(exact):
            return False
        parts = [
            {n: v[i] if isinstance(v, list) else v for n, v in row.items()} for i in range(len(got))
        ]
        every = zip(parts, got, exact, strict=True)
        return all(agrees(record, instance, r, g, e) for r, g, e in every)
    doubles = any(isinstance(x, float) for x in row.values())
    if record.name == "div" and isinstance(row.get("x"), int):
        # Integers are divided as the nearest doubles.
        exact = Fraction(nearest(row["x"])) / instance.public["y"]
    if isinstance(exact, bool | str) or (record.name in EXACT) or not (doubles or _divides(record)):
        return bool(got == exact)
    if record.name == "floordiv":
        # Python's quotient of doubles: exact where it is a small integer.
        return bool(abs(got - nearest(exact)) <= (0 if abs(exact) < 2**50 else 2 * ulp(exact)))
    if record.name == "sqrt":
        return _is_root(got, row["x"])
    limit = nearest(exact)
    if record.name in ROUNDED:
        return bool(got == limit)
    if record.name == "power":
        # One rounding for each product.
        k = instance.public["k"]
        return bool(abs(got - exact) <= (k - 1) * Fraction(ulp(limit)) if k > 2 else got == limit)
    ulps = FUNCTIONS[record.name].ulps
    # Reference functions are right to an absolute error.
    return bool(isfinite(limit) and abs(got - exact) <= Fraction(ulps * ulp(limit)) + RIGHT_TO)


def _is_root(got: Fraction, x: Any) -> bool:
    """Whether a double is the root of a number, correctly rounded; 0 of a negative one."""
    if x <= 0:
        return got == 0
    below, above = (Fraction(nextafter(float(got), end)) for end in (0.0, inf))
    return ((got + below) / 2) ** 2 <= Fraction(nearest(x)) <= ((got + above) / 2) ** 2


#: The absolute error of the exact functions.
RIGHT_TO = Fraction(1, 2**BITS)


def _divides(record: Record) -> bool:
    return record.name in ("div", "sqrt", *FUNCTIONS)


@pytest.mark.parametrize("record", COLUMNAR, ids=lambda record: record.name)
@pytest.mark.parametrize("evaluator", ["arrays", "reference"])
def test_columnar_form_is_the_reference_function(record: Record, evaluator: str) -> None:
    tried = 0
    for instance in record.instances():
        if not all(isinstance(space, Scalar | Vector) for space in instance.private.values()):
            continue
        with evaluated_by(evaluator):
            for row, got, exact in results(record, instance):
                tried += 1
                assert agrees(record, instance, row, got, exact), (row, instance.public, got, exact)
    assert tried >= (4 if record.name.startswith("logical") else 50)


@pytest.mark.parametrize("record", ALL, ids=lambda record: record.name)
def test_arguments_have_the_names_of_the_rule(record: Record) -> None:
    """A call by names finds the columnar form, too."""
    form = pinned(record).columnar
    assert form is not None
    asked = [
        p for p in signature(record.rule).parameters.values() if p.kind is not p.VAR_POSITIONAL
    ]
    given = signature(form).parameters
    if any(p.kind is p.VAR_POSITIONAL for p in given.values()):
        return
    same = [p.name for p in asked] == list(given)[: len(asked)]
    assert same is (record.name not in NAMELESS)


@pytest.mark.parametrize("evaluator", ["arrays", "reference"])
@pytest.mark.parametrize("value", [0, 1, Fraction(1, 2), Fraction(1, 3), 2**53 + 1, -(2**70), "a"])
@pytest.mark.parametrize(
    "rows",
    [
        [0.0, -0.0, 0.5, 1 / 3, 2.0**53, -(2.0**70)],
        [0, 1, 2**53, 2**53 + 1, -(2**62)],
        ["a", "", "0"],
    ],
    ids=["doubles", "integers", "texts"],
)
def test_equal_rows_are_those_of_the_reference(evaluator: str, value: Any, rows: list[Any]) -> None:
    (record,) = (record for record in ALL if record.name == "is_equal")
    base = {float: "double", int: "integer", str: "text"}[type(rows[0])]
    data = Texts.of(rows) if base == "text" else np.array(rows)
    column = Stored(base, data)
    with evaluated_by(evaluator):
        found = called(pinned(record).columnar, {"x": column.node(0), "value": value})
        table = Table((column,), constant(found))
        assert values(table, [constant(found)])[0] == record.run(rows, value)


def test_classes_are_of_columnar_records() -> None:
    assert {record.name for record in ALL} >= OF_VECTORS | OF_TABLES
    names = {record.name for record in COLUMNAR}
    assert EXACT | ROUNDED | {"power", "floordiv"} | (names & FUNCTIONS.keys()) == names | {"power"}


@pytest.mark.parametrize(
    ("name", "defect"),
    [
        ("round", lambda x: language.floor(language.add(x, 0.5))),
        ("mul", lambda x, y: language.div(x, language.div(1.0, y))),
        ("lt", language.le),
        ("clamp", lambda x, lower, upper: language.minimum(x, upper)),
        ("exp", lambda x: language.power(2.718281828459045, x)),
        ("floordiv", lambda x, y: language.trunc(language.div(x, y))),
        ("mod", lambda x, y: language.sub(x, language.mul(language.floordiv(x, y), y))),
        ("sqrt", lambda x: language.power(x, 0.5)),
    ],
)
def test_a_wrong_form_is_seen(name: str, defect: Any) -> None:
    import msgspec

    record = msgspec.structs.replace(REGISTRY[name], columnar=defect)
    with pytest.raises(AssertionError):
        test_columnar_form_is_the_reference_function(record, "arrays")
