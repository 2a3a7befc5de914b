from dataclasses import dataclass
from datetime import date

import metricdp as dp

DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]


@dataclass
class Stay:
    discharged: date
    readmitted: bool


@dp.measurement
def readmissions(stays: dp.Records[Stay], eps: float):
    result = {}
    for i, day in enumerate(DAYS):
        that_day = [s for s in stays if s.discharged.weekday() == i]
        back = [s for s in that_day if s.readmitted]
        n = dp.laplace(dp.count(that_day), epsilon=eps / 2)
        k = dp.laplace(dp.count(back), epsilon=eps / 2)
        result[day] = k / n if n > 10 else None
    return result
