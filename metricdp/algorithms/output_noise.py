"""Regressions that descend without noise and are perturbed once, at the end."""

from __future__ import annotations

from typing import Any

import metricdp as dp
from metricdp import Data, LInf


@dp.measurement(rho="rho")
def output_perturbation(
    rows: dp.Matrix[Data, LInf], rounds: int, rate: float, decay: float, rho: float
) -> Any:
    """Weights of a regularised logistic regression; the last column is the label, 0 or 1.

    While rate * (2 decay + 1/4) <= 2, every step brings two runs closer together, so one row moves
    the result by less than 2 / (n decay), however many rounds there are, and by what rounding adds,
    which is printed; noise is added once.
    Source: Chaudhuri, Monteleoni and Sarwate (2011), "Differentially Private Empirical Risk
    Minimization"; Wu et al. (2017), "Bolt-on Differential Privacy".
    """
    weights: Any = 0.0
    for _ in range(rounds):
        weights = dp.logistic_step(weights, rows, rate, decay)
    return dp.gaussian(weights, rho=rho)


@dp.measurement(rho="rho")
def ridge_regression(
    rows: dp.Matrix[Data, LInf], rounds: int, rate: float, decay: float, radius: float, rho: float
) -> Any:
    """Weights of a ridge regression in a ball; the last column is the label, in [-1, 1].

    The projection bounds the gradients, and the decay makes every step a contraction; noise is
    added once.
    Source: Wu et al. (2017), "Bolt-on Differential Privacy".
    """
    weights: Any = 0.0
    for _ in range(rounds):
        weights = dp.ridge_step(weights, rows, rate, decay, radius)
    return dp.gaussian(weights, rho=rho)
