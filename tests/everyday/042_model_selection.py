"""Which of six public forecasting formulas has the smallest error on our meters?"""

from typing import NamedTuple

import metricdp as dp


class Meter(NamedTuple):
    last_year: float
    this_year: float


FACTORS = [0.8, 0.9, 0.95, 1.0, 1.05, 1.1]


@dp.measurement
def model_selection(meters: dp.Records[Meter], eps: float):
    losses = []
    for f in FACTORS:
        errors = [abs(m.this_year - f * m.last_year) for m in meters]
        losses.append(-sum(min(e, 100.0) for e in errors))
    best = dp.report_noisy_max(losses, epsilon=eps)
    return FACTORS[best]
