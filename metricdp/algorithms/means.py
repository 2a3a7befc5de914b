"""The mean of one column, when the number of rows is private and when it is public."""

from __future__ import annotations

from typing import Annotated, Any

import metricdp as dp
from metricdp import L1, Data


@dp.measurement(epsilon="eps")
def mean(values: dp.Records[float], lower: float, upper: float, eps: float) -> Any:
    """The mean of values in [lower, upper]: a noisy sum over a noisy count.

    The sum is taken around the middle, in half widths, so that one row moves it by at most 1.
    Source: Li, Lyu, Su and Yang (2016), "Differential Privacy: From Theory to Practice", 2.2.
    """
    middle, half = (lower + upper) / 2, (upper - lower) / 2
    scaled = dp.clamp([(v - middle) / half for v in values], -1, 1)
    number = dp.laplace(dp.count(scaled), epsilon=eps / 2)
    total = dp.laplace(dp.sum(scaled), epsilon=eps / 2)
    return middle + half * max(-1, min(1, total / max(number, 1)))


@dp.measurement(epsilon="eps")
def mean_of_known_size(
    values: Annotated[dp.Vector[Data, L1], dp.Size("n")], lower: float, upper: float, eps: float
) -> Any:
    """The mean of n values in [lower, upper], where n is public: one value replaced.

    Source: Dwork, McSherry, Nissim and Smith (2006), "Calibrating Noise to Sensitivity".
    """
    kept = dp.undisc(dp.clamp(values, lower, upper))
    return dp.laplace(dp.sum(kept) / len(values), epsilon=eps)
