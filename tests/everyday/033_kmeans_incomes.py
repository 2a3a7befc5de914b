"""Which four typical incomes describe the town best?"""

import metricdp as dp

START = [10_000.0, 25_000.0, 45_000.0, 80_000.0]
TOP = 120_000.0


@dp.measurement
def kmeans_incomes(incomes: dp.Records[float], rounds: int, eps: float):
    centres = list(START)
    e = eps / (2 * rounds)
    x = [min(max(v, 0.0), TOP) for v in incomes]
    for _ in range(rounds):
        new = []
        for k in range(len(centres)):
            mine = [v for v in x if min(range(4), key=lambda j: abs(v - centres[j])) == k]
            total = dp.laplace(sum(mine), epsilon=e)
            n = dp.laplace(len(mine), epsilon=e)
            new.append(total / n if n > 1 else centres[k])
        centres = new
    return sorted(centres)
