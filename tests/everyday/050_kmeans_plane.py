"""Where should five ambulances wait, given where calls come from?"""

import math
from dataclasses import dataclass

import numpy as np

import metricdp as dp

SIDE = 10.0
START = [(2.0, 2.0), (2.0, 8.0), (8.0, 2.0), (8.0, 8.0), (5.0, 5.0)]
MAX_ROUNDS = 6
TOLERANCE = 0.05


@dataclass
class Call:
    x: float
    y: float


def inside(v):
    return min(max(v, 0.0), SIDE)


def nearest(call, centres):
    best, best_distance = 0, math.inf
    for k, (cx, cy) in enumerate(centres):
        d = (inside(call.x) - cx) ** 2 + (inside(call.y) - cy) ** 2
        if d < best_distance:
            best, best_distance = k, d
    return best


@dp.measurement
def kmeans_plane(calls: dp.Records[Call], eps: float):
    centres = START
    each = eps / (3 * MAX_ROUNDS)
    rounds = 0
    for _ in range(MAX_ROUNDS):
        moved = []
        for k in range(len(centres)):
            mine = [c for c in calls if nearest(c, centres) == k]
            n = dp.laplace(len(mine), epsilon=each)
            sx = dp.laplace(sum(inside(c.x) for c in mine), epsilon=each)
            sy = dp.laplace(sum(inside(c.y) for c in mine), epsilon=each)
            if n < 2:
                moved.append(centres[k])
            else:
                moved.append((inside(sx / n), inside(sy / n)))
        rounds += 1
        shift = max(math.dist(a, b) for a, b in zip(centres, moved))
        centres = moved
        if shift < TOLERANCE:
            break
    spread = np.std(np.array(centres), axis=0)
    lines = [f"ambulance {i}: ({x:.2f}, {y:.2f})" for i, (x, y) in enumerate(centres, start=1)]
    return {"centres": centres, "rounds": rounds, "spread": spread, "text": lines}
