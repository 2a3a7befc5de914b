from dataclasses import dataclass

import numpy as np

import metricdp as dp


@dataclass
class Reading:
    house: int
    hour: int
    kwh: float


@dp.measurement
def load_curve(readings: dp.Records[Reading, dp.Ids("house")], eps: float):
    readings = dp.limit_rows(readings, "house", 24)
    curve = np.zeros(24)
    for r in readings:
        curve[r.hour % 24] += min(max(r.kwh, 0.0), 5.0)
    noisy = [dp.laplace(c, epsilon=eps) for c in curve]
    peak = noisy.index(max(noisy))
    return noisy, peak
