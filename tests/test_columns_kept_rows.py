"""What functions of rows make is kept from run to run where they are closed, and nowhere else."""

from __future__ import annotations

import gc
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from checked_modules import load
from test_columns_planned import as_releases  # noqa: F401

import metricdp as dp
from metricdp.columns import kept_rows
from metricdp.columns.closed import is_closed
from metricdp.columns.kept_rows import TracedRows
from metricdp.columns.stored import Stored
from metricdp.values import Exact

PROGRAM = """
from dataclasses import dataclass

@dataclass
class Pair:
    x: float
    y: float

@dp.measurement
def loop(rows: dp.Records[Pair], eps: float):
    total = 0.0
    for row in rows:
        total += dp.clamp(row.x, 0, 1) * dp.clamp(row.y, 0, 1)
    return dp.laplace(total, epsilon=eps)

@dp.measurement
def twice(rows: dp.Records[Pair], least: float, eps: float):
    first = dp.laplace(dp.sum(dp.clamp([r.x for r in rows if r.y > 0.25], 0, 4)), epsilon=eps / 2)
    rest = [r.x + least * r.y for r in rows if 20 * r.x > first]
    return dp.laplace(dp.sum(dp.clamp(rest, 0, 9)), epsilon=eps / 2)
"""


def frame(rows: int, seed: int) -> Any:
    random = np.random.default_rng(seed)
    return pd.DataFrame(
        {"x": random.integers(0, 5, rows) / 4, "y": random.integers(0, 5, rows) / 4}
    )


def test_other_data_and_public_numbers_have_their_own_answers(tmp_path: Path) -> None:
    module = load(tmp_path, PROGRAM)
    for seed in range(6):
        data = frame(3 + 4 * seed, seed)
        x, y = data["x"], data["y"]
        wider = data[["y", "x"]] if seed % 2 else data.assign(z=1.0)
        expected = (np.clip(x, 0, 1) * np.clip(y, 0, 1)).sum()
        assert module.loop(wider, eps=1e9).value == pytest.approx(expected, abs=1e-6)
        whole = data.astype(int) if seed == 3 else data
        first, least = np.clip(whole["x"], 0, 4)[whole["y"] > 0.25].sum(), seed / 2
        rest = np.clip(whole["x"] + least * whole["y"], 0, 9)[20 * whole["x"] > first].sum()
        if not (abs(20 * whole["x"] - first) < 1e-6).any():
            found = module.twice(whole, least, eps=1e9).value
            assert found == pytest.approx(rest, abs=1e-5)


def test_nothing_of_the_data_is_kept(tmp_path: Path) -> None:
    module = load(tmp_path, PROGRAM)
    data = frame(40, 1)
    for _ in range(3):
        module.loop(data, eps=1.0), module.twice(data, 1.0, eps=1.0)
    for program in (module.loop, module.twice):
        plans = program._checked[1].plans
        assert plans[TracedRows].nodes
        seen, waiting = set(), [plans]
        while waiting:
            each = waiting.pop()
            assert not isinstance(each, np.ndarray | Stored), type(each)
            if id(each) not in seen and type(each).__module__.partition(".")[0] != "types":
                seen.add(id(each))
                if isinstance(each, dict | list | tuple) or hasattr(each, "__slots__"):
                    waiting += gc.get_referents(each)


class Machine:
    public = 0

    def primitive(self, *given: Any) -> Any: ...
    def compare(self, *given: Any) -> Any: ...
    def box(self, *given: Any) -> Any: ...


def made(text: str, **names: Any) -> Any:
    return eval(text, {"_machine": Machine(), "_Exact": Exact, **names})


CLOSED = [
    "lambda row: row.x",
    "lambda row: _machine.primitive('mul', None, row.x, row.y)",
    "lambda row: _machine.compare('gt', row.x, _Exact(1, 2))",
    "lambda row: _machine.primitive('clamp', None, row.x, lower=0, upper=1)",
    "lambda row: (row.x, row.y)",
]
#: What they read, or call, may be another thing the next time.
OPEN = [
    "lambda row: least",
    "lambda row: _machine.primitive('mul', None, row.x, least)",
    "lambda row: _machine.primitive('dot', None, row.x, row.y)",
    "lambda row: _machine.box('f', row.x)",
    "lambda row: row.public",
    "lambda row: helper(row.x)",
    "lambda row, least=1: row.x",
    "lambda row: (lambda x: x)(row.x)",
    "lambda row: [x for x in (row.x, row.y)]",
    "(lambda least: lambda row: _machine.compare('gt', row.x, least))(1)",
    "lambda row: _machine.compare('eq', row.x, 'a text')",
]


@pytest.mark.parametrize("text", CLOSED)
def test_records_of_a_row_are_closed(text: str) -> None:
    assert is_closed(made(text))


@pytest.mark.parametrize("text", OPEN)
def test_what_reads_or_calls_anything_else_is_not(text: str) -> None:
    assert not is_closed(made(text, least=Fraction(1), helper=abs))


def test_functions_without_private_arguments_are_not() -> None:
    function = made(CLOSED[1])
    function.__globals__["_machine"].public = 1
    assert not is_closed(function) and not is_closed(SimpleNamespace()) and not is_closed(abs)


@pytest.mark.usefixtures("as_releases")
def test_a_function_that_reads_what_was_released_and_is_kept_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = load(tmp_path, PROGRAM)
    data = frame(30, 2)

    def twice(least: float) -> Any:
        with dp.handling(dp.Seeded(1)):
            return module.twice(data, least, eps=1e9).value

    right = [twice(least) for least in (0.0, 1.0, 3.0)]
    assert right[0] < right[1] < right[2] and right == [twice(least) for least in (0.0, 1.0, 3.0)]
    everything: Callable[[Any], bool] = lambda function: hasattr(function, "__code__")  # noqa: E731
    monkeypatch.setattr(kept_rows, "is_closed", everything)
    module.twice._checked[1].plans.clear()
    assert right != [twice(least) for least in (0.0, 1.0, 3.0)]
