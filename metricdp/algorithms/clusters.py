"""k-means: in every round a noisy count and a noisy sum of the rows nearest to each centre."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np

import metricdp as dp
from metricdp import L2, Data, LInf


@dp.measurement(rho="rho")
def clusters(
    rows: Annotated[dp.Matrix[Data, LInf], dp.Size("n", "d")],
    start: tuple[tuple[float, ...], ...],
    rounds: int,
    rho: float,
) -> Any:
    """Centres of rows of length at most 1; longer rows are scaled down.

    Source: Blum, Dwork, McSherry and Nissim (2005), "Practical Privacy: The SuLQ Framework".
    """
    centres: Any = start
    share = rho / rounds / len(start) / 2

    def nearness(x: Any, centre: Any) -> Any:
        return dp.dot(x, centre) - float(np.dot(centre, centre)) / 2

    for _ in range(rounds):
        moved = []
        for i in range(len(start)):
            number, total = 0.0, 0.0
            for row in rows:
                x = dp.undisc(dp.clip(row, L2))
                mine = 1.0
                for j in range(len(start)):
                    if nearness(x, centres[i]) < nearness(x, centres[j]):
                        mine = 0.0
                mine = dp.clamp(mine, 0, 1)
                number += mine
                total += mine * x
            size = max(dp.gaussian(number, rho=share), 1)
            centre = dp.gaussian(total, rho=share) / size
            moved.append(centre / max(float(np.linalg.norm(centre)), 1))
        centres = np.array(moved)
    return centres
