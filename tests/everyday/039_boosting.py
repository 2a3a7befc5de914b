"""Which five simple rules, added up, predict a fault of a machine?"""

import math
from dataclasses import dataclass

import metricdp as dp


@dataclass
class Reading:
    heat: float
    noise: float
    age: float
    fault: bool


RULES = [
    lambda r: r.heat > 70,
    lambda r: r.heat > 90,
    lambda r: r.noise > 50,
    lambda r: r.noise > 80,
    lambda r: r.age > 5,
]


@dp.measurement
def boosting(readings: dp.Records[Reading], eps: float, rounds: int = 3):
    chosen = []

    def weight(r):
        wrong = sum(1 for i in chosen if RULES[i](r) != r.fault)
        return math.exp(wrong - len(chosen))

    for _ in range(rounds):
        scores = [sum(weight(r) for r in readings if rule(r) == r.fault) for rule in RULES]
        chosen.append(dp.report_noisy_max(scores, epsilon=eps / rounds))
    return chosen
