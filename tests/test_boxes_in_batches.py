"""Black boxes that take many rows at once: one result per row, whatever rows stand beside it."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
import pytest

import metricdp as dp
from metricdp import L2, Data, LInf
from metricdp.check.verdicts.api import check_source
from metricdp.expr import num
from metricdp.run.batches import ROWS, Batched
from metricdp.run.boxes import Copies
from metricdp.run.rows import RowTables
from metricdp.spaces import Scalar, Vector


@dp.black_box(returns=Annotated[dp.Vector[Data, LInf], dp.Size(3)], batched=True)
def features(rows, weights):
    x = np.asarray(rows)
    return np.column_stack([x[:, 0] * weights[0], x[:, 1] - weights[1], x.max(axis=1)])


@dp.black_box(returns=Annotated[dp.Vector[Data, LInf], dp.Size(3)])
def features_of_one(row, weights):
    return [row[0] * weights[0], row[1] - weights[1], max(row)]


@dp.transformation
def in_batches(rows: dp.Matrix[Data, LInf], weights: tuple[float, ...]):
    total = 0.0
    for row in rows:
        total += dp.undisc(dp.clip(features(row, weights), L2))
    return total


@dp.transformation
def one_by_one(rows: dp.Matrix[Data, LInf], weights: tuple[float, ...]):
    total = 0.0
    for row in rows:
        total += dp.undisc(dp.clip(features_of_one(row, weights), L2))
    return total


def data(n: int) -> Any:
    return np.random.default_rng(n).normal(0, 1, (n, 2))


@pytest.mark.parametrize("n", [1, 127, 128, 129, 700])
def test_batches_give_what_one_row_gives(n: int) -> None:
    weights = (0.5, -2.0)
    first, second = (f(data(n), weights) for f in (in_batches, one_by_one))
    np.testing.assert_allclose([float(v) for v in first], [float(v) for v in second], rtol=1e-9)


def test_row_by_row_a_box_is_called_with_a_full_batch_too(monkeypatch: Any) -> None:
    weights = (0.5, -2.0)
    in_columns = in_batches(data(5), weights)
    monkeypatch.setattr(RowTables, "of", lambda self, items: None)
    by_row = in_batches(data(5), weights)
    np.testing.assert_allclose([float(v) for v in in_columns], [float(v) for v in by_row], 1e-6)


@dp.black_box(returns=Annotated[dp.Vector[Data, LInf], dp.Size(2)])
def kinds(row):
    return [sum(isinstance(v, int) for v in row), len(row)]


@dp.transformation
def kinds_of_rows(rows: dp.Matrix[Data, LInf]):
    total = 0.0
    for row in rows:
        total += dp.undisc(dp.clamp(kinds(row), 0, 5))
    return total


def test_a_box_sees_the_same_in_columns_and_row_by_row(monkeypatch: Any) -> None:
    rows = np.array([[1.0, 0.5], [2.0, 3.0], [-1e300, 0.0]])
    in_columns = kinds_of_rows(rows)
    monkeypatch.setattr(RowTables, "of", lambda self, items: None)
    assert list(kinds_of_rows(rows)) == list(in_columns) == [5, 6]


def batched(function: Any, width: int | None = 1, lo: Any = None, hi: Any = None) -> Batched:
    space = Scalar("Data", kind="float") if width is None else Vector("Data", "LInf", num(width))
    if lo is not None:
        space = Vector("Data", "LInf", num(width or 1), num(lo), num(hi))
    return Batched(Copies(function), space, 0.25, (), {})


def test_every_call_has_the_same_number_of_rows() -> None:
    found = batched(lambda rows: np.full((len(rows), 1), float(len(rows))))
    assert set(found.rows(np.zeros((2, 5 * ROWS + 3))).ravel().tolist()) == {float(ROWS)}


def _fails_on_seven(rows: Any) -> Any:
    if (rows == 7).any():
        raise ValueError(rows)
    return 2 * rows


@pytest.mark.parametrize("n", [1, 5, 128, 300])
def test_only_rows_that_fail_by_themselves_get_the_default(n: int) -> None:
    x = np.arange(n, dtype=float)
    found = batched(_fails_on_seven, None).rows(x)
    expected = np.where(x == 7, 0.25, 2 * x)
    assert found.tolist() == expected.tolist()


@pytest.mark.parametrize(
    "function",
    [
        lambda rows: None,
        lambda rows: rows[:-1],
        lambda rows: rows.ravel(),
        lambda rows: rows.astype(str),
        lambda rows: rows.tolist(),
        lambda rows: rows.fill(0.0),
        lambda rows: [][0],
    ],
)
def test_what_is_no_result_gives_the_default(function: Any) -> None:
    assert batched(function).rows(np.ones((1, 3))).tolist() == [[0.25] * 3]


def test_results_are_numbers_within_their_bounds() -> None:
    given = np.array([[np.nan, np.inf, -np.inf, 3.0, -0.0]])
    found = batched(lambda rows: np.asarray(rows), 1, -2, 2).rows(np.nan_to_num(given))
    assert found.tolist() == [[0.0, 2.0, -2.0, 2.0, 0.0]]
    loud = batched(lambda rows: rows / 0.0, 1, -2, 2).rows(np.array([[1.0, -1.0, 0.0]]))
    assert loud.tolist() == [[2.0, -2.0, 0.0]]


def test_memory_does_not_last_from_one_call_to_the_next() -> None:
    seen: list[int] = []

    def counting(rows: Any) -> Any:
        seen.append(1)
        return np.full((len(rows), 1), float(len(seen)))

    found = batched(counting).rows(np.zeros((1, 3 * ROWS)))
    assert set(found.ravel().tolist()) == {1.0}


@pytest.mark.parametrize("row", ["text", ["a"], [10**400], None, [[1.0], [2.0, 3.0]]])
def test_a_row_of_any_content_gives_a_result(row: Any) -> None:
    assert batched(lambda rows: np.asarray(rows)[:, :1]).row(row) == [0.25]


def test_the_trust_is_printed() -> None:
    assert "bit for bit" in str(in_batches.guarantee)
    assert "bit for bit" not in str(one_by_one.guarantee)


def test_no_rows_add_nothing() -> None:
    assert list(in_batches(data(0), (1.0, 1.0))) == [0, 0, 0]


HEAD = """
from typing import Annotated
import metricdp as dp
from metricdp import Data, L2, LInf

@dp.black_box(returns={returns}, batched={batched})
def f(x, y=0.0):
    return x

@dp.transformation
def g(rows: dp.Matrix[Data, LInf], c: float, secret: dp.Real):
    total = 0.0
    for row in rows:
        total += dp.undisc(dp.clamp({call}, 0, 1))
    return total
"""
NUMBER = {"returns": "Data", "batched": "True", "call": "f(row, c)"}


def verdict(**changes: str) -> str:
    (found,) = check_source(HEAD.format(**{**NUMBER, **changes})).functions
    return found.verdict


def test_a_public_second_argument_is_proved() -> None:
    assert verdict() == "proved"


@pytest.mark.parametrize(
    "changes",
    [
        {"call": "f(c, row)"},
        {"call": "f(row, row)"},
        {"call": "f(row, y=secret)"},
        {"call": "f(x=row)"},
        {"call": "f(rows, c)"},
        {"returns": "int"},
        {"returns": "str"},
        {"returns": "dp.Real"},
        {"batched": "1"},
        {"batched": "LInf"},
    ],
)
def test_more_than_one_private_row_is_refused(changes: dict[str, str]) -> None:
    assert verdict(**changes) == "rejected"
