"""Several answers: composition, noise that is used twice, histograms, keys."""

from __future__ import annotations

from math import log
from typing import Any

from metricdp.audit.gallery.draws import laplace
from metricdp.audit.gallery.entry import broken, correct

_TWO = [((0, 0), (1, 1)), ((3, 5), (4, 6))]


@correct(_TWO, "two counts, half of epsilon each, each with noise of its own", epsilon=1)
def two_counts(counts: tuple[int, int], count: int) -> Any:
    return laplace([counts], 2, (count, 2))


@broken([((0, 0), (1, 0)), ((3, 5), (4, 5))],
        "both answers have the same noise: their difference is exact", epsilon=1,
        twin="two_counts")  # fmt: skip
def one_noise_for_two_counts(counts: tuple[int, int], count: int) -> Any:
    import numpy as np

    noise = laplace(0, 2, (count,))
    return np.stack([counts[0] + noise, counts[1] + noise], axis=1)


@broken(_TWO, "every answer costs epsilon, and only one is charged", epsilon=1,
        twin="two_counts")  # fmt: skip
def two_counts_charged_as_one(counts: tuple[int, int], count: int) -> Any:
    return laplace([counts], 1, (count, 2))


@broken(
    [((0.0,) * 4, (0.5,) * 4)],
    "moved 1 in L2 is moved 2 in L1, which is what Laplace noise is paid in",
    epsilon=1,
)
def laplace_for_l2(values: tuple[float, ...], count: int) -> Any:
    return laplace([values], 1, (count, 4))


_BINS = [((3, 3, 0), (2, 4, 0)), ((1, 0, 0), (0, 0, 1))]


@correct(_BINS, "a replaced row moves two bins: 2 in L1", epsilon=1)
def histogram_under_replacement(bins: tuple[int, ...], count: int) -> Any:
    return laplace([bins], 2, (count, 3))


@broken(_BINS, "bins are disjoint, but a replaced row leaves one and enters another", epsilon=1,
        twin="histogram_under_replacement")  # fmt: skip
def histogram_with_one_bin_charged(bins: tuple[int, ...], count: int) -> Any:
    return laplace([bins], 1, (count, 3))


_KEYS = [({}, {"flu": 1}), ({"flu": 2}, {"flu": 2, "cold": 1})]


@correct(_KEYS, "all keys of a public list are answered", epsilon=1)
def histogram_of_public_keys(rows: dict[str, int], count: int) -> Any:
    return laplace([[rows.get(key, 0) for key in ("cold", "flu")]], 1, (count, 2))


@broken(_KEYS, "the keys of the answer are those of the data", epsilon=1,
        twin="histogram_of_public_keys")  # fmt: skip
def histogram_of_private_keys(rows: dict[str, int], count: int) -> Any:
    answers = {key: laplace(n, 1, (count,)) for key, n in rows.items()}
    return [{key: float(noisy[i]) for key, noisy in answers.items()} for i in range(count)]


#: One person has five visits, all under one key; delta is 1 / 100.
_VISITS = [({}, {"rare": 5}), ({"rare": 5}, {"rare": 10})]


def _above(rows: dict[str, int], threshold: float, count: int) -> Any:
    noisy = {key: laplace(n, 5, (count,)) for key, n in rows.items()}
    return [
        {key: float(values[i]) for key, values in noisy.items() if values[i] > threshold}
        for i in range(count)
    ]


@correct(_VISITS, "a key of one person passes 5 + 5 ln(1 / (2 delta)) with probability delta",
         epsilon=1, delta=0.01)  # fmt: skip
def keys_above_threshold(rows: dict[str, int], count: int) -> Any:
    return _above(rows, 5 + 5 * log(50), count)


@broken(_VISITS, "the threshold forgets that one person brings five rows, not one",
        epsilon=1, delta=0.01, twin="keys_above_threshold")  # fmt: skip
def keys_above_a_low_threshold(rows: dict[str, int], count: int) -> Any:
    return _above(rows, 1 + 5 * log(50), count)
