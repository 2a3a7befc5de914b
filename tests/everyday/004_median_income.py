"""What is the median household income?"""

import metricdp as dp

STEP = 1000
CANDIDATES = list(range(0, 200_001, STEP))


@dp.measurement
def median_income(incomes: dp.Records[float], eps: float):
    return dp.private_quantile(incomes, CANDIDATES, 0.5, epsilon=eps)
