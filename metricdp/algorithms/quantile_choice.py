"""A quantile of one column among public candidates."""

from __future__ import annotations

from typing import Any

import metricdp as dp


@dp.measurement(epsilon="eps")
def quantile(values: dp.Records[float], q: float, candidates: tuple[float, ...], eps: float) -> Any:
    """A candidate that about a share q of the rows lies below.

    Every row adds 1 - q to the score of a candidate above it and -q to one below it; the score is
    0 at the quantile. One row moves it by at most the larger of q and 1 - q.
    Source: McSherry and Talwar (2007); Smith (2011), "Privacy-preserving Statistical Estimation".
    """

    def score(candidate: Any) -> Any:
        return -abs(dp.sum([1 - q if v < candidate else -q for v in values]))

    return dp.exponential_mechanism(candidates=candidates, score=score, epsilon=eps)
