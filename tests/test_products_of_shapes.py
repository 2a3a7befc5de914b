"""Products with public arrays of which only the shape is known: as many entries as a run makes."""

from __future__ import annotations

import itertools
from typing import Annotated, Any

import numpy as np
import pytest

import metricdp as dp
from metricdp.audit.values import plain
from metricdp.run.emit import Recording


@dp.measurement
def wide(x: Annotated[dp.Vector[dp.Real, dp.L2], dp.Size(2)], rho: float):  # type: ignore[no-untyped-def]
    return dp.gaussian(dp.sum(np.clip(x @ np.ones((2, 5)), 0, 1)), rho=rho)


@dp.measurement
def from_the_left(x: Annotated[dp.Vector[dp.Real, dp.L2], dp.Size(2)], rho: float):  # type: ignore[no-untyped-def]
    return dp.gaussian(dp.sum(np.clip(np.ones((5, 2)) @ x, 0, 1)), rho=rho)


@dp.measurement
def one_number_a_row(m: Annotated[dp.Matrix[dp.Real, dp.L2], dp.Size(2, 2)], rho: float):  # type: ignore[no-untyped-def]
    return dp.gaussian(dp.sum([np.clip(row @ np.ones(2), 0, 1) for row in m]), rho=rho)


def entered(program: Any, x: Any) -> tuple[float, float]:
    """What enters the noise, and how far one unit was proved to move it."""
    record = Recording(dp.Seeded(3))
    with dp.handling(record):
        program(x, rho=1.0)
    (entry,) = record.log
    return float(plain(entry.value)), float(entry.draw.bound)


@pytest.mark.parametrize("program", [wide, from_the_left, one_number_a_row])
def test_what_is_clipped_has_as_many_entries_as_were_charged(program: Any) -> None:
    """A product of two entries that is five in a run would move by more than its bound."""
    matrix = program is one_number_a_row
    points = [[0.0, 0.0], [1.0, 0.0], [0.5, 0.5], [2.0, 0.0], [3.0, 0.0]]
    moved = 0.0
    for a, b in itertools.combinations(points, 2):
        distance = float(np.linalg.norm(np.subtract(a, b)))
        units = int(np.ceil(distance))
        if units > 3:
            continue
        values = [entered(program, [p, [0.0, 0.0]] if matrix else p) for p in (a, b)]
        assert abs(values[0][0] - values[1][0]) <= values[0][1] * max(units, 1)
        moved = max(moved, abs(values[0][0] - values[1][0]))
    assert moved == (1.0 if matrix else 5.0)
