"""How are the ages of members distributed, in bands of ten years?"""

import numpy as np

import metricdp as dp

LO, HI = 0, 100
EDGES = np.arange(LO, HI + 10, 10)


@dp.measurement
def age_histogram(ages: dp.Records[int], eps: float):
    ages = np.clip(ages, LO, HI)
    counts, _ = np.histogram(ages, bins=EDGES)
    return dp.laplace(counts, epsilon=eps)
