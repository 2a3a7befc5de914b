"""The benchmark of calls compares like with like: what is timed is proved, and answers the same.

The runner is tested with a clock that the calls themselves advance.

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
runner: Any = importlib.import_module("calls")
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


class Watch:
    """A clock that calls advance by so many seconds per row."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def work(self, per_row: float, power: int = 1) -> Any:
        def call(data: list[int], *_: object) -> None:
            self.now += per_row * len(data) ** power

        return call


def timed(watch: Watch, **given: Any) -> Any:
    call = table.Call("made up", lambda n: [0] * n, watch.work(1e-3), **given)
    return runner.measured(call, 10**6, 20.0, watch, None)


@pytest.mark.parametrize(("target", "holds"), [(1.5, False), (20, None)])
def test_a_long_call_is_measured_at_the_rows_that_fit(target: float, holds: bool | None) -> None:
    watch = Watch()
    found = timed(watch, plain=(watch.work(3e-4), watch.work(1e-4)), target=target)
    assert (found.rows, found.wanted) == (10**4, 10**6)
    assert found.ours == pytest.approx(10) and found.yardstick == pytest.approx(1)
    # Fewer rows than wanted refute a target, and confirm none.
    assert found.holds is holds


@pytest.mark.parametrize(("target", "holds"), [(9, False), (11, True)])
def test_a_call_that_fits_is_measured_as_wanted(target: float, holds: bool) -> None:
    watch = Watch()
    found = timed(watch, plain=(watch.work(1e-4),), target=target, share=0.01)
    assert found.rows == found.wanted == 10**4
    assert found.ratio == pytest.approx(10) and found.holds is holds


def test_squares_are_foreseen() -> None:
    watch = Watch()
    call = table.Call("made up", lambda n: [0] * n, watch.work(1e-5, 2), ())
    rows, first, last = runner.largest(call, 10**5, 20.0, watch)
    assert (rows, first, last) == (1000, pytest.approx(0.1), pytest.approx(10))


def test_a_call_that_took_longer_than_foreseen_does_not_count() -> None:
    watch = Watch()
    call = table.Call("made up", lambda n: [0] * n, watch.work(1e-4, 2), ())
    assert runner.largest(call, 10**5, 20.0, watch) == (100, pytest.approx(1), pytest.approx(1))


def test_without_the_peer_there_is_no_ratio_and_with_it_there_is() -> None:
    from metricdp import opendp

    (call,) = [call for call in table.TABLE if call.name == "resize, mean: some"]
    alone = runner.measured(call, 10**5, 1.0, runner.time.perf_counter, None)
    assert (alone.yardstick, alone.ratio, alone.holds) == (None, None, None)
    beside = runner.measured(call, 10**5, 1.0, runner.time.perf_counter, opendp)
    assert beside.yardstick > 0 and beside.ratio > 0 and beside.rows == 100


def test_growth_stops_where_calls_do_not_fit() -> None:
    watch = Watch()
    call = table.Call("made up", lambda n: [0] * n, watch.work(1e-4), ())
    points = list(runner.grown(call, 10**8, 20.0, watch))
    assert [rows for rows, _ in points] == [10**4, 10**5]


def test_the_peak_of_a_copy_is_its_size() -> None:
    array = np.zeros(10**6)
    assert runner.size(array) == 8 * 10**6
    assert runner.peak(array.copy) == pytest.approx(8 * 10**6, rel=0.01)
