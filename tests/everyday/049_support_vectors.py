"""Which weights separate the two classes with a margin?"""

import numpy as np

import metricdp as dp

REG = 0.01


@dp.measurement(rho="rounds / (2 * sigma**2)")
def support_vectors(
    x: dp.Matrix[dp.Data, dp.LInf], weights: np.ndarray, rounds: int, sigma: float, rate: float
):
    w = weights
    for _ in range(rounds):
        total = 0.0
        for row in x:
            features, label = row[:-1], row[-1]
            y = 1.0 if label > 0 else -1.0
            hinge = 1.0 if y * (w @ features) < 1 else 0.0
            total = total + dp.clip(-hinge * y * features, dp.L2, radius=0.5)
        g = dp.gaussian(total, scale=sigma)
        w = w - rate * (g / 100 + REG * w)
    return w
