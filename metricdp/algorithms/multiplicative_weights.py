"""MWEM: a synthetic histogram that answers public range queries well."""

from __future__ import annotations

from typing import Any

import numpy as np

import metricdp as dp


def count_between(values: Any, low: Any, high: Any) -> Any:
    """The number of rows in [low, high)."""
    return dp.count(lambda v: low <= v < high, values)


@dp.measurement(epsilon="eps")
def mwem(
    values: dp.Records[int],
    bins: int,
    lows: tuple[int, ...],
    highs: tuple[int, ...],
    rounds: int,
    eps: float,
) -> Any:
    """A histogram of the numbers 0, ..., bins - 1 that answers "how many in [low, high)?".

    Every round measures the query that the synthetic histogram answers worst, and moves weight to
    where the answer says that it is missing.
    Source: Hardt, Ligett and McSherry (2012), "A Simple and Practical Algorithm for Differentially
    Private Data Release", figure 1.
    """
    number = max(dp.laplace(dp.count(values), epsilon=eps / 10), 1)
    share = 9 * eps / 20 / rounds
    synthetic = np.ones(bins) * number / bins
    for _ in range(rounds):

        def score(query: Any, synthetic: Any = synthetic) -> Any:
            low, high = lows[query], highs[query]
            return abs(count_between(values, low, high) - float(np.sum(synthetic[low:high])))

        worst = dp.exponential_mechanism(candidates=range(len(lows)), score=score, epsilon=share)
        low, high = lows[worst], highs[worst]
        answer = dp.laplace(count_between(values, low, high), epsilon=share)
        missing = answer - float(np.sum(synthetic[low:high]))
        places = np.arange(bins)
        inside = np.logical_and(places >= low, places < high)
        weights = synthetic * np.exp(inside * missing / number / 2)
        synthetic = weights * number / np.sum(weights)
    return synthetic
