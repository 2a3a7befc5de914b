"""Steps of descent on rows: exact on the grid that rows are moved to, and the same everywhere."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import metricdp as dp
from metricdp.columns.evaluators import VARIABLE
from metricdp.columns.grids import Beside, GridRange, Squares, ball_of
from metricdp.columns.totals import SquaresTotal, ball_ticks
from metricdp.errors import InternalError, SpaceError
from metricdp.primitives.vectors import ridge_step
from metricdp.run.rows import RowTables
from metricdp.values import NumberMatrix, Numbers

LARGEST = 1.7976931348623157e308
UNIT = ball_of(None, None, [("L2", Fraction(1))])
assert UNIT is not None
EXPONENT = UNIT.entries.exponent
BOUND = Beside(UNIT, GridRange(EXPONENT, -(1 << -EXPONENT), 1 << -EXPONENT))


def _strange(rng: np.random.Generator, rows: int, width: int) -> np.ndarray:
    """Rows in and out of the ball, and values that no operator leaves."""
    found = rng.normal(0, 1, (rows, width)) * 10.0 ** rng.uniform(-20, 20, (rows, 1))
    odd = [np.nan, np.inf, -np.inf, LARGEST, -0.0, 5e-324, 1.0, -1.0, 2.0**-39, 2.0**-40]
    places = rng.random(found.shape) < 0.2
    found[places] = rng.choice(odd, int(places.sum()))
    return found


def _matrix(array: np.ndarray) -> NumberMatrix:
    flat = Numbers(np.ascontiguousarray(array).ravel(), discrete=True)
    return NumberMatrix(flat, *array.shape)


def _moved(row: list[float]) -> tuple[list[int], int]:
    ticks = BOUND.ticks(row)
    return ticks[:-1], ticks[-1]


def test_a_ball_and_a_range_hold_in_arrays_and_in_the_reference() -> None:
    rng = np.random.default_rng(1)
    for width in (2, 3, 12):
        rows = np.nan_to_num(_strange(rng, 400, width), nan=0.0, posinf=LARGEST, neginf=-LARGEST)
        found = ball_ticks(np.ascontiguousarray(rows.T), BOUND)
        assert found.T.astype(object).astype(int).tolist() == list(map(BOUND.ticks, rows.tolist()))
    for row in _strange(rng, 400, 5):
        raw = ball_ticks(row[:, None], BOUND)[:, 0].tolist()
        *x, y = map(int, raw)
        assert sum(v * v for v in x) <= 1 << -2 * EXPONENT and abs(y) <= 1 << -EXPONENT
    with pytest.raises(InternalError):
        Beside(UNIT, GridRange(0, -1, 1))


def test_products_of_both_are_exact() -> None:
    rows = np.nan_to_num(np.random.default_rng(2).normal(0, 1, (5000, 4)))
    total = SquaresTotal(Squares(BOUND), 4)
    total.add(np.ascontiguousarray(rows.T))
    ticks = [BOUND.ticks(row) for row in rows.tolist()]
    exact = [sum(t[i] * t[j] for t in ticks) for i in range(4) for j in range(4)]
    assert [int(v) for v in total.sum] == exact


def _step(theta: list[Fraction], rows: list[list[float]], rate: Fraction, decay: Fraction) -> Any:
    """The formula itself, row by row, for rows that lie on the grid."""
    total = [Fraction(0)] * len(theta)
    for *x, y in rows:
        residual = sum((Fraction(a) * b for a, b in zip(x, theta, strict=True)), Fraction(0))
        residual -= Fraction(y)
        total = [t + residual * Fraction(a) for t, a in zip(total, x, strict=True)]
    n = len(rows)
    return [t - rate * (g / n + decay * t) for t, g in zip(theta, total, strict=True)]


def test_ridge_steps_are_exact() -> None:
    rng = np.random.default_rng(3)
    rows = (np.rint(rng.uniform(-0.5, 0.5, (37, 4)) * 2**20) / 2**20).tolist()
    theta, rate, decay = (
        [Fraction(1, 3), Fraction(-2, 7), Fraction(1)],
        Fraction(2, 3),
        Fraction(1, 5),
    )
    for _ in range(4):
        expected = _step(theta, rows, rate, decay)
        found = ridge_step.run(theta, rows, rate, decay, Fraction(100))
        assert found == expected
        theta = found


def test_arrays_lists_and_the_reference_give_one_step(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    rows = np.nan_to_num(_strange(rng, 300, 4), nan=0.0, posinf=LARGEST, neginf=-LARGEST) + 0.0
    table = RowTables().of(_matrix(rows))
    arguments = Fraction(1, 2), Fraction(1, 10), Fraction(2)
    theta = [Fraction(5), Fraction(-3, 7), Fraction(10**30)]
    found = list(ridge_step.of_rows(theta, table, *arguments).vector())
    assert found == ridge_step.run(theta, rows.tolist(), *arguments)
    again = ridge_step.of_rows(Numbers(np.array([1.0, 0.5, -2.0])), table, *arguments)
    assert list(again.vector()) == ridge_step.run(
        [1, Fraction(1, 2), -2], rows.tolist(), *arguments
    )
    monkeypatch.setenv(VARIABLE, "reference")
    assert list(ridge_step.of_rows(theta, table, *arguments).vector()) == found


def test_no_row_counts_for_more_than_one_in_the_ball() -> None:
    """Far rows point where they point, and move the weights by no more than rows of the ball."""
    calm = [[0.0, 0.0, 0.0]] * 9
    near = ridge_step.run(0, [[0.6, 0.8, 1.0], *calm], 1, 0, 1)
    far = ridge_step.run(0, [[6e200, 8e200, 1e300], *calm], 1, 0, 1)
    assert all(abs(a - b) < Fraction(1, 2**36) for a, b in zip(near, far, strict=True))


def test_sizes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(SpaceError):
        ridge_step.run([1, 2], [[0.0, 0.0]], 1, 1, 1)
    assert ridge_step.run([1, 2], [], 1, 1, 9) == [0, 0]


@dp.transformation
def descended(
    rows: dp.Matrix[dp.Data, dp.LInf], rounds: int, rate: float, decay: float, radius: float
) -> dp.Vector[dp.Real, dp.L2]:
    weights: Any = 0.0
    for _ in range(rounds):
        weights = dp.ridge_step(weights, rows, rate, decay, radius)
    return weights


def test_many_rounds_of_a_program_are_the_steps() -> None:
    rng = np.random.default_rng(5)
    rows = rng.normal(0, 1, (50, 3))
    expected: Any = 0
    for _ in range(60):
        expected = ridge_step.run(
            expected, rows.tolist(), Fraction(0.3), Fraction(0.1), Fraction(0.5)
        )
    for data in (rows, rows.tolist(), np.asfortranarray(rows)):
        found = descended(data, rounds=60, rate=0.3, decay=0.1, radius=0.5)
        assert list(found) == expected
