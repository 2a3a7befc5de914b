"""Rows that nobody thought of: NaN, infinities, categories that are not in the list."""

from __future__ import annotations

from typing import Any

from metricdp.audit.gallery.entry import broken, correct

_NUMBERS = [([1.0], [1.0, 0.5]), ([0.5, 0.25], [0.5, 0.25, 0.75])]
_NAMES = [(["a"], ["a", "b"]), (["b"], ["b", "b"])]
_POINTS = [([(0.5, 0.5)] * 2, [(0.5, 0.5)] * 2 + [(9.0, 9.0)])]
_REPLAYED: dict[str, Any] = {"epsilon": 1, "auditor": "replay"}


@correct(_NUMBERS, "what is no number counts as 0; sum and count are noisy", **_REPLAYED)
def mean_of_numbers(rows: list[float], rng: Any) -> Any:
    import numpy as np

    total = np.clip(np.nan_to_num(np.array(rows, float)), 0.0, 1.0).sum()
    return rng.laplace(total, 2.0) / max(rng.laplace(len(rows), 2.0), 1.0)


@broken(_NUMBERS, "one NaN makes the clipped sum, and so the mean, NaN", twin="mean_of_numbers",
        **_REPLAYED)  # fmt: skip
def mean_that_nan_turns_into_nan(rows: list[float], rng: Any) -> Any:
    import numpy as np

    total = np.clip(np.array(rows, float), 0.0, 1.0).sum()
    return rng.laplace(total, 2.0) / max(rng.laplace(len(rows), 2.0), 1.0)


@correct(_NUMBERS, "min(1.0, NaN) is 1.0: Python keeps the first where no comparison holds",
         **_REPLAYED)  # fmt: skip
def sum_clamped_bound_first(rows: list[float], rng: Any) -> Any:
    return rng.laplace(sum(max(0.0, min(1.0, row)) for row in rows), 1.0)


@broken(_NUMBERS, "the same bounds in the other order: max(NaN, 0.0) is NaN",
        twin="sum_clamped_bound_first", **_REPLAYED)  # fmt: skip
def sum_clamped_row_first(rows: list[float], rng: Any) -> Any:
    return rng.laplace(sum(min(max(row, 0.0), 1.0) for row in rows), 1.0)


@correct(_NAMES, "public bins, and one for what is in none of them", **_REPLAYED)
def histogram_with_a_bin_for_the_rest(rows: list[str], rng: Any) -> Any:
    counts = dict.fromkeys(("a", "b", "other"), 0)
    for row in rows:
        counts[row if row in counts else "other"] += 1
    return {name: rng.laplace(count, 1.0) for name, count in counts.items()}


@broken(_NAMES, "an unseen category raises KeyError",
        twin="histogram_with_a_bin_for_the_rest", **_REPLAYED)  # fmt: skip
def histogram_that_raises(rows: list[str], rng: Any) -> Any:
    counts = {"a": 0, "b": 0}
    for row in rows:
        counts[row] += 1
    return {name: rng.laplace(count, 1.0) for name, count in counts.items()}


@broken(_NAMES, "an unseen category gets a bin of its own: the number of bins tells",
        twin="histogram_with_a_bin_for_the_rest", **_REPLAYED)  # fmt: skip
def histogram_that_grows(rows: list[str], rng: Any) -> Any:
    counts = {"a": 0, "b": 0}
    for row in rows:
        counts[row] = counts.get(row, 0) + 1
    return [rng.laplace(count, 1.0) for count in counts.values()]


def _bins(rows: list[float], low: float, high: float) -> Any:
    import numpy as np

    inside = np.clip(np.nan_to_num(np.array(rows, float)), low, high)
    return np.histogram(inside, bins=4, range=(low, high))[0]


@correct(_NUMBERS, "the range is public", **_REPLAYED)
def histogram_over_a_public_range(rows: list[float], rng: Any) -> Any:
    return _bins(rows, 0.0, 1.0) + rng.laplace(size=4)


@broken([([0.5], [0.5, 0.5]), ([0.5, 0.25], [0.5, 0.25, 0.4])],
        "the range is taken from the data, and printed beside the counts",
        twin="histogram_over_a_public_range", **_REPLAYED)  # fmt: skip
def histogram_over_the_range_of_the_data(rows: list[float], rng: Any) -> Any:
    low, high = min(rows, default=0.0), max(rows, default=1.0)
    return (low, high), _bins(rows, 0.0, 1.0) + rng.laplace(size=4)


def _products(rows: list[tuple[float, float]]) -> float:
    return float(sum(first * second for first, second in rows))


def _cut(rows: list[tuple[float, float]]) -> list[tuple[float, float]]:
    return [(max(0.0, min(1.0, a)), max(0.0, min(1.0, b))) for a, b in rows]


@correct(_POINTS, "values are cut to [0, 1], and the sum of their products is taken of these",
         **_REPLAYED)  # fmt: skip
def product_moment(rows: list[tuple[float, float]], rng: Any) -> Any:
    return rng.laplace(_products(_cut(rows)), 1.0)


@broken(_POINTS, "the cut rows are computed, and the sum is taken of the uncut ones "
        "(as the covariance of smartnoise-sdk once did, its number 622)", twin="product_moment",
        **_REPLAYED)  # fmt: skip
def product_moment_of_the_uncut_rows(rows: list[tuple[float, float]], rng: Any) -> Any:
    cut = _cut(rows)
    assert len(cut) == len(rows)
    return rng.laplace(_products(rows), 1.0)
