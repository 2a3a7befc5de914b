from dataclasses import dataclass
from math import exp

import metricdp as dp


@dataclass
class Customer:
    months: float
    calls: float
    left: int


def sigmoid(z):
    return 1 / (1 + exp(-z))


@dp.measurement
def churn_model(customers: dp.Records[Customer], eps: float):
    w0, w1, w2 = 0.0, 0.0, 0.0
    rounds = 8
    e = eps / (3 * rounds)
    for _ in range(rounds):
        errors = [
            (sigmoid(w0 + w1 * c.months + w2 * c.calls) - c.left, c.months, c.calls)
            for c in customers
        ]
        g0 = dp.laplace(sum(dp.clamp([err for err, m, k in errors], -1, 1)), epsilon=e)
        g1 = dp.laplace(sum(dp.clamp([err * m for err, m, k in errors], -1, 1)), epsilon=e)
        g2 = dp.laplace(sum(dp.clamp([err * k for err, m, k in errors], -1, 1)), epsilon=e)
        w0 -= 0.01 * g0
        w1 -= 0.01 * g1
        w2 -= 0.01 * g2
    return w0, w1, w2
