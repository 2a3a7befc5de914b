"""What is the mean temperature of the racks, unless there are too few readings?"""

import metricdp as dp


@dp.measurement
def small_sample_guard(readings: dp.Records[float], eps: float):
    if len(readings) < 100:
        return None
    kept = [min(max(r, 10), 60) for r in readings]
    total = dp.laplace(sum(kept), epsilon=eps / 2)
    return total / dp.laplace(len(kept), epsilon=eps / 2)
