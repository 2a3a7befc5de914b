"""Repeat and permute: boxes with a counter, a cache, a global or random numbers are found."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from checked_modules import load
from click.testing import CliRunner

from metricdp.apps.commands import cli
from metricdp.audit import audit_box, audit_target
from metricdp.errors import SourceError
from metricdp.expr import num
from metricdp.spaces import Vector

BOXES = """
import functools, random
from typing import Annotated
import metricdp as dp
from metricdp import Data, LInf, Size, Vector

counts = [0]
largest = 0.0
first_row = {}

SPACE = Annotated[Vector[Data, LInf], Size(2)]


@dp.black_box(returns=Annotated[Vector[Data, LInf], Size(2)])
def counter(row):
    counts[0] += 1
    return [counts[0], 1.0]


@dp.black_box(returns=Annotated[Vector[Data, LInf], Size(2)])
def chance(row):
    return [random.random(), 1.0]


@dp.black_box(returns=Annotated[Vector[Data, LInf], Size(2)])
def running_largest(row):
    global largest
    largest = max(largest, *row)
    return [largest, 1.0]


@dp.black_box(returns=Annotated[Vector[Data, LInf], Size(2)])
def scaled_by_first(row):
    scale = first_row.setdefault("row", max(row))
    return [max(row) - scale, 1.0]


@functools.lru_cache
def once(_):
    return counts.pop() if counts else 0


class Memory:
    def __init__(self):
        self.last = 0.0

    def __call__(self, row):
        last, self.last = self.last, row[0]
        return [last, 1.0]


memory = dp.black_box(returns=Annotated[Vector[Data, LInf], Size(2)])(Memory())


@dp.black_box(returns=Annotated[Vector[Data, LInf], Size(2)])
def clean(row):
    kept = {}
    kept["sum"] = sum(row)
    return [kept["sum"], max(row)]


@dp.black_box(returns=Annotated[Vector[Data, LInf], Size(2)])
def failing(row):
    if len(row) != 3:
        raise ValueError("three numbers")
    return [1.0, 2.0, row[0]]


@dp.black_box(returns=Annotated[Vector[Data, LInf], Size(2)])
def of_two(row, weights):
    return [sum(row), weights[0]]
"""


@pytest.fixture
def module(tmp_path: Path) -> Any:
    return load(tmp_path, BOXES, "")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("counter", "two results for one row"),
        ("chance", "two results for one row"),
        ("running_largest", "backwards"),
        ("scaled_by_first", "backwards"),
        ("memory", "two results for one row"),
    ],
)
def test_memory_and_chance_are_found(module: Any, name: str, why: str) -> None:
    report = audit_box(getattr(module, name))
    assert report.refuted and why in report.why
    # As a target: the file is imported afresh, and the box is named.
    report = audit_target(f"{module.__file__}::{name}")
    assert report.refuted and f"`{name}`" in str(report)


def test_a_function_of_its_row_survives(module: Any) -> None:
    report = audit_target(f"{module.__file__}::clean")
    assert not report.refuted and "in 4 orders" in str(report)
    assert not audit_box(np.sum).refuted
    # A seeded generator of its own is no state.
    assert not audit_box(lambda row: random.Random(7).random()).refuted


def test_results_that_a_run_replaces_are_named(module: Any) -> None:
    report = audit_target(f"{module.__file__}::failing")
    assert not report.refuted
    assert "8 of them give the public default" in str(report)
    found = audit_box(module.failing, [([1.0],), ([1.0, 2.0, 3.0],)],
                      space=Vector("Data", "LInf", num(3)))  # fmt: skip
    assert found.failed == 1 and "three numbers" in found.error


def test_rows_that_cannot_be_made_up_are_asked_for(module: Any) -> None:
    with pytest.raises(SourceError, match="synthetic row"):
        audit_box(module.of_two)
    assert not audit_box(module.of_two, [([1.0], np.ones(2)), ([3.0], np.zeros(2))]).refuted


def test_the_command_line_repeats_a_box(module: Any) -> None:
    result = CliRunner().invoke(
        cli, ["audit", f"{module.__file__}::counter"], standalone_mode=False
    )
    assert result.return_value == 1 and "two results for one row" in result.output
    result = CliRunner().invoke(cli, ["audit", f"{module.__file__}::clean"], standalone_mode=False)
    assert result.return_value == 0
