"""The second moments of a table, whose leading directions are its principal components."""

from __future__ import annotations

from typing import Annotated, Any

import metricdp as dp
from metricdp import L2, Data, LInf


@dp.measurement(rho="rho")
def covariance(
    rows: Annotated[dp.Matrix[Data, LInf], dp.Size("n", "d")], radius: float, rho: float
) -> Any:
    """X^T X / n, row by row in one vector of d^2 numbers, for rows of length at most `radius`.

    Its leading eigenvectors are the principal components. One row replaced moves X^T X by at most
    sqrt(2) radius^2, not 2 radius^2.
    Source: Dwork, Talwar, Thakurta and Zhang (2014), "Analyze Gauss".
    """
    total = 0.0
    for row in rows:
        total += dp.outer(dp.undisc(dp.clip(row / radius, L2)))
    return radius**2 * dp.gaussian(total, rho=rho) / len(rows)
