"""Steps of descent on rows: exact on the grid that rows are moved to, and the same everywhere."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any

import numpy as np
import pytest

import metricdp as dp
from metricdp.columns.evaluators import VARIABLE
from metricdp.columns.grids import BallBeside, GridRange, Squares, ball_of
from metricdp.columns.totals import SquaresTotal, ball_ticks
from metricdp.errors import InternalError, SpaceError
from metricdp.primitives.vectors import _descent, logistic_step, ridge_step
from metricdp.run.rows import RowTables
from metricdp.values import NumberMatrix, Numbers

LARGEST = 1.7976931348623157e308
UNIT = ball_of(None, None, [("L2", Fraction(1))])
assert UNIT is not None
EXPONENT = UNIT.entries.exponent
BOUND = BallBeside(UNIT, GridRange(EXPONENT, -(1 << -EXPONENT), 1 << -EXPONENT))


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
        BallBeside(UNIT, GridRange(0, -1, 1))


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


def test_sizes_in_short_numbers_are_no_smaller() -> None:
    rng = np.random.default_rng(10)
    for bits in (8, 64, 300):
        for _ in range(50):
            long = [int(v) ** 60 + 1 for v in rng.integers(-(10**9), 10**9, 3)]
            bottom = int(rng.integers(1, 10**9)) ** int(rng.integers(1, 100))
            short = _descent.upper(_descent.GridPoint(tuple(long), bottom), bits)
            for v, w in zip(long, short.ticks, strict=True):
                true, found = Fraction(abs(v), bottom), Fraction(abs(w), short.bottom)
                assert 0 <= found - true <= Fraction(4, 2**bits) * (1 + true)


def test_a_point_is_moved_into_its_ball_and_no_further() -> None:
    bottom = 3**700
    for radius in (Fraction(1), Fraction(1, 10**40), Fraction(10**30, 7)):
        for share in (
            Fraction(1, 2),
            1 - Fraction(1, 2**400),
            1 + Fraction(1, 2**400),
            Fraction(9),
        ):
            ticks = (
                int(radius * share * 4 * bottom // 5),
                -int(radius * share * 3 * bottom // 5),
                0,
            )
            found = _descent.into_ball(_descent.GridPoint(ticks, bottom), radius)
            at = [Fraction(v, found.bottom) for v in found.ticks]
            assert sum(v * v for v in at) <= radius * radius
            true = [Fraction(v, bottom) * min(1, 1 / share) for v in ticks]
            off = sum((a - b) ** 2 for a, b in zip(at, true, strict=True))
            assert off <= Fraction(1, 2**240) and (share > Fraction(1, 2) or found.ticks == ticks)


# -- the logistic loss

flint = pytest.importorskip("flint")
arb = flint.arb


def _true(theta: list[Fraction], rows: list[list[float]]) -> list[Any]:
    """The mean gradient of the loss that the proof is about, as enclosures."""
    table = _descent.table([[Fraction(v) for v in row] for row in rows], theta)
    x, y = _descent.features_and_label(table, Fraction(0))
    ((_, (features, labels)),) = table.pieces(x, y)
    width = len(theta)
    inward = 1 - Fraction(2 * width.bit_length() + 8, 2**51)
    total = [arb(0)] * width
    for row, label in zip(features.T.tolist(), labels.tolist(), strict=True):
        z = [Fraction(v) * inward for v in row]
        assert sum(v * v for v in z) <= 1
        inner = sum((a * b for a, b in zip(theta, z, strict=True)), Fraction(0))
        residual = 1 / (1 + (-_ball(inner)).exp()) - _ball(Fraction(label))
        total = [t + residual * _ball(v) for t, v in zip(total, z, strict=True)]
    return [t / len(rows) for t in total]


def _ball(x: Fraction) -> Any:
    return arb(x.numerator) / arb(x.denominator)


def _error(theta: list[Fraction], rows: list[list[float]]) -> Any:
    """How far a step with rate 1 and no decay is off, over what its rule says."""
    found = logistic_step.run(theta, rows, 1, 0)
    true = _true(theta, rows)
    off = [_ball(t - f) - g for t, f, g in zip(theta, found, true, strict=True)]
    size = sum((v * v for v in off), arb(0)).sqrt()
    return size / (arb(len(theta)).sqrt() * _ball(logistic_step.ERROR))


THETAS: tuple[list[Fraction], ...] = (
    [Fraction(0)] * 3,
    [Fraction(1, 3), Fraction(-2, 7), Fraction(1)],
    [Fraction(300), Fraction(-200), Fraction(1, 10**30)],
    [Fraction(3 * 10**6), Fraction(-(10**6)), Fraction(7)],
    [Fraction(10**40), Fraction(1, 10**40), Fraction(-(10**39), 7)],
)


@pytest.mark.parametrize("theta", THETAS, ids=range(len(THETAS)))
def test_gradients_are_as_near_as_their_rule_says(
    theta: list[Fraction], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(flint.ctx, "prec", 600)
    rng = np.random.default_rng(6)
    rows = np.nan_to_num(_strange(rng, 200, 4), nan=0.0, posinf=LARGEST, neginf=-LARGEST) + 0.0
    # Rows on the sphere, and rows that are orthogonal to the weights but for the last bits.
    turned = rng.normal(0, 1, (200, 4))
    long = np.array([float(v) for v in theta])
    if long.any():
        long = long / np.linalg.norm(long)
        turned[:, :3] -= np.outer(turned[:, :3] @ long, long)
    for data in (rows, turned):
        assert _error(theta, data.tolist()) <= 1


def test_a_long_inner_product_in_doubles_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flint.ctx, "prec", 600)
    monkeypatch.setattr(logistic_step, "_NEAR", 10**60)
    theta = [Fraction(10**16, 3), Fraction(-(10**16), 7), Fraction(1)]
    rows = np.random.default_rng(7).normal(0, 1, (20, 4))
    long = np.array([float(v) for v in theta])
    rows[:, :3] -= np.outer(rows[:, :3] @ long, long) / (long @ long)
    assert _error(theta, rows.tolist()) > 1


def test_logistic_steps_are_the_same_in_arrays_lists_and_the_reference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(8)
    rows = np.nan_to_num(_strange(rng, 200, 4), nan=0.0, posinf=LARGEST, neginf=-LARGEST) + 0.0
    table = RowTables().of(_matrix(rows))
    assert table is not None
    for theta in THETAS:
        found = list(logistic_step.of_rows(theta, table, 1, Fraction(1, 10)).vector())
        assert found == logistic_step.run(theta, rows.tolist(), 1, Fraction(1, 10))
        monkeypatch.setenv(VARIABLE, "reference")
        assert list(logistic_step.of_rows(theta, table, 1, Fraction(1, 10)).vector()) == found
        monkeypatch.delenv(VARIABLE)


def test_other_rows_keep_their_gradients_bit_for_bit() -> None:
    """One row moves a step from the same weights by what it adds, and by no rounding of others."""
    rng = np.random.default_rng(9)
    rows = rng.normal(0, 1, (64, 4)).tolist()
    for theta in THETAS:
        before = logistic_step.run(theta, rows, 1, 0)
        for place in (0, 31, 63):
            for row in ([0.0, 0.0, 0.0, 0.0], [1e300, -1.0, 5.0, 1.0], rows[place]):
                after = logistic_step.run(theta, [*rows[:place], row, *rows[place + 1 :]], 1, 0)
                alone = [
                    logistic_step.run(theta, [each, *[[0.0] * 4] * 63], 1, 0)
                    for each in (row, rows[place])
                ]
                moved = [a - b for a, b in zip(after, before, strict=True)]
                assert moved == [a - b for a, b in zip(*alone, strict=True)]
                assert sum(v * v for v in moved) <= Fraction(2, 64) ** 2


def test_rounding_moves_weights_that_are_close_and_is_paid_for() -> None:
    """Without the slack of the rule two close points would be further apart than it says."""
    rng = np.random.default_rng(12)
    rows = rng.normal(0, 0.3, (5, 4)).tolist()
    growth, slack = Fraction(1), 2 * logistic_step.ERROR * 2  # sqrt(3) < 2
    most = Fraction(0)
    for _ in range(200):
        theta = [Fraction(float(v)) for v in rng.normal(0, 1, 3)]
        d = Fraction(1, 2**45)
        near = [theta[0] + d, *theta[1:]]
        pair = [logistic_step.run(point, rows, 1, 0) for point in (theta, near)]
        moved = sum((a - b) ** 2 for a, b in zip(*pair, strict=True))
        assert moved <= (growth * d + slack) ** 2
        most = max(most, moved)
    assert most > (growth * d) ** 2


Rows = Annotated[dp.Matrix[dp.Data, dp.LInf], dp.Size("n", "c")]
RATE, GROWTH = 2**20, 2**20 * 5 // 4 - 1


@dp.transformation
def moved_twice(rows: Rows, start: dp.Vector[dp.Real, dp.L2], k: int):  # type: ignore[no-untyped-def]
    weights = dp.logistic_step(start, rows, 1048576, 1)
    for _ in range(k):
        weights = dp.logistic_step(weights, rows, 1048576, 1)
    return weights


@dp.transformation
def added_up(rows: Rows, k: int):  # type: ignore[no-untyped-def]
    weights = dp.logistic_step(0.0, rows, 1048576, 1)
    total = dp.logistic_step(0.0, rows, 1048576, 1)
    for _ in range(k):
        total = total + weights
        weights = dp.logistic_step(weights, rows, 1048576, 1)
    return total


def _stability(program: Any, name: str, k: int) -> Fraction:
    """The printed bound at distance 1, for 7 rows of 16 features, rounded up by next to nothing."""
    (given,) = (each for each in program.guarantee.data.inputs if each.name == name)
    at = {"d_in": Fraction(1), "n": Fraction(7), "c": Fraction(17), "k": Fraction(k)}
    found: Fraction = given.stability.upper(at)
    return found


#: What rounding adds to the distance of two points: for 16 features, 4 times this.
SLACK = 4 * Fraction(RATE, 2**36)
ADDED = Fraction(2 * RATE, 7)


@pytest.mark.parametrize("k", [0, 1, 2, 5, 30])
def test_rounding_counts_in_every_round(k: int) -> None:
    from_rows, from_start = ADDED, GROWTH + SLACK
    for _ in range(k):
        from_rows = GROWTH * from_rows + SLACK + ADDED
        from_start = GROWTH * from_start + SLACK
    for name, expected in (("rows", from_rows), ("start", from_start)):
        found = _stability(moved_twice, name, k)
        assert 0 <= found - expected <= expected / 10**12


@pytest.mark.parametrize("k", [0, 1, 2, 5, 30])
def test_rounding_counts_in_what_is_made_of_the_rounds(k: int) -> None:
    moved, total = ADDED, ADDED
    for _ in range(k):
        total += moved
        moved = GROWTH * moved + SLACK + ADDED
    assert _stability(added_up, "rows", k) >= total
