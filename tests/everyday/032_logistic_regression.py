"""Which weights predict whether a customer leaves, from two features?"""

import numpy as np

import metricdp as dp

ROUNDS = 20
RATE = 0.5


@dp.measurement
def logistic_regression(rows: dp.Records[tuple[float, float, bool]], rho: float):
    w = np.zeros(3)
    for _ in range(ROUNDS):
        total = np.zeros(3)
        for a, b, left in rows:
            x = np.array([1.0, a, b])
            p = 1 / (1 + np.exp(-(w @ x)))
            g = (p - left) * x
            total = total + g / max(1.0, np.linalg.norm(g))
        w = w - RATE * dp.gaussian(total, rho=rho / ROUNDS) / 100
    return w
