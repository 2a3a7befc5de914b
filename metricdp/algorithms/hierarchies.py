"""Several quantiles of one column at once, from one histogram in three resolutions."""

from __future__ import annotations

from math import floor, log
from typing import Any

import numpy as np

import metricdp as dp


def consistent(coarse: Any, middle: Any, fine: Any) -> Any:
    """The counts of 4096 bins that fit those of 16, 256 and 4096 bins best, by least squares.

    Source: Hay, Rastogi, Miklau and Suciu (2010), "Boosting the Accuracy of Differentially Private
    Histograms Through Consistency", theorem 3, for 16 trees of three levels.
    """
    leaves = np.reshape(fine, (256, 16))
    below = np.sum(leaves, axis=1)
    nodes = (16 * middle + below) / 17
    above = np.sum(np.reshape(nodes, (16, 16)), axis=1)
    roots = (256 * coarse + 17 * above) / 273
    nodes = nodes + np.repeat((roots - above) / 16, 16)
    return np.reshape(fine, 4096) + np.repeat((nodes - below) / 16, 16)


def ranks_apart(share: float, eps: float) -> Any:
    """How far off, with a chance of 2.5% to each side, the rank of a bin may be: for each.

    Rows before a bin less the share of all rows are a sum of noises of scale 3 / eps with
    coefficients below 1, whose squares add up to at most v: those of the 16 trees, of which the one
    that the bin is in adds at most 7.78 (`tests/test_algorithms_found.py` computes them).
    E exp(x N) <= (1 - 9 x^2 / eps^2)^-v then, as -log(1 - c y) <= -c log(1 - y) for c in [0, 1],
    and Markov's inequality is asked at 60 places x.
    """
    trees = np.floor(np.arange(4096) / 256)
    squares = (1 - share) ** 2 * trees + share**2 * (15 - trees)
    squares = squares * 256 / 273 + 7.78
    near = np.full(4096, np.inf)
    for i in range(1, 61):
        place = i / 61
        near = np.minimum(near, (log(40) - squares * log(1 - place**2)) / place)
    return near * 3 / eps


@dp.measurement(epsilon="eps")
def quantiles(
    values: dp.Records[float], shares: tuple[float, ...], lower: float, upper: float, eps: float
) -> Any:
    """Where a share q of the rows lies below, for every q of some shares, each with an interval.

    Counts of 16, 256 and 4096 bins between the bounds cost one third each, however many quantiles
    are read off them; they rise with the share. Values beyond a bound count as the bound.
    An answer lies in a bin, with the ends of an interval: where the share of the rows lies without
    noise is in it with a chance of at least 95%. The scale of the noise is 3 / eps, so that a
    person with m rows costs m times eps.
    Source: Hay, Rastogi, Miklau and Suciu (2010), theorem 3; Dwork, Naor, Pitassi and Rothblum
    (2010) for sums of few counts.
    """
    span = upper - lower
    steps = 4096 / span
    places = [min(floor((dp.clamp(v, lower, upper) - lower) * steps), 4095) for v in values]
    few = dp.histogram([p // 256 for p in places], categories=range(16))
    more = dp.histogram([p // 16 for p in places], categories=range(256))
    coarse = dp.laplace(few, scale=3 / eps)
    middle = dp.laplace(more, scale=3 / eps)
    fine = dp.laplace(dp.histogram(places, categories=range(4096)), scale=3 / eps)
    through = np.cumsum(consistent(coarse, middle, fine))
    number = through[4095]
    falling = np.flip(np.minimum.accumulate(np.flip(through)))
    steady = (np.maximum.accumulate(through) + falling) / 2
    found = []
    for share in shares:
        place = min(np.sum(steady < share * number), 4095)
        rows = steady[place] - (steady[place - 1] if place > 0 else 0)
        part = 1 - (steady[place] - share * number) / rows if rows > 0 else 0
        apart = through - share * number
        near = ranks_apart(share, eps)
        before = np.concatenate(([0 - share * number], apart[:-1]))
        inside = np.flatnonzero((before <= near) & (apart >= -near))
        first = min(inside[0], place) if len(inside) > 0 else place
        last = max(inside[-1], place) if len(inside) > 0 else place
        inside_bin = min(max(part, 0), 1)
        found.append([lower + span * e / 4096 for e in (place + inside_bin, first, last + 1)])
    return found
