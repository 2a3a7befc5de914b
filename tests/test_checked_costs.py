"""What a release says it cost is what was proved: no unamplified rho where rows were sampled."""

from __future__ import annotations

import importlib.util
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

import metricdp as dp

SOURCE = """
import metricdp as dp
from metricdp import Records

@dp.measurement
def plain(rows: Records[float]):
    return dp.gaussian(dp.count(rows), scale=2)

@dp.measurement
def sampled(rows: Records[float], q: float):
    return dp.gaussian(dp.count(dp.sample(rows, q=q)), scale=2)

@dp.measurement(epsilon=0.3, delta="1e-5")
def claimed(rows: Records[float]):
    return dp.gaussian(dp.count(dp.sample(rows, q=0.01)), scale=2)

@dp.measurement
def hardly_hidden(rows: Records[float]):
    return dp.gaussian(dp.count(dp.sample(rows, q=0.01)), scale=1e-6)

@dp.measurement
def mixed(rows: Records[float]):
    return dp.gaussian(dp.count(rows), rho=0.1), dp.gaussian(dp.count(rows), epsilon=1, delta=1e-6)
"""
ROWS = [1.0] * 10


@cache
def programs() -> Any:
    import tempfile
    from pathlib import Path

    path = Path(tempfile.mkdtemp()) / "costs.py"
    path.write_text(SOURCE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("costs_program", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("q", "most"), [(0.01, 0.6), (1.0, 3.2)])
def test_a_sampled_release_shows_what_is_spent(q: float, most: float) -> None:
    with dp.handling(dp.Seeded(1)):
        shown = programs().sampled(ROWS, q=q).privacy
    spent = programs().sampled.spent("1e-6", q=Fraction(str(q)))
    assert shown.keys() == {"epsilon", "delta"} and Fraction(shown["delta"]) == Fraction(1, 10**6)
    assert spent.epsilon <= Fraction(shown["epsilon"]) <= spent.epsilon * Fraction(10001, 10000)
    assert spent.epsilon <= most


def test_the_claimed_delta_is_the_one_that_is_shown() -> None:
    with dp.handling(dp.Seeded(1)):
        shown = programs().claimed(ROWS).privacy
    assert Fraction(shown["delta"]) == Fraction(1, 10**5) and Fraction(shown["epsilon"]) <= 0.3


def test_hardly_any_noise_on_a_sample_costs_what_the_rho_says() -> None:
    with dp.handling(dp.Seeded(1)):
        assert programs().hardly_hidden(ROWS).privacy == {"rho": "500000000001"}


def test_other_programs_show_their_formula() -> None:
    with dp.handling(dp.Seeded(1)):
        assert programs().plain(ROWS).privacy == {"rho": "0.125"}
        shown = programs().mixed(ROWS).privacy
    # 1 + 0.1 + 2 sqrt(0.1 ln(1e6)) at twice the delta of the second release.
    assert abs(float(shown["epsilon"]) - 3.45078) < 1e-4 and Fraction(shown["delta"]) == F_TWO


F_TWO = Fraction(2, 10**6)
