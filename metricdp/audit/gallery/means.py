"""Means: the exact size of the data in a denominator, a scale, an exception."""

from __future__ import annotations

from typing import Any

from metricdp.audit.gallery.draws import laplace
from metricdp.audit.gallery.entry import broken, correct

_ROWS = [([], [1.0]), ([1.0], [1.0, 1.0]), ([0.0], [0.0, 1.0])]
_REPLACED = [([0.0, 0.0], [0.0, 1.0]), ([1.0, 1.0], [1.0, 0.0])]


def _total(rows: list[float]) -> float:
    return sum(max(0.0, min(1.0, row)) for row in rows)


@correct(_ROWS, "sum and count are both noisy, half of epsilon each", epsilon=1)
def noisy_sum_over_noisy_count(rows: list[float], count: int) -> Any:
    import numpy as np

    above, below = laplace(_total(rows), 2, (count,)), laplace(len(rows), 2, (count,))
    return above / np.maximum(below, 1.0)


@broken(_ROWS, "the denominator is the exact count", epsilon=1,
        twin="noisy_sum_over_noisy_count")  # fmt: skip
def noisy_sum_over_exact_count(rows: list[float], count: int) -> Any:
    return laplace(_total(rows), 1, (count,)) / max(len(rows), 1)


@correct(_REPLACED, "the size is public: one of n rows in [0, 1] moves the mean by 1 / n",
         epsilon=1)  # fmt: skip
def mean_of_public_size(rows: list[float], count: int) -> Any:
    return laplace(_total(rows) / 2, 0.5, (count,))


@broken(_ROWS, "the scale of the noise is 1 / n, and n is private: its width tells n",
        epsilon=1, twin="mean_of_public_size")  # fmt: skip
def mean_of_private_size(rows: list[float], count: int) -> Any:
    n = max(len(rows), 1)
    return laplace(_total(rows) / n, 1 / n, (count,))


@broken(
    [([0.0, 0.5, 0.5], [0.5, 0.5, 0.5]), ([0.0, 0.0, 1.0], [0.0, 1.0, 1.0])],
    "noise of the local sensitivity: neighbours have noise of other widths",
    epsilon=1,
)
def median_with_local_noise(rows: list[float], count: int) -> Any:
    ordered = sorted(rows)
    middle = len(ordered) // 2
    local = max(ordered[middle] - ordered[middle - 1], ordered[middle + 1] - ordered[middle], 0.01)
    return laplace(ordered[middle], local, (count,))


@correct(_ROWS, "an empty table has a noisy answer like any other", epsilon=1)
def total_of_any_rows(rows: list[float], count: int) -> Any:
    return laplace(_total(rows), 1, (count,))


@broken(_ROWS, "an exception says that the table is empty", epsilon=1, batched=False,
        twin="total_of_any_rows")  # fmt: skip
def total_that_raises(rows: list[float]) -> Any:
    if not rows:
        raise ValueError("no rows")
    return float(laplace(_total(rows), 1, (1,))[0])


_COUNTS = [(0, 1), (1, 2), (5, 6)]


@correct(_COUNTS, "negative answers are clamped after the noise", epsilon=1)
def count_clamped_to_positive(n: int, count: int) -> Any:
    import numpy as np

    return np.maximum(laplace(n, 1, (count,)), 0.0)


@broken(_COUNTS, "drawing until the answer is positive divides by a private probability",
        epsilon=2, twin="count_clamped_to_positive")  # fmt: skip
def count_drawn_until_positive(n: int, count: int) -> Any:
    answers = laplace(n, 0.5, (count,))
    while (answers <= 0).any():
        answers[answers <= 0] = laplace(n, 0.5, (int((answers <= 0).sum()),))
    return answers


@broken(_COUNTS, "the generator is seeded: the answer minus the noise of that seed is exact",
        epsilon=1, twin="count_clamped_to_positive")  # fmt: skip
def seeded_count(n: int, count: int) -> Any:
    import numpy as np

    return np.array([n + np.random.default_rng(42).geometric(0.5) for _ in range(count)])


@broken(_COUNTS, "noise that ends: beyond its end the neighbour is impossible", epsilon=1,
        twin="count_clamped_to_positive")  # fmt: skip
def count_with_cut_noise(n: int, count: int) -> Any:
    import numpy as np

    return n + np.clip(laplace(0, 1, (count,)), -3.0, 3.0)
