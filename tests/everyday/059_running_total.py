"""How many sign-ups were there up to each of sixteen days, by the tree of partial sums?"""

import metricdp as dp

DAYS = 16
LEVELS = 5


@dp.measurement
def running_total(days: dp.Records[int], eps: float):
    tree = {}
    for level in range(LEVELS):
        width = 2**level
        for start in range(0, DAYS, width):
            n = sum(1 for d in days if start <= d < start + width)
            tree[level, start] = dp.laplace(n, epsilon=eps / LEVELS)

    totals = []
    for day in range(1, DAYS + 1):
        total, start = 0.0, 0
        for level in reversed(range(LEVELS)):
            if start + 2**level <= day:
                total += tree[level, start]
                start += 2**level
        totals.append(total)
    return totals
