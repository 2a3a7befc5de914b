"""A mean whose clipping bound is chosen by the sparse vector technique."""

from __future__ import annotations

from typing import Any

import metricdp as dp


@dp.measurement(epsilon="eps")
def clipped_mean(values: dp.Records[float], largest: float, share: float, eps: float) -> Any:
    """The mean of values in [0, largest], clipped where about a share of them lies below.

    The bound is the first of largest/64, largest/16 and largest/4 that reaches the share, or else
    `largest`. A bound that comes from a release is no public bound: values are divided by it and
    clamped to [0, 1], which is one.
    Source: Dwork and Roth (2014), section 3.6; Andrew, Thakkar, McMahan and Ramaswamy (2021) for
    adaptive clipping.
    """
    number = max(dp.laplace(dp.count(values), epsilon=eps / 4), 1)
    below = [
        lambda rows: dp.count(lambda v: v <= largest / 64, rows),
        lambda rows: dp.count(lambda v: v <= largest / 16, rows),
        lambda rows: dp.count(lambda v: v <= largest / 4, rows),
    ]
    place = dp.above_threshold(below, eps / 4, values, share * number)
    bound = largest if place is None else largest / 4 ** (3 - place)
    scaled = dp.clamp([v / bound for v in values], 0, 1)
    return bound * dp.laplace(dp.sum(scaled), epsilon=eps / 2) / number
