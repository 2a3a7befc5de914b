"""How many students are in each year, as whole numbers?"""

import metricdp as dp


@dp.measurement
def geometric_mechanism(years: dp.Records[int], eps: float) -> list[int]:
    counts = [0] * 4
    for year in years:
        if 1 <= year <= 4:
            counts[year - 1] += 1
    return [max(0, dp.discrete_laplace(c, scale=1 / eps)) for c in counts]
