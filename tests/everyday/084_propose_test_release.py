"""What is the most frequent eye colour, exactly, if it leads clearly?"""

import math

import metricdp as dp

COLOURS = ("blue", "brown", "green", "grey")


@dp.measurement(epsilon="eps", delta="delta")
def propose_test_release(eyes: dp.Records[str], eps: float, delta: float):
    counts = [sum(1 for e in eyes if e == colour) for colour in COLOURS]
    first, second = sorted(counts, reverse=True)[:2]
    gap = dp.laplace(first - second, scale=1 / eps)
    if gap > 1 + math.log(1 / (2 * delta)) / eps:
        return COLOURS[counts.index(first)]
    return None
