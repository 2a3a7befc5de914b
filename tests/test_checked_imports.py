"""Functions of the library's algorithms inside a program of the user: read and run as source."""

from __future__ import annotations

from types import ModuleType

import pytest
from checked_modules import load

PROGRAMS = """
import metricdp.algorithms as algorithms
from metricdp.algorithms import count, mean
from metricdp.algorithms.totals import total as added


@dp.measurement
def several(rows: dp.Records[float], eps: float):
    return count(rows, eps=eps), mean(rows, 0, 20, eps), added(rows, 0, 20, eps)


@dp.measurement
def by_module(rows: dp.Records[float], eps: float):
    return algorithms.count(rows, eps)


@dp.measurement
def by_attribute(rows: dp.Records[float], eps: float):
    return dp.algorithms.count(rows, eps)
"""
ROWS = [1.0, 2.0, 3.0] * 1000


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    return load(tmp_path_factory.mktemp("imports"), PROGRAMS)


def test_they_cost_what_they_cost_alone(programs: ModuleType) -> None:
    release = programs.several(ROWS, eps=10.0)
    assert release.privacy["epsilon"] == "30"
    number, middle, total = release.value
    assert abs(number - 3000) < 20
    assert abs(middle - 2) < 0.1
    assert abs(total - 6000) < 100
    assert len(release.draws) == 4


def test_a_function_of_the_package_is_not_the_primitive_of_its_name(programs: ModuleType) -> None:
    release = programs.by_module(ROWS, eps=1.0)
    assert len(release.draws) == 1
    assert release.privacy["epsilon"] == "1"


def test_an_attribute_names_the_import(programs: ModuleType) -> None:
    from metricdp.errors import NotProvedError

    with pytest.raises(NotProvedError, match=r"from metricdp\.algorithms import count"):
        programs.by_attribute(ROWS, eps=1.0)
