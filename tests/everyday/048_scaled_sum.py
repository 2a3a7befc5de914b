"""What is the mean of a sensor, after scaling the readings to the range from 0 to 1?"""

import numpy as np

import metricdp as dp


@dp.measurement
def scaled_mean(readings: dp.Records[float], eps: float):
    x = np.array(readings)
    x = (x - x.min()) / (x.max() - x.min())
    total = dp.laplace(np.sum(x), scale=2 / eps)
    n = dp.laplace(x.size, scale=2 / eps)
    return total / n
