"""In which two directions do the answers to twelve questions vary most?"""

import numpy as np

import metricdp as dp


@dp.measurement
def principal_components(answers: dp.Matrix[dp.Data, dp.LInf], rho: float):
    size = np.linalg.norm(answers, axis=1, keepdims=True)
    x = answers / np.maximum(size, 1.0)
    scatter = x.T @ x
    noisy = dp.gaussian(scatter, rho=rho)
    noisy = (noisy + noisy.T) / 2
    values, vectors = np.linalg.eigh(noisy)
    return vectors[:, -2:]
