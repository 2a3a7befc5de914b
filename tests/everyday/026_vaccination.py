"""Which share of each age band has had one dose, and two?"""

from typing import NamedTuple

import metricdp as dp

BANDS = {"5-17": (5, 18), "18-64": (18, 65), "65+": (65, 130)}


class Person(NamedTuple):
    age: int
    doses: int


@dp.measurement
def vaccination(people: dp.Records[Person], eps: float):
    e = eps / 3

    def in_band(name):
        lo, hi = BANDS[name]
        return [p for p in people if lo <= p.age < hi]

    result = {}
    for name in BANDS:
        band = in_band(name)
        n = dp.laplace(len(band), epsilon=e)
        one = dp.laplace(sum(1 for p in band if p.doses >= 1), epsilon=e)
        two = dp.laplace(sum(1 for p in band if p.doses >= 2), epsilon=e)
        result[name] = (one / n, two / n)
    return result
