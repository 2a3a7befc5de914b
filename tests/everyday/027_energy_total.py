"""How much energy do all households together use, with every reading cut at 40 kWh?"""

import numpy as np

import metricdp as dp

LO, HI = 0.0, 40.0


@dp.measurement
def energy_total(readings: dp.Records[float], eps: float):
    x = np.clip(readings, LO, HI)
    return dp.laplace(np.sum(x), scale=HI / eps)
