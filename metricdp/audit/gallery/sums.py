"""Counts and sums: sensitivities, clamping, rounding, the machine's numbers."""

from __future__ import annotations

from typing import Any

from metricdp.audit.gallery.draws import generator, geometric, laplace
from metricdp.audit.gallery.entry import broken, correct

#: One row more or less; values far outside of what a program may assume.
_ROWS = [([], [1.0]), ([], [1e6]), ([0.5], [0.5, -1e6]), ([3.0], [3.0, 10.0])]
#: One row replaced.
_REPLACED = [([10.0], [-10.0]), ([0.0], [10.0])]


@correct(_ROWS, "a row moves a count by 1", epsilon=1)
def noisy_count(rows: list[float], count: int) -> Any:
    return geometric(len(rows), 1, (count,))


@broken(_ROWS, "lowest bits of a double tell which number the noise was added to",
        epsilon=1, twin="noisy_count")  # fmt: skip
def float_laplace(rows: list[float], count: int) -> Any:
    return len(rows) + generator().laplace(0, 1, count)


@correct(_ROWS, "every row is clamped to [0, 10] first, and the noise has scale 10", epsilon=1)
def clamped_sum(rows: list[float], count: int) -> Any:
    return laplace(sum(min(max(row, 0.0), 10.0) for row in rows), 10, (count,))


@broken(_ROWS, "the sum is clamped, not the rows: one row moves it by 10, not by 1",
        epsilon=1, twin="clamped_sum")  # fmt: skip
def sum_clamped_afterwards(rows: list[float], count: int) -> Any:
    return laplace(min(max(sum(rows), 0.0), 10.0), 1, (count,))


@correct(_REPLACED, "a row in [-10, 10] that is replaced moves the sum by 20", epsilon=1)
def replaced_sum(rows: list[float], count: int) -> Any:
    return laplace(sum(min(max(row, -10.0), 10.0) for row in rows), 20, (count,))


@broken(_REPLACED, "charged 10, the largest value; a replaced row moves the sum by 20",
        epsilon=1, twin="replaced_sum")  # fmt: skip
def sum_of_wrong_sensitivity(rows: list[float], count: int) -> Any:
    return laplace(sum(min(max(row, -10.0), 10.0) for row in rows), 10, (count,))


_NEAR = [(0.45, 0.55), (0.0, 0.1), (2.49, 2.51)]


@correct(_NEAR, "noise first: rounding is post-processing", epsilon=1)
def rounded_after_noise(x: float, count: int) -> Any:
    return laplace(x, 0.1, (count,)).round()


@broken(_NEAR, "a movement of 0.1 becomes one of 1 when the value is rounded before the noise",
        epsilon=1, twin="rounded_after_noise")  # fmt: skip
def rounded_before_noise(x: float, count: int) -> Any:
    return laplace(round(x), 0.1, (count,))


_FULL = [([127], [127, 1]), ([100, 20], [100, 20, 5])]


@broken(_FULL, "an 8-bit sum wraps around: one row of 1 moves it by 255", epsilon=1,
        twin="noisy_count")  # fmt: skip
def sum_that_wraps(rows: list[int], count: int) -> Any:
    wrapped = (sum(rows) + 128) % 256 - 128
    return geometric(wrapped, 5, (count,))


_NAN = [([1.0], [1.0, float("nan")]), ([], [float("nan")]), ([2.0], [2.0, 1.0])]


@correct(_NAN, "NaN is replaced before the clamp", epsilon=1)
def sum_without_nan(rows: list[float], count: int) -> Any:
    total = sum(min(max(row, 0.0), 1.0) if row == row else 0.0 for row in rows)
    return laplace(total, 1, (count,))


@broken(_NAN, "NaN passes a clamp that compares, and the noise on top of it", epsilon=1,
        twin="sum_without_nan")  # fmt: skip
def clamp_that_passes_nan(rows: list[float], count: int) -> Any:
    import numpy as np

    total = float(np.clip(np.array(rows), 0.0, 1.0).sum()) if rows else 0.0
    return np.full(count, total) if total != total else laplace(total, 1, (count,))
