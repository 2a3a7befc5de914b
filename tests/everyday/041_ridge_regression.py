"""Which linear combination of three measurements predicts yield, with ridge regularisation?"""

import numpy as np

import metricdp as dp

LAMBDA = 10.0


@dp.measurement
def ridge_regression(plots: dp.Records[tuple[float, float, float, float]], rho: float):
    A = np.zeros((3, 3))
    b = np.zeros(3)
    for p in plots:
        x = np.clip(np.array([p[0], p[1], p[2]]), -1, 1)
        y = min(max(p[3], -1), 1)
        A += np.outer(x, x)
        b += y * x
    A = dp.gaussian(A, rho=rho / 2)
    b = dp.gaussian(b, rho=rho / 2)
    return np.linalg.solve(A + LAMBDA * np.eye(3), b)
