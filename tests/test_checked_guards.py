"""A public guard decides which branch is charged where the other one has no cost."""

from __future__ import annotations

import importlib.util
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from metricdp.errors import ParameterError

SOURCE = """
from typing import Annotated

import metricdp as dp
from metricdp import L1, Bounds, Real, Vector


@dp.measurement
def mean(xs: Annotated[Vector[Real, L1], Bounds(0, 1)], eps: float):
    n = len(xs)
    if n == 0:
        return 0.0
    return dp.laplace(dp.sum(xs) / n, scale=1 / eps)


@dp.measurement
def scaled(xs: Vector[Real, L1], n: int, eps: float):
    if n == 0:
        return dp.laplace(dp.sum(xs), scale=2 / eps)
    return dp.laplace(dp.sum(xs) / n, scale=1 / eps)


@dp.measurement
def one_site(xs: Vector[Real, L1], n: int, eps: float):
    value = dp.sum(xs)
    if n != 0:
        value = value / n
    else:
        value = 3 * value
    return dp.laplace(value, scale=1 / eps)


@dp.measurement
def shared(xs: Vector[Real, L1], n: int, eps: float):
    if n > 5 and n != 0:
        value = dp.sum(xs) / n
        if n > 100:
            return 0.0
    else:
        value = 3 * dp.sum(xs)
    return dp.laplace(value, scale=1 / eps)


@dp.measurement
def bare(xs: Vector[Real, L1], n: int, eps: float):
    return dp.laplace(dp.sum(xs) / n, scale=1 / eps)
"""


@cache
def programs() -> Any:
    import tempfile

    folder = tempfile.mkdtemp()
    path = Path(folder) / "guarded.py"
    path.write_text(SOURCE)
    spec = importlib.util.spec_from_file_location("guarded", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_guarded_case_runs_and_costs_what_it_spends() -> None:
    assert programs().mean([], eps=1.0).value == 0.0
    assert programs().mean([], eps=1.0).privacy["epsilon"] == "0"
    assert programs().mean([1.0, 0.0], eps=1.0).privacy["epsilon"] == "0.5"


def test_only_the_branch_that_has_a_cost_is_charged() -> None:
    assert programs().scaled([1.0], n=0, eps=1.0).privacy["epsilon"] == "0.5"
    assert programs().scaled([1.0], n=4, eps=1.0).privacy["epsilon"] == "0.25"
    assert programs().scaled([1.0], n=1, eps=1.0).privacy["epsilon"] == "1"


def test_the_concrete_map_is_that_of_the_branch() -> None:
    assert programs().scaled.at(n=0, eps=1.0).map(1) == Fraction(1, 2)
    assert programs().scaled.at(n=1, eps=1.0).map(1) == 1


def test_one_mechanism_behind_both_branches() -> None:
    """It has one address in both: what remains decides its noise and its cost."""
    assert programs().shared([1.0], n=0, eps=1.0).privacy["epsilon"] == "3"
    assert programs().shared([1.0], n=6, eps=1.0).privacy["epsilon"] == "3"
    assert programs().shared([1.0], n=200, eps=1.0).value == 0.0


def test_a_joined_value_is_not_guarded() -> None:
    """The join is one value, charged for the side that was chosen; its noise has the bound of both,
    which has no value at 0."""
    with pytest.raises(ParameterError):
        programs().one_site([1.0], n=0, eps=1.0)
    assert programs().one_site([1.0], n=1, eps=1.0).privacy["epsilon"] == "1"


def test_without_a_guard_the_parameter_is_refused() -> None:
    with pytest.raises(ParameterError, match="n != 0"):
        programs().bare([1.0], n=0, eps=1.0)
