"""How many trips start on each day of the week?"""

from dataclasses import dataclass
from datetime import date

import metricdp as dp

DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]


@dataclass
class Trip:
    day: date
    minutes: float


@dp.measurement
def trips_by_weekday(trips: dp.Records[Trip], eps: float) -> dict[str, float]:
    counts = {}
    for i, name in enumerate(DAYS):
        counts[name] = dp.laplace(sum(1 for t in trips if t.day.weekday() == i), epsilon=eps)
    return counts
