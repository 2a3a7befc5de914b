from dataclasses import dataclass
from itertools import product

import metricdp as dp


@dataclass
class Subject:
    vaccinated: bool
    infected: bool


@dp.measurement
def vaccine_trial(subjects: dp.Records[Subject], eps: float):
    cells = {}
    for v, i in product([True, False], [True, False]):
        here = [s for s in subjects if s.vaccinated == v and s.infected == i]
        cells[v, i] = dp.laplace(dp.count(here), epsilon=eps)
    risk_v = cells[True, True] / (cells[True, True] + cells[True, False])
    risk_u = cells[False, True] / (cells[False, True] + cells[False, False])
    n = sum(cells.values())
    chi2 = 0
    for v in (True, False):
        for i in (True, False):
            row = cells[v, True] + cells[v, False]
            col = cells[True, i] + cells[False, i]
            expected = row * col / n
            chi2 += (cells[v, i] - expected) ** 2 / expected
    return {"efficacy": 1 - risk_v / risk_u, "chi2": chi2}
