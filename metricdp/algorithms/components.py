"""Principal components of a table."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

import metricdp as dp
from metricdp import L2, Data, LInf


@dp.measurement(rho="rho")
def principal_components(
    rows: Annotated[dp.Matrix[Data, LInf], dp.Size("n", "d")], radius: float, rho: float
) -> Any:
    """The d directions of largest second moment, as columns, for rows no longer than `radius`.

    Eigenvectors of the noisy X^T X / n: what follows the noise is free.
    Source: Dwork, Talwar, Thakurta and Zhang (2014), "Analyze Gauss".
    """
    total = 0.0
    for row in rows:
        total += dp.outer(dp.undisc(dp.clip(row / radius, L2)))
    entries = dp.gaussian(total, rho=rho)
    side = round(len(entries) ** 0.5)
    noisy = np.reshape(entries, (side, side))
    _, vectors = np.linalg.eigh((noisy + noisy.T) / 2)
    return np.flip(vectors, 1)
