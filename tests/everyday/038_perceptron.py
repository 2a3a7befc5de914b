"""Which line separates the two kinds of iris?"""

import numpy as np

import metricdp as dp


@dp.measurement
def perceptron(flowers: dp.Records[tuple[float, float, bool]], rounds: int, eps: float):
    w = np.zeros(2)
    for _ in range(rounds):
        update = np.zeros(2)
        for a, b, kind in flowers:
            x = np.array([min(max(a, 0.0), 1.0), min(max(b, 0.0), 1.0)])
            y = 1 if kind else -1
            if y * np.dot(w, x) <= 0:
                update += y * x
        w = w + 0.1 * dp.laplace(update, epsilon=eps / rounds)
    return w
