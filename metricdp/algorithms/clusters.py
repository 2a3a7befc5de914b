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
    share = rho / rounds / len(start) / 2
    centres: Any = start
    for _ in range(rounds):
        centres = tuple([moved(rows, centres, i, len(start), share) for i in range(len(start))])
    return centres


def moved(rows: Any, centres: Any, i: Any, k: Any, share: Any) -> Any:
    """The noisy mean of the rows that are nearer to centre i than to any other, in the ball."""
    number, total = 0.0, 0.0
    for row in rows:
        x = dp.undisc(dp.clip(row, L2))
        mine = 1.0
        for j in range(k):
            if nearness(x, centres[i]) < nearness(x, centres[j]):
                mine = 0.0
        mine = dp.clamp(mine, 0, 1)
        number += mine
        total += mine * x
    centre = dp.gaussian(total, rho=share) / max(dp.gaussian(number, rho=share), 1)
    return centre / max(float(np.linalg.norm(centre)), 1)


def nearness(x: Any, centre: Any) -> Any:
    """Larger where the centre is nearer: half the squared distance, up to what all share."""
    return dp.dot(x, centre) - float(np.dot(centre, centre)) / 2
