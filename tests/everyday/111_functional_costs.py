from dataclasses import dataclass
from functools import reduce

import metricdp as dp


@dataclass
class Visit:
    ward: str
    cost: float


def capped(v):
    return min(max(v.cost, 0), 500)


@dp.measurement
def functional_costs(visits: dp.Records[Visit], eps: float):
    emergency = filter(lambda v: v.ward == "emergency", visits)
    total = reduce(lambda acc, c: acc + c, map(capped, emergency), 0)
    return dp.laplace(total, epsilon=eps)
