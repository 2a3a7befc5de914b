from dataclasses import dataclass

import metricdp as dp


@dataclass
class Employee:
    name: str
    dept: str
    salary: float


@dp.measurement
def pay_bands(staff: dp.Records[Employee], eps: float):
    low = 0
    mid = 0
    high = 0
    top = 0
    for e in staff:
        if e.salary < 25_000:
            low += 1
        elif e.salary < 50_000:
            mid += 1
        elif e.salary < 100_000:
            high += 1
        else:
            top += 1
    return {
        "low": dp.laplace(low, epsilon=eps),
        "mid": dp.laplace(mid, epsilon=eps),
        "high": dp.laplace(high, epsilon=eps),
        "top": dp.laplace(top, epsilon=eps),
    }
