"""Can four pixels tell three digits apart: a softmax regression by clipped noisy gradients?"""

import math
from dataclasses import dataclass, field

import numpy as np

import metricdp as dp

CLASSES = 3
PIXELS = 4


@dataclass(frozen=True)
class Settings:
    rounds: int = 15
    rate: float = 0.4
    clip: float = 1.0
    batch: float = 200.0
    schedule: dict = field(default_factory=lambda: {0: 1.0, 5: 0.5, 10: 0.25})

    def rate_at(self, step: int) -> float:
        factor = 1.0
        for start, value in self.schedule.items():
            if step >= start:
                factor = value
        return self.rate * factor


SETTINGS = Settings()


def softmax(z):
    e = np.exp(z - np.max(z))
    return e / e.sum()


def one_gradient(W, image, digit):
    p = softmax(W @ image)
    target = np.array([1.0 if c == digit else 0.0 for c in range(CLASSES)])
    g = np.outer(p - target, image)
    size = math.sqrt((g**2).sum())
    return g / max(1.0, size / SETTINGS.clip)


@dp.measurement
def digit_softmax(rows: dp.Records[tuple[float, float, float, float, int]], rho: float):
    W = np.zeros((CLASSES, PIXELS))
    sizes = []
    for step in range(SETTINGS.rounds):
        G = np.zeros((CLASSES, PIXELS))
        for a, b, c, d, digit in rows:
            image = np.clip(np.array([a, b, c, d]), 0.0, 1.0)
            G = G + one_gradient(W, image, digit)
        G = dp.gaussian(G, rho=rho / SETTINGS.rounds)
        W = W - SETTINGS.rate_at(step) * G / SETTINGS.batch
        sizes.append(float(np.linalg.norm(W)))
    return {"weights": W, "sizes": sizes}
