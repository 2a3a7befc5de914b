"""Arithmetic on columns: what a run computes, and how far neighbours move it."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
import pytest
from column_graphs import evaluated_by

import metricdp as dp
from metricdp.audit.values import plain
from metricdp.run.emit import Recording


@dataclass
class Pair:
    x: float
    y: float


@dp.measurement
def asked(pairs: dp.Records[Pair], eps: float):  # type: ignore[no-untyped-def]
    x, y = np.clip(pairs["x"], 0, 3), np.clip(pairs.y, -1, 1)
    kept = x[(x > 1) & ~(y > 0)]
    values = [
        np.sum(x**2), np.sum((x - 1) / 4 * 2), np.sum(3 - x // 2), np.sum(x * y),
        np.sum(np.sqrt(x)), np.sum(np.maximum(x, y) - abs(-y)), np.sum(y > 0), np.sum(kept),
        np.sum(np.where(x > y, np.square(y), 2)), np.sum(np.log1p(x)),
    ]  # fmt: skip
    return [dp.laplace(value, epsilon=eps) for value in values]


@dp.measurement
def norms(m: Annotated[dp.Matrix[dp.Real, dp.L2], dp.Size(2, 2)], rho: float):  # type: ignore[no-untyped-def]
    return dp.gaussian(np.sum(np.linalg.norm(m, axis=1)), rho=rho)


#: How far one row moves each of them.
MOVES = (9, 1, 3, 3, Fraction(173205081, 10**8), 3, 1, 3, 2, math.log(4))
VALUES = (-2.0, 0.0, 0.5, 1.5, 4.0, float("nan"))


def by_numpy(rows: list[Pair]) -> list[float]:
    x = np.clip(np.nan_to_num([row.x for row in rows]), 0, 3)
    y = np.clip(np.nan_to_num([row.y for row in rows]), -1, 1)
    kept = x[(x > 1) & ~(y > 0)]
    return [
        np.sum(x**2), np.sum((x - 1) / 4 * 2), np.sum(3 - x // 2), np.sum(x * y),
        np.sum(np.sqrt(x)), np.sum(np.maximum(x, y) - abs(-y)), np.sum(y > 0), np.sum(kept),
        np.sum(np.where(x > y, np.square(y), 2)), np.sum(np.log1p(x)),
    ]  # fmt: skip


def entered(rows: list[Pair]) -> tuple[list[Any], list[Any]]:
    """What enters the noise, and the scales of the draws."""
    record = Recording(dp.Seeded(3))
    with dp.handling(record):
        asked(rows, eps=1)
    return [plain(entry.value) for entry in record.log], [entry.draw for entry in record.log]


@pytest.mark.parametrize("evaluator", ["arrays", "reference"])
def test_a_run_computes_what_numpy_computes(evaluator: str) -> None:
    """An operand in the wrong place, or of another row, gives other sums."""
    rows = [Pair(x, y) for x, y in itertools.product(VALUES, VALUES)]
    with evaluated_by(evaluator, rows=5):
        values, _ = entered(rows)
    assert [float(v) for v in values] == pytest.approx(by_numpy(rows), abs=1e-6)


def test_neighbours_move_what_enters_the_noise_by_no_more_than_was_proved() -> None:
    """A claim below the largest movement of one of the sums would be refuted here."""
    base = [Pair(1.5, -1.0), Pair(4.0, 0.5)]
    before, draws = entered(base)
    largest = [0.0] * len(before)
    pool = [Pair(x, y) for x, y in itertools.product((0.0, 1.5, 4.0), (-1.0, 0.0, 1.0))]
    for distance in (1, 2, 3):
        for added in itertools.combinations_with_replacement(pool, distance):
            after, _ = entered([*base, *added])
            moved = [abs(float(p) - float(q)) for p, q in zip(before, after, strict=True)]
            largest = [max(m, d / distance) for m, d in zip(largest, moved, strict=True)]
    for moved, bound, draw in zip(largest, MOVES, draws, strict=True):
        assert float(draw.scale) == pytest.approx(float(bound))
        assert moved <= float(draw.scale) + 1e-6
    # With nine tenths of the bounds, some neighbours would be too far apart.
    assert sum(m > 0.9 * float(b) for m, b in zip(largest, MOVES, strict=True)) >= 7


def test_norms_of_rows_are_those_of_each_row_and_move_as_the_rows_do() -> None:
    """The norm of the whole matrix would be another number, and smaller."""
    points = [[0.0, 0.0], [3.0, 4.0], [1.0, 0.0], [0.0, 2.0]]
    for rows in itertools.product(points, repeat=2):
        for other in points:
            record = Recording(dp.Seeded(3))
            with dp.handling(record):
                norms([*rows], rho=1)
                norms([other, rows[1]], rho=1)
            before, after = (float(plain(entry.value)) for entry in record.log)
            assert before == pytest.approx(np.linalg.norm(rows, axis=1).sum())
            distance = float(np.linalg.norm(np.subtract(rows[0], other)))
            assert abs(before - after) <= float(record.log[0].draw.bound) * distance + 1e-9
