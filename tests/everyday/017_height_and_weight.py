"""How strongly are height and weight correlated?"""

from math import sqrt
from typing import NamedTuple

import metricdp as dp


class Person(NamedTuple):
    height: float
    weight: float


@dp.measurement
def correlation(people: dp.Records[Person], eps: float) -> float:
    h = [(min(max(p.height, 140), 210) - 175) / 35 for p in people]
    w = [(min(max(p.weight, 40), 140) - 90) / 50 for p in people]
    share = eps / 6
    n = dp.laplace(len(h), epsilon=share)
    sh = dp.laplace(sum(h), epsilon=share)
    sw = dp.laplace(sum(w), epsilon=share)
    shh = dp.laplace(sum(x * x for x in h), epsilon=share)
    sww = dp.laplace(sum(x * x for x in w), epsilon=share)
    shw = dp.laplace(sum(x * y for x, y in zip(h, w)), epsilon=share)
    cov = shw / n - (sh / n) * (sw / n)
    vh = max(shh / n - (sh / n) ** 2, 1e-9)
    vw = max(sww / n - (sw / n) ** 2, 1e-9)
    return min(max(cov / sqrt(vh * vw), -1.0), 1.0)
