"""Where do customers live along a road of 64 km, in cells that are split where it is crowded?"""

import metricdp as dp

DEPTH = 4
CROWDED = 100


def cells(points, lo, hi, depth, eps):
    here = [p for p in points if lo <= p < hi]
    n = dp.laplace(len(here), epsilon=eps)
    if depth == 0 or n < CROWDED:
        return [(lo, hi, n)]
    mid = (lo + hi) / 2
    return cells(here, lo, mid, depth - 1, eps) + cells(here, mid, hi, depth - 1, eps)


@dp.measurement
def adaptive_histogram(km: dp.Records[float], eps: float):
    return cells(km, 0.0, 64.0, DEPTH, eps / (DEPTH + 1))
