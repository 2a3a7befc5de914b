"""Least squares by noisy gradient descent."""

from __future__ import annotations

from typing import Any

import metricdp as dp
from metricdp import L1, L2, Data, LInf


@dp.measurement(rho="rho")
def linear_regression(
    data: dp.Aligned[dp.Matrix[Data, LInf], dp.Vector[Data, L1]],
    start: tuple[float, ...],
    rounds: int,
    rate: float,
    rho: float,
) -> Any:
    """Weights for rows of length at most 1 and labels in [-1, 1]; longer rows are scaled down.

    Every round sums the gradients of all rows, each clipped to length 1, and adds Gaussian noise.
    Source: Bassily, Smith and Thakurta (2014), with full batches; Abadi et al. (2016) for clipping.
    """
    rows, labels = data
    weights: Any = start
    for _ in range(rounds):
        total = 0.0
        for row, label in zip(rows, labels, strict=True):
            x = dp.undisc(dp.clip(row, L2))
            residual = dp.dot(x, weights) - dp.undisc(dp.clamp(label, -1, 1))
            total += dp.clip(residual * x, L2)
        weights = weights - rate * dp.gaussian(total, rho=rho / rounds) / len(labels)
    return weights
