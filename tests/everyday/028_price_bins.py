"""How are house prices distributed, in ten bins from the cheapest to the dearest house?"""

import metricdp as dp


@dp.measurement
def price_bins(prices: dp.Records[float], eps: float):
    lo, hi = min(prices), max(prices)
    width = (hi - lo) / 10
    bins = []
    for i in range(10):
        a, b = lo + i * width, lo + (i + 1) * width
        n = dp.laplace(sum(1 for p in prices if a <= p < b), epsilon=eps)
        bins.append((a, b, n))
    return bins
