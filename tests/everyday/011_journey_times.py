"""What are the quartiles and the 90th percentile of journey times?"""

import metricdp as dp

QUANTILES = [0.25, 0.5, 0.75, 0.9]


@dp.measurement
def journey_times(minutes: dp.Records[float], eps: float):
    result = {}
    for q in QUANTILES:
        result[q] = dp.interval_quantile(minutes, 0, 180, q, epsilon=eps / len(QUANTILES))
    return result
