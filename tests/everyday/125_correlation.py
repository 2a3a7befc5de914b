import math
from dataclasses import dataclass

import metricdp as dp


@dataclass
class Child:
    sleep: float
    score: float


def scale(value, low, high):
    return (min(max(value, low), high) - low) / (high - low)


@dp.measurement
def correlation(children: dp.Records[Child], eps: float):
    pairs = [(scale(c.sleep, 4, 12), scale(c.score, 0, 100)) for c in children]
    sums = {
        "n": len(pairs),
        "x": sum(x for x, y in pairs),
        "y": sum(y for x, y in pairs),
        "xx": sum(x * x for x, y in pairs),
        "yy": sum(y * y for x, y in pairs),
        "xy": sum(x * y for x, y in pairs),
    }
    s = {k: dp.laplace(v, epsilon=eps / len(sums)) for k, v in sums.items()}
    cov = s["xy"] - s["x"] * s["y"] / s["n"]
    vx = s["xx"] - s["x"] ** 2 / s["n"]
    vy = s["yy"] - s["y"] ** 2 / s["n"]
    if vx <= 0 or vy <= 0:
        return 0.0
    return max(-1, min(1, cov / math.sqrt(vx * vy)))
