"""The cumulative distribution of one column at public thresholds."""

from __future__ import annotations

from typing import Any

import numpy as np

import metricdp as dp


@dp.measurement(epsilon="eps")
def cumulative_counts(values: dp.Records[float], thresholds: tuple[float, ...], eps: float) -> Any:
    """The number of rows at or below every one of the increasing thresholds.

    The counts between neighbouring thresholds are one histogram, whose cost does not depend on how
    many there are; the error of the k-th running sum grows with the square root of k.
    Source: running sums of disjoint counts; compare Dwork, Naor, Pitassi and Rothblum (2010).
    """
    beyond = float(max(thresholds)) + 1

    def first_above(value: Any) -> Any:
        found = beyond
        for threshold in thresholds:
            if value <= threshold:
                found = min(found, threshold)
        return found

    counts = dp.histogram([first_above(v) for v in values], categories=thresholds)
    return np.cumsum(dp.laplace(counts, epsilon=eps))
