"""How large is the gap between the mean pay of men and women?"""

from typing import TypedDict

import metricdp as dp


class Employee(TypedDict):
    sex: str
    pay: float


TOP = 150_000


@dp.measurement
def pay_gap(staff: dp.Records[Employee], eps: float):
    sums = {"f": 0.0, "m": 0.0}
    counts = {"f": 0, "m": 0}
    for person in staff:
        if person["sex"] in sums:
            sums[person["sex"]] += min(max(person["pay"], 0), TOP)
            counts[person["sex"]] += 1
    means = {}
    for sex in sums:
        total = dp.laplace(sums[sex], epsilon=eps / 2)
        n = dp.laplace(counts[sex], epsilon=eps / 2)
        means[sex] = total / n
    return 1 - means["f"] / means["m"]
