"""What is the mean disk use, unless there are too few disks by a noisy count?"""

import metricdp as dp


@dp.measurement
def noisy_guard(disks: dp.Records[float], eps: float):
    n = dp.laplace(len(disks), epsilon=eps / 2)
    if n < 100:
        return None
    used = [min(max(d, 0.0), 1.0) for d in disks]
    return round(dp.laplace(sum(used), epsilon=eps / 2) / n, 3)
