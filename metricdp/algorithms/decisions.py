"""A decision by vote."""

from __future__ import annotations

from typing import Any

import metricdp as dp


@dp.measurement(epsilon="eps")
def decide(votes: dp.Records[str], options: tuple[str, ...], eps: float) -> Any:
    """One of the options, the more likely the more rows vote for it.

    Source: McSherry and Talwar (2007), "Mechanism Design via Differential Privacy".
    """

    def score(option: Any) -> Any:
        return dp.count(lambda vote: vote == option, votes)

    return dp.exponential_mechanism(candidates=options, score=score, epsilon=eps)
