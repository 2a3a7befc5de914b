"""What is the typical rent, by sample and aggregate over ten blocks?"""

from typing import Annotated

import numpy as np

import metricdp as dp

LO, HI = 200.0, 3000.0
BLOCKS = 10


@dp.measurement
def sample_and_aggregate(
    rents: Annotated[dp.Records[float, dp.Hamming], dp.Size("n")], n: int, eps: float
):
    assert n >= BLOCKS
    estimates = []
    for i in range(BLOCKS):
        block = rents[i::BLOCKS]
        estimates.append(min(max(np.mean(block), LO), HI))
    return dp.laplace(np.mean(np.array(estimates)), scale=(HI - LO) / (BLOCKS * eps))
