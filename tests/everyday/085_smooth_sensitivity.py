"""What is the median waiting time, with noise for the smooth sensitivity of this data set?"""

import math
from typing import Annotated

import metricdp as dp

LO, HI = 0.0, 240.0


def at(values, i, n):
    """The i-th smallest value; LO before the first and HI after the last."""
    if i < 0:
        return LO
    if i >= n:
        return HI
    return values[i]


def local_sensitivity(values, n, k):
    """How far the median can move when k + 1 values are replaced, at most."""
    m = n // 2
    return max(at(values, m + t, n) - at(values, m + t - k - 1, n) for t in range(k + 2))


def smooth_sensitivity(values, n, beta):
    best = 0.0
    for k in range(n + 1):
        best = max(best, math.exp(-beta * k) * local_sensitivity(values, n, k))
    return best


@dp.measurement
def smooth_median(
    waits: Annotated[dp.Records[float, dp.ChangeOne], dp.Size("n")],
    n: int,
    eps: float,
    delta: float,
):
    assert n % 2 == 1
    values = sorted(min(max(w, LO), HI) for w in waits)
    median = values[n // 2]
    beta = eps / (2 * math.log(2 / delta))
    scale = 2 * smooth_sensitivity(values, n, beta) / eps
    return dp.laplace(median, scale=scale)
