"""What is the median battery level, found by halving an interval ten times?"""

import metricdp as dp


@dp.measurement
def median_by_halving(levels: dp.Records[float], eps: float):
    lo, hi = 0.0, 100.0
    step = 0
    while step < 10:
        mid = (lo + hi) / 2
        balance = sum(1 if v < mid else -1 for v in levels)
        if dp.laplace(balance, epsilon=eps / 10) > 0:
            hi = mid
        else:
            lo = mid
        step += 1
    return (lo + hi) / 2
