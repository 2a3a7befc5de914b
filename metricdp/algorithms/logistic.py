"""Logistic regression by noisy gradient descent."""

from __future__ import annotations

from typing import Any

import metricdp as dp
from metricdp import L1, L2, Data, LInf


@dp.measurement(rho="rho")
def logistic_regression(
    data: dp.Aligned[dp.Matrix[Data, LInf], dp.Vector[Data, L1]],
    start: tuple[float, ...],
    rounds: int,
    rate: float,
    rho: float,
) -> Any:
    """Weights for rows of length at most 1 and labels 0 or 1; longer rows are scaled down.

    No gradient is longer than 1, because the sigmoid lies in [0, 1]: nothing is clipped but data.
    Source: Bassily, Smith and Thakurta (2014), "Private Empirical Risk Minimization".
    """
    rows, labels = data
    weights: Any = start
    for _ in range(rounds):
        total = 0.0
        for row, label in zip(rows, labels, strict=True):
            x = dp.undisc(dp.clip(row, L2))
            residual = dp.sigmoid(dp.dot(x, weights)) - dp.undisc(dp.clamp(label, 0, 1))
            total += residual * x
        weights = weights - rate * dp.gaussian(total, rho=rho / rounds) / len(labels)
    return weights
