"""What is the mean mark of the class, whose size everyone knows?"""

import statistics
from typing import Annotated

import metricdp as dp


@dp.measurement
def mean_mark(marks: Annotated[dp.Records[float, dp.ChangeOne], dp.Size("n")], n: int, eps: float):
    assert n >= 5
    kept = [min(max(m, 0), 100) for m in marks]
    return round(dp.laplace(statistics.mean(kept), epsilon=eps), 1)
