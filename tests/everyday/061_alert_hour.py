"""In which hour did failed log-ins first exceed 500?"""

import metricdp as dp

LIMIT = 500


@dp.measurement
def alert_hour(hours: dp.Records[int], eps: float):
    counts = [sum(1 for h in hours if h == hour) for hour in range(24)]
    return dp.above_threshold(counts, eps=eps, threshold=LIMIT)
