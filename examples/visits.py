"""Doctor visits in the RAND Health Insurance Experiment: a program that is proved.

Each row is one person-year, so the guarantee is about one person-year added or removed. A person
was followed for at most five years: `metricdp check examples/visits.py --distance visits=5` shows
what all of one person's years together cost.
"""

import metricdp as dp


@dp.measurement
def mean_visits(visits: dp.Records[float], eps: float):
    """Visits per person-year, with the two releases it is made of: the division is free."""
    kept = dp.clamp(visits, 0, 20)
    total = dp.laplace(dp.sum(kept), epsilon=eps / 2)
    years = dp.laplace(dp.count(kept), epsilon=eps / 2)
    return total / years, total, years


@dp.measurement
def years_without_visit(visits: dp.Records[float], eps: float):
    """Number of person-years without a single visit to a doctor."""
    return dp.laplace(dp.count(lambda v: v < 1, visits), epsilon=eps)


@dp.measurement
def years_in_poor_health(poor: dp.Records[bool], eps: float):
    """Number of person-years of people who rated their own health as poor."""
    return dp.laplace(dp.count(lambda p: p, poor), epsilon=eps)
