"""The same mean without `clamp`: rejected, with the edit that mends it."""

import metricdp as dp


@dp.measurement
def mean_visits(visits: dp.Records[float], eps: float):
    total = dp.laplace(dp.sum(visits), epsilon=eps / 2)
    years = dp.laplace(dp.count(visits), epsilon=eps / 2)
    return total / years
