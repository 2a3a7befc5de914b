"""How much more do people walk at the weekend than on working days?"""

from dataclasses import dataclass
from datetime import date

import metricdp as dp


@dataclass
class Walk:
    day: date
    steps: int


@dp.measurement
def weekend_ratio(walks: dp.Records[Walk], eps: float):
    weekend = [min(max(w.steps, 0), 30_000) for w in walks if w.day.weekday() >= 5]
    working = [min(max(w.steps, 0), 30_000) for w in walks if w.day.weekday() < 5]
    a = dp.laplace(sum(weekend), epsilon=eps) / 2
    b = dp.laplace(sum(working), epsilon=eps) / 5
    return a / b
