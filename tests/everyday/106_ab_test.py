from dataclasses import dataclass
from math import sqrt

import metricdp as dp


@dataclass
class Visitor:
    arm: str
    bought: bool


@dp.measurement
def ab_test(visitors: dp.Records[Visitor], eps: float):
    rates = {}
    sizes = {}
    for arm in ["control", "treatment"]:
        group = [v for v in visitors if v.arm == arm]
        sizes[arm] = dp.laplace(len(group), epsilon=eps / 2)
        bought = dp.laplace(sum(v.bought for v in group), epsilon=eps / 2)
        rates[arm] = bought / max(sizes[arm], 1)
    lift = rates["treatment"] - rates["control"]
    pooled = (rates["treatment"] + rates["control"]) / 2
    se = sqrt(max(pooled * (1 - pooled), 1e-9) * sum(1 / max(s, 1) for s in sizes.values()))
    return lift, lift / se
