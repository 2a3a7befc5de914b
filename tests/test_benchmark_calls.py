"""The benchmark of calls compares like with like: what is timed is proved, and answers the same.

Noise is seeded and next to none; what remains of it, of rounding to grids and of other orders of
addition is below `Call.off`, absolutely.  Quantiles are released from between two neighbouring
rows, so theirs is the distance of neighbours.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import metricdp as dp

pytest.importorskip("pandas")
BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))
table: Any = importlib.import_module("calls_table")
sys.path.remove(str(BENCHMARKS))

#: A budget at which no noise is seen.
MUCH = 1e12
NAMES = [call.name for call in table.TABLE]


def numbers(value: Any) -> Any:
    """The numbers of an answer in one order, whatever holds them."""
    if isinstance(value, dict):
        value = [value[key] for key in sorted(value)]
    return np.array(value, dtype=float).ravel()


def test_every_program_is_proved() -> None:
    from metricdp.check import check_paths

    report = check_paths([str(BENCHMARKS / "calls_programs.py")])
    assert [f.name for f in report.functions if f.verdict != "proved"] == []
    assert len(report.functions) >= 25


def test_names_are_different() -> None:
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("call", table.TABLE, ids=NAMES)
def test_both_sides_answer_the_same(call: Any) -> None:
    data = call.data(100)
    with dp.handling(dp.Seeded(1)):
        ours = numbers(call.ours(data, MUCH))
    for plain in call.plain:
        expected = numbers(plain(data))
        assert ours.shape == expected.shape
        np.testing.assert_allclose(ours, expected, rtol=0, atol=call.off)


@pytest.mark.parametrize("name", ["clamp, sum: array", "cross table", "nine quantiles"])
def test_a_wrong_yardstick_is_seen(name: str) -> None:
    (call,) = [call for call in table.TABLE if call.name == name]
    data = call.data(100)
    with dp.handling(dp.Seeded(1)):
        ours = numbers(call.ours(data, MUCH))
    assert np.abs(ours - 1.01 * numbers(call.plain[0](data)) - 1.01).max() > call.off
