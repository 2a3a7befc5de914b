"""Which age limit best separates buyers from others?"""

import metricdp as dp

LIMITS = list(range(20, 71, 5))


@dp.measurement
def decision_stump(people: dp.Records[tuple[float, bool]], eps: float):
    def right(limit):
        return sum(1 for age, buys in people if (age >= limit) == buys)

    return dp.exponential_mechanism(1, eps, LIMITS, right)
