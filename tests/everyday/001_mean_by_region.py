"""What does a visit to a doctor cost on average in each region?"""

from dataclasses import dataclass

import metricdp as dp

REGIONS = ["north", "south", "east", "west"]


@dataclass
class Visit:
    region: str
    cost: float


@dp.measurement
def mean_by_region(visits: dp.Records[Visit], eps: float):
    out = {}
    for region in REGIONS:
        costs = [min(max(v.cost, 0), 500) for v in visits if v.region == region]
        total = dp.laplace(sum(costs), epsilon=eps / 2)
        n = dp.laplace(len(costs), epsilon=eps / 2)
        out[region] = total / max(n, 1)
    return out
