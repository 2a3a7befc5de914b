"""A private function of every column runs once per column, with the noise that was proved."""

from __future__ import annotations

from fractions import Fraction
from types import ModuleType

import numpy as np
import pytest
from checked_modules import load

PROGRAMS = """
@dp.measurement
def totals(m: dp.Matrix[Real, L1], b: float):
    return dp.reduce_cols(lambda c: dp.laplace(dp.sum_rows(c)[0], scale=b), m)


@dp.measurement
def read(m: dp.Matrix[Real, L1], b: float):
    found = dp.reduce_cols(lambda c: dp.laplace(dp.sum_rows(c)[0], scale=b), m)
    return max(found[0], found[1]), len(found)


@dp.transformation
def exact(m: dp.Matrix[Real, L1]):
    return dp.reduce_cols(lambda c: 2 * dp.sum_rows(c)[0], m)
"""
ROWS = [[1.0, 10.0, 100.0], [2.0, 20.0, 200.0]]


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(tmp_path_factory.mktemp("columns"), PROGRAMS)


@pytest.mark.parametrize("rows", [ROWS, np.array(ROWS)], ids=["lists", "array"])
def test_every_column_gets_its_own_noise(programs: ModuleType, rows: object) -> None:
    release = programs.totals(rows, b=2**-20)
    assert [round(v) for v in release.value] == [3, 30, 300]
    assert release.privacy["epsilon"] == str(3 * 2**20)
    assert [draw.scale for draw in release.draws] == [Fraction(1, 2**20)] * 3


def test_what_is_released_can_be_read(programs: ModuleType) -> None:
    largest, count = programs.read(ROWS, b=2**-20).value
    assert round(largest) == 30
    assert count == 3


def test_without_noise_it_is_a_vector(programs: ModuleType) -> None:
    assert programs.exact(ROWS) == [6, 60, 600]
