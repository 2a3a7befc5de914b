"""The variance of one column, when the number of rows is private."""

from __future__ import annotations

from typing import Any

import metricdp as dp


@dp.measurement(epsilon="eps")
def variance(values: dp.Records[float], lower: float, upper: float, eps: float) -> Any:
    """The population variance of values in [lower, upper], from three noisy numbers.

    In half widths around the middle, the sum moves by at most 1; the squares lie in [0, 1] and are
    counted around 1/2, so that their sum moves by at most 1/2.
    Source: composition of bounded sums; Dwork and Roth (2014), section 3.
    """
    middle, half = (lower + upper) / 2, (upper - lower) / 2
    scaled = dp.clamp([(v - middle) / half for v in values], -1, 1)
    number = max(dp.laplace(dp.count(scaled), epsilon=eps / 3), 1)
    total = dp.laplace(dp.sum(scaled), epsilon=eps / 3)
    squares = dp.laplace(dp.sum([v**2 - 0.5 for v in scaled]), epsilon=eps / 3)
    return half**2 * max(0, min(1, 0.5 + squares / number - (total / number) ** 2))
