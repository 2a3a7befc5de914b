"""Hyper-parameter selection: the best of several released models."""

from __future__ import annotations

from typing import Any

import metricdp as dp
from metricdp import L1, L2, Data, LInf


@dp.measurement(epsilon="eps")
def choose_model(
    data: dp.Aligned[dp.Matrix[Data, LInf], dp.Vector[Data, L1]],
    models: tuple[tuple[float, ...], ...],
    eps: float,
) -> Any:
    """The position of a linear model, the more likely the more rows it classifies rightly.

    A model is right where the sign of its product with the row is the label, 1 or -1. The models
    come from other data, or from releases whose cost is paid elsewhere.
    Source: McSherry and Talwar (2007); Chaudhuri, Monteleoni and Sarwate (2011), algorithm 3.
    """
    rows, labels = data

    def score(position: Any) -> Any:
        right = 0.0
        for row, label in zip(rows, labels, strict=True):
            x = dp.undisc(dp.clip(row, L2))
            sign = dp.undisc(dp.clamp(label, -1, 1))
            agreement = 1.0 if dp.dot(x, models[position]) * sign > 0 else 0.0
            right += dp.clamp(agreement, 0, 1)
        return right

    return dp.exponential_mechanism(candidates=range(len(models)), score=score, epsilon=eps)
