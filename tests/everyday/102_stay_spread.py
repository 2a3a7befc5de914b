import math

import metricdp as dp


@dp.measurement
def stay_mean_and_sd(stays: dp.Records[float], eps: float):
    days = dp.clamp(stays, 0, 60)
    n = dp.laplace(dp.count(days), epsilon=eps / 3)
    total = dp.laplace(dp.sum(days), epsilon=eps / 3)
    squares = dp.laplace(dp.sum([d**2 for d in days]), epsilon=eps / 3)
    n = max(n, 1)
    mean = total / n
    variance = max(squares / n - mean**2, 0)
    return mean, math.sqrt(variance)
