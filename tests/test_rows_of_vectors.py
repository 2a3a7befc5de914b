"""Loops over rows that are vectors: in columns they add what they add row by row, within bounds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from column_graphs import differences

import metricdp as dp
from metricdp import L1, L2, Data, LInf, algorithms
from metricdp.columns import language
from metricdp.columns.grids import Ball, Squares, ball_of
from metricdp.columns.stored import Stored
from metricdp.columns.table import Table
from metricdp.columns.totals import ball_ticks
from metricdp.primitives import load
from metricdp.record import REGISTRY
from metricdp.run import rowwise
from metricdp.run.machine import Machine
from metricdp.run.pins import pinned
from metricdp.run.rows import RowTables

#: Noise that is far smaller than what is compared.
LOUD = 1e26
ZEROS = (0.0,) * 4


def rows_and_labels(n: int = 60) -> tuple[Any, Any]:
    rng = np.random.default_rng(5)
    rows = rng.normal(0, 0.6, (n, 4))
    return rows, np.clip(rows[:, 0] - rows[:, 1] + rng.normal(0, 0.2, n), -1.5, 1.5)


def centres() -> Any:
    return tuple(tuple(map(float, row)) for row in rows_and_labels()[0][:3])


PROGRAMS = {
    "logistic": lambda x, y: algorithms.logistic_regression(
        (x, y), ZEROS, rounds=3, rate=1.0, rho=LOUD
    ),
    "linear": lambda x, y: algorithms.linear_regression(
        (x, y), ZEROS, rounds=3, rate=0.5, rho=LOUD
    ),
    "k-means": lambda x, y: algorithms.clusters(x, centres(), rounds=3, rho=LOUD),
    "Frank-Wolfe": lambda x, y: algorithms.frank_wolfe((x, y), ZEROS, 2.0, rounds=3, eps=LOUD),
    "covariance": lambda x, y: algorithms.covariance(x, radius=1.5, rho=LOUD),
    "components": lambda x, y: algorithms.principal_components(x, radius=1.5, rho=LOUD),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_columns_add_what_rows_add_one_by_one(name: str, monkeypatch: Any) -> None:
    by_row: list[str] = []
    monkeypatch.setattr(rowwise, "asked", _watched(by_row))
    in_columns = PROGRAMS[name](*rows_and_labels()).value
    assert not by_row
    monkeypatch.setattr(RowTables, "of", lambda self, items: None)
    one_by_one = PROGRAMS[name](*rows_and_labels()).value
    np.testing.assert_allclose(np.array(in_columns), np.array(one_by_one), rtol=1e-9, atol=1e-11)


def _watched(found: list[str]) -> Any:
    """The sums of a loop, with what keeps one from columns put into a list."""
    inner = rowwise.asked

    def asked(*given: Any, **named: Any) -> Any:
        try:
            return inner(*given, **named)
        except language.Untraceable as error:
            found.append(error.what)
            raise

    return asked


# -- what a run may enforce, and what it may not


@dp.transformation
def clipped_sum(rows: dp.Matrix[Data, LInf]):
    total = 0.0
    for row in rows:
        total += dp.undisc(dp.clip(row, L2))
    return total


@dp.transformation
def outer_sum(rows: dp.Matrix[Data, LInf]):
    total = 0.0
    for row in rows:
        total += dp.outer(dp.undisc(dp.clip(row, L2)))
    return total


@dp.transformation
def sine_sum(numbers: dp.Vector[Data, L1]):
    total = 0.0
    for x in numbers:
        total += dp.sin(dp.undisc(dp.clamp(x, 0, 0.125)))
    return total


@dp.transformation
def real_sum(numbers: dp.Vector[dp.Real, L1]):
    total = 0.0
    for x in numbers:
        total += dp.clamp(x, 0, 1)
    return total


@dp.transformation
def captured_sum(numbers: dp.Vector[Data, L1], shift: dp.Real):
    total = 0.0
    for x in numbers:
        total += dp.clamp(dp.undisc(dp.clamp(x, 0, 1)) + shift, 0, 1)
    return total


@dp.transformation
def halving(numbers: dp.Vector[Data, L1]):
    total = 0.0
    for x in numbers:
        total = total / 2 + dp.undisc(dp.clamp(x, 0, 1))
    return total


def noted(function: Any) -> dict[str, Any]:
    enforced = function._checked[1].enforced
    return {address: space for address, space in enforced.items() if space is not None}


def test_what_the_ball_implies_is_noted() -> None:
    (space,) = noted(clipped_sum).values()
    assert dict(space.radius)["L2"] == 1


def test_products_are_noted_by_their_factor() -> None:
    (address,) = noted(outer_sum)
    assert address.endswith(":total:outer")


@pytest.mark.parametrize("function", [sine_sum, real_sum, captured_sum, halving])
def test_what_the_range_does_not_imply_is_not_noted(function: Any) -> None:
    # The sine is proved to move by 1/8 and ranges over 2; real numbers move by as little as they
    # like; a captured number moves all rows; a state that is halved is more than a sum.
    assert not noted(function)


@dp.transformation
def sum_and_count(rows: dp.Matrix[Data, LInf]):
    total, count = 0.0, 2
    for row in rows:
        total += dp.undisc(dp.clip(row, L2))[0]
        count += 3
    return total if count > 0 else 0.0 * total


def test_a_public_count_beside_a_sum(monkeypatch: Any) -> None:
    by_row: list[str] = []
    monkeypatch.setattr(rowwise, "asked", _watched(by_row))
    rows = np.array([[0.5, 0.25], [2.0, 0.0], [-0.125, 0.5]])
    assert float(sum_and_count(rows)) == pytest.approx(1.375, rel=1e-12)
    assert not by_row


def test_a_lipschitz_sum_runs_exactly(monkeypatch: Any) -> None:
    numbers = np.array([0.0, 0.03, 0.125, 7.0, -1.0])
    found = sine_sum(numbers)
    monkeypatch.setattr(RowTables, "of", lambda self, items: None)
    assert Fraction(found) == Fraction(sine_sum(numbers))


EXTREMES = [
    [1e308, -1e308, 1e308, 1e308],
    [np.nan, np.inf, -np.inf, 0.0],
    [5e-324, 0.0, -5e-324, 0.0],
    [1.0, 0.0, 0.0, 0.0],
    [0.6, -0.8, 0.0, 0.0],
    [0.5, 0.5, 0.5, 0.5],
    [0.5000000000000001, 0.5, 0.5, 0.5],
    [-1e-3, 1e3, 1e-300, 1e300],
]


@pytest.mark.parametrize("first", EXTREMES)
@pytest.mark.parametrize("second", EXTREMES)
def test_one_row_replaced_moves_sums_by_no_more_than_the_proof(first: Any, second: Any) -> None:
    rows = rows_and_labels(20)[0]
    near = rows.copy()
    rows[7], near[7] = first, second
    change = _difference(clipped_sum(rows), clipped_sum(near))
    assert sum(v * v for v in change) <= 4
    change = _difference(outer_sum(rows), outer_sum(near))
    assert sum(v * v for v in change) <= 2


def _difference(x: Any, y: Any) -> list[Fraction]:
    return [Fraction(a) - Fraction(b) for a, b in zip(x, y, strict=True)]


# -- ticks


BALLS = [
    ball_of(None, None, [("L2", Fraction(1))]),
    ball_of(None, None, [("L2", Fraction(2, 3))]),
    ball_of(None, None, [("L1", Fraction(1))]),
    ball_of(Fraction(-1), Fraction(1, 3), [("L2", Fraction(1)), ("L1", Fraction(5, 4))]),
    ball_of(Fraction(0), Fraction(1), []),
    ball_of(Fraction(-3), Fraction(3), [("L2", Fraction(3))], whole=True),
    ball_of(None, None, [("L2", Fraction(1, 10**400))]),
]


@pytest.mark.parametrize("ball", BALLS)
def test_arrays_of_ticks_are_those_of_the_reference(ball: Ball) -> None:
    rng = np.random.default_rng(2)
    rows = rng.normal(0, 0.7, (300, 4))
    rows[:50] /= np.linalg.norm(rows[:50], axis=1, keepdims=True)
    rows[50:90] = np.round(rows[50:90])
    rows[90:98] = np.nan_to_num(np.array(EXTREMES))
    found = ball_ticks(np.ascontiguousarray(rows.T), ball)
    assert [list(map(int, row)) for row in found.T.tolist()] == [
        ball.ticks(row) for row in rows.tolist()
    ]


def test_sums_of_products_are_those_of_the_reference() -> None:
    rng = np.random.default_rng(3)
    rows = rng.normal(0, 0.5, (9000, 3))
    held = Stored("double", rows)
    table = Table((held,), held.node(0))
    squares = Squares(BALLS[0])
    (found,) = table.totals([(table.row, squares)])
    unit = Fraction(2) ** (2 * BALLS[0].entries.exponent)
    expected = [unit * sum(each) for each in zip(*map(squares.ticks, rows.tolist()), strict=True)]
    assert list(found.vector()) == expected


# -- records of vectors


def table_of(rows: Any) -> Table:
    held = Stored("double", np.asarray(rows, np.float64))
    return Table((held,), held.node(0))


W = (0.5, -1.25, 2.0, 0.75)
FORMS: list[tuple[str, tuple[Any, ...]]] = [
    ("dot", (W,)),
    ("norm", ("L1",)),
    ("norm", ("L2",)),
    ("norm", ("LInf",)),
    ("clip", ("L2", 1)),
    ("clip", ("L1", Fraction(1, 2))),
    ("clip", ("LInf", 1)),
    ("outer", ()),
    ("concat", (W,)),
    ("index", (1,)),
    ("index", (-1,)),
    ("index", (9,)),
    ("index", (-9,)),
    ("slice", (1, 3, ...)),
    ("slice", (..., ..., -1)),
    ("size", ()),
    ("sum", ()),
    ("mean", ()),
    ("max", ()),
    ("min", ()),
    ("sort", ()),
    ("softmax", ()),
    ("logsumexp", ()),
    ("norm_convert", ("L1",)),
    ("add", (W,)),
    ("sub", (W,)),
    ("mul", (3,)),
    ("neg", ()),
    ("abs", ()),
    ("clamp", (-1, Fraction(1, 2))),
]


@pytest.mark.parametrize(("name", "given"), FORMS)
def test_forms_of_vectors_are_near_the_reference(name: str, given: Any) -> None:
    load()
    record = pinned(REGISTRY[name])
    rows = rows_and_labels(40)[0]
    table = table_of(rows)
    assert record.columnar is not None
    found = table.array(language.constant(record.columnar(table.row, *given)))
    for i, row in enumerate(rows.tolist()):
        expected = record.run([Fraction(v) for v in row], *given)
        expected = expected if isinstance(expected, list) else [expected]
        each = np.atleast_1d(found[..., i] if found.size > 1 or found.ndim > 1 else found)
        np.testing.assert_allclose(each, [float(v) for v in expected], rtol=1e-12, atol=1e-13)


def test_a_position_of_the_row_chooses_an_entry() -> None:
    rows = [[0.0, 10, 11, 12], [2, 10, 11, 12], [-1, 10, 11, 12], [7, 10, 11, 12], [-9, 1, 2, 3]]
    table = table_of(rows)
    row = table.row
    found = table.array(language.at(row, language.at(row, 0)))
    assert found.tolist() == [0.0, 11.0, 12.0, 12.0, -9.0]


def _square_of_positive(v: Any) -> Any:
    return language.mul(v, v) if language.gt(v, 0) else v


def test_functions_of_entries() -> None:
    table = table_of([[1.0, -2.0], [0.5, 3.0]])
    record = pinned(REGISTRY["map"])
    assert record.columnar is not None
    found = table.array(record.columnar(_square_of_positive, table.row))
    assert found.T.tolist() == [[1.0, -2.0], [0.25, 9.0]]


@pytest.mark.parametrize("name", ["max", "min", "sum", "mean", "sort", "index", "norm", "softmax"])
def test_a_record_of_one_vector_is_not_applied_to_every_row_of_a_table(name: str) -> None:
    machine = Machine(lambda *given: None)
    rows = np.array([[1.0, 2.0], [3.0, 4.0]])
    given = (1,) if name == "index" else ()
    try:
        found = machine.primitive(name, None, table_of(rows), *given)
    except Exception:  # rows of vectors have no maximum
        return
    assert not isinstance(found, Table)


def functions_of_rows(row: Any) -> list[Any]:
    x = language.scaled_into(row, "L2", 1)
    return [
        x,
        language.dot(x, W),
        language.sigmoid(language.dot(x, W)),
        language.outer(x),
        language.length_in(row, "L2"),
        language.shares(row),
        language.log_of_exponentials(row),
        language.rising(row),
    ]


def test_a_row_gives_the_same_bits_wherever_it_stands() -> None:
    rows = rows_and_labels(997)[0]
    order = np.random.default_rng(7).permutation(997)
    for position in range(8):
        first, second = (
            table.array(functions_of_rows(table.row)[position])
            for table in (table_of(rows), table_of(rows[order][3:]))
        )
        assert (first[..., order[3:]] == second).all()


# -- what is asked again


def test_what_is_kept_changes_no_sum() -> None:
    rows = rows_and_labels(500)[0]
    table, ball = table_of(rows), BALLS[0]
    x = language.scaled_into(table.row, "L2", 1)
    for factor in (1.0, 0.5, 1.0, 0.25, 0.25):
        node = language.mul(language.dot(x, W), language.mul(x, factor))
        fresh = table_of(rows)
        (kept,) = table.totals([(node, ball)])
        (computed,) = fresh.totals([(node, ball)])
        assert list(kept.vector()) == list(computed.vector())


@dp.transformation
def sum_of_records(rows: dp.Records[dp.Vector[Data, LInf]]):
    found = 0.0
    for row in rows:
        found += dp.undisc(dp.clip(row, L2))
    return found


def test_rows_of_records_are_a_table() -> None:
    rows = rows_and_labels(50)[0]
    expected = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1)
    np.testing.assert_allclose(
        [float(v) for v in sum_of_records(rows)], expected.sum(axis=0), rtol=1e-9
    )


@pytest.mark.parametrize("width", [1, 2, 17, 37, 300])
def test_wide_rows_are_the_same_to_both_evaluators(width: int) -> None:
    rows = np.random.default_rng(width).normal(0, 1, (7, width)) * 10.0 ** np.arange(-3, 4)[:, None]
    table = table_of(rows)
    x = language.scaled_into(table.row, "L2", Fraction(1, 3))
    nodes = [x, language.total(x), language.dot(x, table.row), language.largest(table.row)]
    nodes += [language.rising(table.row), language.length_in(table.row, "L2")]
    assert differences(table, nodes, 3) == []
