"""Which share of households is below the poverty line?"""

import metricdp as dp

LINE = 14_500


@dp.measurement
def poverty_rate(incomes: dp.Records[float], eps: float):
    poor = sum(1 for income in incomes if income < LINE)
    return dp.laplace(poor, epsilon=eps) / len(incomes)
