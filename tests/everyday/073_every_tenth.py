"""What is the mean size of a request, estimated from every tenth line of the log?"""

import metricdp as dp


@dp.measurement
def every_tenth(sizes: dp.Records[float], eps: float):
    sampled = [min(max(s, 0), 1000) for s in sizes[::10]]
    total = dp.laplace(sum(sampled), epsilon=eps / 2)
    n = dp.laplace(len(sampled), epsilon=eps / 2)
    return total / n
