"""Logistic regression by noisy gradient descent on samples of the rows."""

from __future__ import annotations

from typing import Any

import metricdp as dp
from metricdp import L2, ChangeOne, Data, LInf


@dp.measurement
def minibatch_descent(
    rows: dp.Records[dp.Vector[Data, LInf]],
    start: tuple[float, ...],
    q: float,
    rounds: int,
    rate: float,
    sigma: float,
    expected: float,
) -> Any:
    """Weights for rows that were multiplied by their label, 1 or -1; one row added or removed.

    Every round takes each row with probability q; `expected` is the public size of a batch, q times
    a guess of the number of rows. `minibatch_descent.spent(delta, q=, rounds=, sigma=)` is the
    certified epsilon.
    Source: Abadi et al. (2016), "Deep Learning with Differential Privacy".
    """
    weights: Any = start
    for _ in range(rounds):
        at = [float(weights[i]) for i in range(len(start))]
        total = 0.0
        for row in dp.sample(rows, q=q):
            x = dp.undisc(dp.clip(row, L2))
            residual = dp.sigmoid(dp.dot(x, at)) - 1
            total += residual * x
        weights = weights - rate * dp.gaussian(total, scale=sigma) / expected
    return weights


@dp.measurement
def minibatch_descent_replaced(
    rows: dp.Records[dp.Vector[Data, LInf], ChangeOne],
    start: tuple[float, ...],
    b: int,
    rounds: int,
    rate: float,
    sigma: float,
) -> Any:
    """Weights for rows that were multiplied by their label, 1 or -1; one row replaced.

    Every round takes b rows without replacement.
    `minibatch_descent_replaced.spent(delta, b=, rounds=, sigma=, len_rows=)` is the certified
    epsilon.
    Source: Balle, Barthe and Gaboardi (2018), "Privacy Amplification by Subsampling".
    """
    weights: Any = start
    for _ in range(rounds):
        at = [float(weights[i]) for i in range(len(start))]
        total = 0.0
        for row in dp.sample(b, rows):
            x = dp.undisc(dp.clip(row, L2))
            residual = dp.sigmoid(dp.dot(x, at)) - 1
            total += residual * x
        weights = weights - rate * dp.gaussian(total, scale=sigma) / b
    return weights
