"""Can a logistic model learn to spot fraud, trained by noisy gradients of small secret batches?"""

import math
from dataclasses import dataclass

import numpy as np

import metricdp as dp

CONFIG = {"rate": 0.3, "clip": 1.0, "q": 0.05, "expected": 500}
FEATURES = ("amount", "hour", "foreign")


@dataclass
class Payment:
    amount: float
    hour: float
    foreign: bool
    fraud: bool


def features(p: Payment):
    return np.array([1.0, min(max(p.amount, 0), 1000) / 1000, p.hour / 24, float(p.foreign)])


def sigmoid(z):
    return 1.0 / (1.0 + math.exp(-z))


def clip(g, limit):
    return g / max(1.0, np.linalg.norm(g) / limit)


@dp.measurement
def dp_sgd(payments: dp.Records[Payment], rounds: int, sigma: float):
    w = np.zeros(1 + len(FEATURES))
    average = np.zeros(1 + len(FEATURES))
    for step in range(rounds):
        batch = dp.sample(payments, q=CONFIG["q"])
        total = np.zeros(1 + len(FEATURES))
        for p in batch:
            x = features(p)
            error = sigmoid(w @ x) - (1.0 if p.fraud else 0.0)
            total = total + clip(error * x, CONFIG["clip"])
        noisy = dp.gaussian(total, scale=sigma)
        rate = CONFIG["rate"] / math.sqrt(step + 1)
        w = w - rate * noisy / (CONFIG["q"] * CONFIG["expected"])
        average = average + w
    return average / rounds
