"""Bounds that are found in the data, and charged: of a column, and of one person's rows."""

from __future__ import annotations

from math import log
from typing import Any

import numpy as np

import metricdp as dp


@dp.measurement(epsilon="eps")
def find_bounds(values: dp.Records[float], eps: float, miss: float = 0.01) -> Any:
    """Two numbers between which nearly all rows lie: 0, or powers of two from 2^-20 to 2^43.

    Counts between neighbouring powers, on both sides of 0, are one histogram. The bounds are the
    ends of the bins whose noisy counts are above log(64 / miss) / eps: with a chance of 1 - miss
    no bin without rows is, and bounds that are far too wide are not found. A smaller `miss` costs
    no privacy, and leaves out bins with more rows. Where no count is above, both are 0.
    Source: Wilson, Zhang, Lam, Desfontaines, Simmons-Marengo and Gipson (2020), "Differentially
    Private SQL with Bounded User Contribution", section 5.1.1.
    """
    assert 0 < miss < 1, "miss is a chance, above 0 and below 1"
    edges = [
        0.0 if i == 64 else -(2.0 ** (43 - i)) if i < 64 else 2.0 ** (i - 85) for i in range(129)
    ]
    kept = dp.clamp(values, -(2.0**43), 2.0**43)
    counts = dp.laplace(dp.histogram(kept, edges=edges), scale=1 / eps)
    found = np.flatnonzero(counts > log(64 / miss) / eps)
    if len(found) == 0:
        return 0.0, 0.0
    return edges[found[0]], edges[found[-1] + 1]


@dp.measurement(epsilon="eps")
def find_limit(numbers: dp.Records[float], noise: float, eps: float, miss: float = 0.01) -> Any:
    """A limit for what one person contributes, such as the rows of one person, from 1 to 2^20.

    A limit m leaves out what a person has above it, and a count of rows has noise of scale
    m / noise then: the limit is the one at which both together are least, by noisy counts of
    persons with 1, 2, ..., 8, 12, 16, 24, 32, ... rows or a few more, of which those below
    log(20.5 / miss) / eps count as 0: with a chance of 1 - miss none is above that without persons.
    Source: Amin, Kulesza, Munoz and Vassilvitskii (2019), "Bounding User Contributions: A
    Bias-Variance Trade-off in Differential Privacy", section 3, on a noisy histogram.
    """
    assert 0 < miss < 1, "miss is a chance, above 0 and below 1"
    limits = [i + 1 if i < 7 else (2 + (i - 7) % 2) * 2 ** (2 + (i - 7) // 2) for i in range(42)]
    kept = dp.clamp(numbers, 0, 2**20)
    counts = dp.laplace(dp.histogram(kept, edges=limits), scale=1 / eps)
    there = np.where(counts > log(20.5 / miss) / eps, counts, 0)
    best = 1
    least = np.inf
    for limit in limits:
        left_out = sum(
            max((limits[i] + limits[i + 1] - 1) / 2 - limit, 0) * there[i] for i in range(41)
        )
        if limit / noise + left_out < least:
            best = limit
            least = limit / noise + left_out
    return best
