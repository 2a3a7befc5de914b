"""Which share of trains is at most so many minutes late?"""

import metricdp as dp

LIMITS = (0, 2, 5, 10, 15, 30, 60)


@dp.measurement
def cumulative_delay(delays: dp.Records[float], eps: float):
    each = eps / (len(LIMITS) + 1)
    n = dp.laplace(len(delays), epsilon=each)
    shares = []
    for limit in LIMITS:
        k = dp.laplace(sum(d <= limit for d in delays), epsilon=each)
        shares.append((limit, max(0.0, min(1.0, k / n))))
    return shares
