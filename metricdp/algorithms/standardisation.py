"""Column means and standard deviations, to standardise data with."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

import metricdp as dp
from metricdp import Data, LInf


@dp.measurement(rho="rho")
def standardise(
    rows: Annotated[dp.Matrix[Data, LInf], dp.Size("n", "d")], bound: float, rho: float
) -> Any:
    """The mean and the standard deviation of every column, with entries in [-bound, bound].

    Source: two Gaussian sums; Bun and Steinke (2016), "Concentrated Differential Privacy".
    """
    total, squares = 0.0, 0.0
    for row in rows:
        scaled = dp.clamp(row / bound, -1, 1)
        total += dp.undisc(scaled)
        squares += dp.undisc(scaled**2)
    means = np.clip(dp.gaussian(total, rho=rho / 2) / len(rows), -1, 1)
    second = np.clip(dp.gaussian(squares, rho=rho / 2) / len(rows), 0, 1)
    return bound * means, bound * np.sqrt(np.maximum(second - means**2, 0))
