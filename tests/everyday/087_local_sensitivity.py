"""What is the median age, with noise fitted to how far the median could move in this data set?"""

import numpy as np

import metricdp as dp


@dp.measurement
def local_sensitivity_median(ages: dp.Records[float], eps: float):
    x = np.sort(np.clip(ages, 0, 120))
    median = np.percentile(x, 50)
    m = len(x) // 2
    local = max(x[m + 1] - median, median - x[m - 1])
    return dp.laplace(median, scale=local / eps)
