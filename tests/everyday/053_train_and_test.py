"""How well does the mean of one half of the days predict the other half?"""

from typing import Annotated

import metricdp as dp

LO, HI = 0.0, 50.0


@dp.measurement
def train_and_test(
    sales: Annotated[dp.Records[float, dp.Hamming], dp.Size("n")], n: int, eps: float
):
    half = n // 2
    train, test = sales[:half], sales[half:]
    mean = dp.laplace(sum(dp.clamp(train, LO, HI)), epsilon=eps) / half
    mean = min(max(mean, LO), HI)
    errors = [abs(min(max(v, LO), HI) - mean) for v in test]
    error = dp.laplace(sum(errors), epsilon=eps) / (n - half)
    return mean, error
