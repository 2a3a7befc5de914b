"""The columnar language: arrays give the reference's values, bit for bit but for a zero's sign.

Graphs are random with fixed seeds; every operator is met thousands of times on extreme values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from random import Random
from typing import Any

import numpy as np
import pytest
from column_graphs import (
    HUGE,
    INTEGERS,
    RAW,
    bits,
    differences,
    evaluated_by,
    grown,
    shown,
    tables,
    values,
)
from depth import depth
from row_independence import unaligned

from metricdp.columns import arrays, language, reference
from metricdp.columns.evaluators import VARIABLE
from metricdp.columns.grids import range_of
from metricdp.columns.language import OPERATORS, Node, Untraceable
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.errors import InternalError, MetricdpError, ParameterError

GRAPHS = 300


def graphs(seeds: range) -> Iterator[tuple[Random, Table, list[Node]]]:
    for seed in seeds:
        random = Random(seed)
        table = tables(random, random.choice((1, 2, 7, 10)))
        yield random, table, grown(random, list(table.row), 25)


def test_every_operator_has_a_meaning_in_both() -> None:
    plain, columns = ({name for name, _ in each} for each in (reference.MEANINGS, arrays._MEANINGS))
    assert plain | {"stored"} == columns | {"constant"} == OPERATORS
    # Constants and columns are leaves; whatever else one evaluator knows, the other knows as well.
    assert {"sqrt", "text", "scaled_into", "power"} <= plain & columns


def test_random_graphs() -> None:
    met: Counter[str] = Counter()
    for random, table, nodes in graphs(range(GRAPHS)):
        assert differences(table, nodes, random.choice((1, 3, 100))) == []
        met.update(node.operator for node in nodes)
    assert met.keys() == OPERATORS and min(met.values()) >= 10, met


def test_filtered_and_chosen_rows() -> None:
    for random, table, nodes in graphs(range(GRAPHS, GRAPHS + 40)):
        tests = [node for node in nodes if node.base == "boolean" and node.width is None]
        kept = table.filtered(random.choice(tests)).filtered(random.choice(tests))
        assert differences(kept, nodes, 3) == []
        order = [random.randrange(kept.size()) for _ in range(7)] if kept.size() else []
        assert differences(kept.taken(order), nodes, 3) == []
        some = table.taken(order[:2] or [0]).filtered(random.choice(tests))
        assert differences(some, nodes, 1) == []
        sizes = set()
        for name in ("arrays", "reference"):
            with evaluated_by(name):
                fresh = Table(some.columns, some.row, some.where, some.positions)
                sizes.add((len(fresh), repr(fresh.rows())))
        assert len(sizes) == 1


@pytest.mark.parametrize("rows", [0, 1])
def test_few_rows(rows: int) -> None:
    for seed in range(depth(20, 40)):
        random = Random(seed)
        table = tables(random, rows)
        nodes = grown(random, list(table.row), 25)
        assert differences(table, nodes) == []
        for node in nodes:
            assert table.array(node).shape[-1] == rows if node.base != "text" else True


@pytest.mark.parametrize("more", [-1, 0, 1])
def test_the_edge_of_a_piece(more: int) -> None:
    table = tables(Random(1), arrays.CHUNK + more)
    x, y, n, m, k, test, text, vector = table.row
    nodes = [
        language.select(test, language.mul(x, y), language.exp(y)),
        language.mul(language.add(n, m), k),
        language.eq(language.text(text, "lower"), "a"),
        language.total(vector),
    ]
    some = [*range(20), *range(arrays.CHUNK - 20, arrays.CHUNK + more)]
    with evaluated_by("reference"):
        expected = values(table.taken(some), nodes)
    for got, column in zip(values(table, nodes), expected, strict=True):
        assert [bits(got[at]) for at in some] == list(map(bits, column))
    flags, column = values(table, [language.lt(y, 1), nodes[0]])
    (few,) = values(table.filtered(language.lt(y, 1)), nodes[:1])
    assert few == [x for x, flag in zip(column, flags, strict=True) if flag]


def test_what_nodes_say_of_their_size_and_range_is_so() -> None:
    seen = 0
    for _, table, nodes in graphs(range(depth(75, 150))):
        found = [node for node in nodes if node.base in ("double", "integer")]
        for node, column in zip(found, values(table, found), strict=True):
            flat = [v for x in column for v in (x if isinstance(x, list) else [x])]
            assert all(abs(v) <= node.most for v in flat), shown(node)
            if node.range is not None:
                low, high = node.range
                assert all(low <= v <= high for v in flat), shown(node)
                seen += 1
    assert seen > depth(250, 500)


def test_no_operator_tells_zeros_apart() -> None:
    """The sign of a zero, which the evaluators may give differently, decides nothing."""
    for _, table, nodes in graphs(range(depth(75, 150))):
        columns = [node.base == "double" for node in table.row]
        plan, made = reference.ReferencePlan(nodes), []
        for zero in (0.0, -0.0):
            row = [
                ([zero] * 3 if node.width else zero) if flag else table.columns[at].cell(0)
                for at, (node, flag) in enumerate(zip(table.row, columns, strict=True))
            ]
            made.append(plan.run(row.__getitem__))
        assert made[0] == made[1]


# -- rows by public keys

KEYS: tuple[Any, ...] = (
    0, 1, True, -0.0, 1.0, 0.1, Fraction(1, 3), 2, 2**63, 2**70 + 1, -(2**63), 2.0**53, 2**53 + 1,
    -1e308, language.LARGEST, "", "a", "A", "7", float("nan"), float("inf"), 5e-324, 3,
)  # fmt: skip


def test_parts_by_keys() -> None:
    """Every row is in the part of the first key that it equals, and in no other."""
    for random, table, nodes in graphs(range(900, 940)):
        single = [node for node in nodes if node.width is None]
        key, test = random.choice(single), random.choice(single)
        keys = random.sample(KEYS, random.randrange(1, 9)) + random.choices(KEYS, k=2)
        numbers = [node for node in single if node.base == "double"][-3:]
        asked = [(node, range_of(Fraction(-2), Fraction(3))) for node in numbers]
        if random.random() < 0.5:
            table = table.filtered(language.condition(test))
        found, size = [], random.choice((1, 3, 100))
        for name in ("arrays", "reference"):
            with evaluated_by(name, size):
                parts = table.with_row(key).parts(lambda row: row, keys)
                counts = table.with_row(key).tallies(keys).tolist()
                assert [len(part) for part in parts] == counts[:-1]
                assert sum(counts) == len(table)
                rows = [part.rows() for part in parts]
                for place, part in enumerate(rows):
                    for row in part:
                        first = next(at for at, each in enumerate(keys) if each == row)
                        assert place == first
                sums = [part.totals(asked) for part in parts]
                few = [part.filtered(language.lt(numbers[0], 1)).totals(asked) for part in parts]
                found.append((repr(rows), counts, sums, few))
        assert found[0] == found[1]


# -- columns as callers hold them

ARRAYS: dict[str, np.ndarray] = {
    "float64": np.array(RAW),
    "float32": np.array([0.1, -0.0, np.nan, np.inf, -np.inf, 1e-45, 3e38], np.float32),
    "float16": np.array([0.1, -0.0, np.nan, np.inf, 6e-8, 65504], np.float16),
    "longdouble": np.array([*RAW, 0.1], np.longdouble) * (1 + np.longdouble(2) ** -60),
    # A warning of NumPy about these would tell that they are there; warnings are errors here.
    "longdouble beyond": np.ldexp(np.array([1, -1, 1], np.longdouble), [2000, 3000, 3]),
    "signalling NaN": np.array([0x7FF0000000000001, 0x3FF << 52], np.uint64).view(np.float64),
    "big-endian": np.array(RAW, ">f8"),
    "strided": np.repeat(np.array(RAW), 3)[1::3],
    "reversed": np.array(RAW)[::-1],
    "unaligned": unaligned(np.array(RAW)),
    "int64": np.array(INTEGERS, np.int64),
    "uint64": np.array([0, 1, 2**63 - 1, 2**63, 2**63 + 1025, 2**64 - 1], np.uint64),
    "int8": np.array([-128, 0, 127], np.int8),
    "bool": np.array([True, False]),
    "fortran": np.asfortranarray(np.array(RAW[:48]).reshape(16, 3)),
    "field": np.array(list(zip(RAW, RAW, strict=True)), "f8,f8")["f1"],
}
BOUNDS = [(None, None), (-3.0, 2.0), (None, 1.0), (0.0, None), (5.0, 5.0), (-1e300, 1e300)]


@pytest.mark.parametrize("bounds", BOUNDS, ids=str)
@pytest.mark.parametrize("name", ARRAYS)
def test_columns_of_doubles(name: str, bounds: tuple[Any, Any]) -> None:
    held = ARRAYS[name]
    before = held.tobytes()
    column = Stored("double", held, *bounds)
    table = Table((column,), column.node(0))
    assert differences(table, [table.row], 3) == []
    low, high = bounds
    for x in values(table, [table.row])[0]:
        for v in x if isinstance(x, list) else [x]:
            assert isinstance(v, float) and abs(v) <= language.LARGEST
            assert (low is None or v >= low) and (high is None or v <= high)
    assert held.tobytes() == before


@pytest.mark.parametrize("bounds", [*BOUNDS[:4], (-(2**70), 2**70), (2**64, 2**65), (-9, -(2**66))])
@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8, np.uint64, object])
def test_columns_of_integers(kind: Any, bounds: tuple[Any, Any]) -> None:
    low, high = sorted(bounds) if None not in bounds else bounds
    low, high = (None if end is None else int(end) for end in (low, high))
    known = HUGE if kind is object else [
        n for n in HUGE if np.iinfo(kind).min <= n <= np.iinfo(kind).max
    ]  # fmt: skip
    column = Stored("integer", np.array(known, kind), low, high)
    node = column.node(0)
    table = Table((column,), node)
    nodes = [node, language.mul(node, node), language.neg(node), language.as_double(node)]
    assert differences(table, nodes, 3) == []
    expected = [n if low is None else max(n, low) for n in known]
    expected = [n if high is None else min(n, high) for n in expected]
    assert values(table, [node])[0] == expected


# -- what the evaluators refuse


def test_another_evaluator_is_refused() -> None:
    table = tables(Random(1), 3)
    with evaluated_by("duckdb"), pytest.raises(ParameterError, match=VARIABLE) as caught:
        table.array(table.row[0])
    assert isinstance(caught.value, MetricdpError) and "reference" in str(caught.value)


@pytest.mark.parametrize("name", ["arrays", "reference"])
def test_an_unknown_operator_is_refused(name: str) -> None:
    table = tables(Random(1), 3)
    with evaluated_by(name), pytest.raises(InternalError, match="no operator"):
        table.array(Node("median", (table.row[0],), "double"))
    with evaluated_by(name), pytest.raises(InternalError, match="of text has no"):
        table.array(Node("exp", (table.row[6],), "double"))


def test_what_the_language_does_not_say_is_refused() -> None:
    x, _, n, *_, text, vector = tables(Random(1), 3).row
    refused: list[Callable[[], Any]] = [
        partial(language.add, text, 1),
        partial(language.lt, text, 1),
        partial(language.text, text, "encode"),
        partial(language.text, x, "lower"),
        partial(language.text, text, "startswith", text),
        partial(language.power, n, -1),
        partial(language.power, n, n),
        partial(language.power, n, 1000),
        partial(language.select, language.lt(vector, 0), text, "a"),
        partial(bool, language.lt(vector, 0)),
        partial(language.function, "erf", x),
    ]
    for each in refused:
        with pytest.raises(Untraceable):
            each()
    with pytest.raises(Untraceable):
        tables(Random(1), 3).filtered(language.lt(vector, 0))


# -- defects that the laws see


PLANTED: dict[str, tuple[str, str, Any]] = {
    "exp of NumPy": ("exp", "double", lambda node, x: np.exp(np.minimum(x, 700.0))),
    "a sum that wraps": ("add", "integer", lambda node, x, y: np.add(
        np.asarray(x).astype(np.int64), np.asarray(y).astype(np.int64))),
    "halves away from 0": ("round", "double", lambda node, x: np.floor(
        np.clip(x, -1e9, 1e9) + 0.5).astype(np.int64)),
    "a quotient towards 0": ("floordiv", "double", lambda node, x, y: np.trunc(np.divide(x, y))),
    "x / 0 as the largest": ("div", "double", lambda node, x, y: np.clip(
        np.divide(x, y), -1e300, 1e300)),
    "the wrong side": ("select", "", lambda node, test, x, y: np.where(test, y, x)),
    "an end left out": ("clamp", "", lambda node, x: np.maximum(x, node.public[0])),
    "another order of a sum": ("sum", "", lambda node, x: arrays.finite(node, x[2] + x[1] + x[0])),
}  # fmt: skip


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_defect_is_seen(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    operator, base, work = PLANTED[name]
    monkeypatch.setitem(arrays._MEANINGS, (operator, base), work)
    table = tables(Random(3), 60)
    x, y, n, m, k, test, _, vector = table.row
    nodes = [
        language.exp(y), language.add(n, n), language.nearest_integer(y), language.floordiv(x, y),
        language.div(x, y), language.select(test, x, y), language.clamp(language.neg(x), -1, 1),
        language.total(vector), language.add(m, k),
    ]  # fmt: skip
    assert {node.operator for node in nodes if _differ(table, node)} == {PLANTED[name][0]}


def _differ(table: Table, node: Node) -> bool:
    with np.errstate(all="ignore"):
        try:
            return differences(table, [node]) != []
        except (OverflowError, TypeError):
            return True
