"""What are the mean and the standard deviation of birth weights in grams?"""

import math

import metricdp as dp

LO, HI = 500, 6000


@dp.measurement
def spread_of_weights(weights: dp.Records[float], eps: float):
    w = dp.clamp(weights, LO, HI)
    n = dp.laplace(len(w), epsilon=eps / 3)
    s1 = dp.laplace(sum(w), epsilon=eps / 3)
    s2 = dp.laplace(sum(x**2 for x in w), epsilon=eps / 3)
    mean = s1 / n
    variance = max(s2 / n - mean**2, 0)
    return mean, math.sqrt(variance)
