"""Two claims that are false: refuted, each with a pair of inputs that breaks it."""

import metricdp as dp


@dp.transformation(stability="20*d_in")
def net_visits(change: dp.Records[float]):
    """Claims the upper end of the range, where the larger of both ends counts."""
    return dp.sum(dp.clamp(change, -30, 20))


@dp.measurement(epsilon="eps/2")
def visits_and_years(visits: dp.Records[float], eps: float):
    """Claims half of what its two releases spend together."""
    kept = dp.clamp(visits, 0, 20)
    total = dp.laplace(dp.sum(kept), epsilon=eps / 2)
    years = dp.laplace(dp.count(kept), epsilon=eps / 2)
    return total, years
