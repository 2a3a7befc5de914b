"""Least squares in an L1 ball by private Frank-Wolfe steps."""

from __future__ import annotations

from typing import Any

import numpy as np

import metricdp as dp
from metricdp import L1, Data, LInf


@dp.measurement(epsilon="eps")
def frank_wolfe(
    data: dp.Aligned[dp.Matrix[Data, LInf], dp.Vector[Data, L1]],
    start: tuple[float, ...],
    radius: float,
    rounds: int,
    eps: float,
) -> Any:
    """Weights with |w|_1 <= radius, for entries and labels in [-1, 1].

    Every round moves towards the corner of the ball that noisy scores show to be best; what one
    row adds to a score is bounded entry by entry, so the number of columns costs nothing.
    Source: Talwar, Thakurta and Zhang (2015), "Nearly Optimal Private LASSO".
    """
    rows, labels = data
    weights: Any = np.array(start)
    for step in range(rounds):
        total = 0.0
        for row, label in zip(rows, labels, strict=True):
            x = dp.undisc(dp.clamp(row, -1, 1))
            residual = dp.dot(x, weights) - dp.undisc(dp.clamp(label, -1, 1))
            total += dp.clamp(dp.clamp(residual, -1, 1) * x, -1, 1)

        corner = dp.report_noisy_max(dp.concat(-total, total), epsilon=eps / rounds)
        sign = 1 if corner < len(start) else -1
        vertex = sign * radius * np.eye(len(start))[corner % len(start)]
        weights = weights + 2 / (step + 2) * (vertex - weights)
    return weights
