import metricdp as dp

THRESHOLDS = [20_000, 40_000, 60_000, 80_000, 120_000]


@dp.measurement
def income_curve(pay: dp.Records[float], eps: float):
    each = eps / len(THRESHOLDS)
    below = []
    for t in THRESHOLDS:
        below.append(dp.laplace(sum(1 for p in pay if p <= t), epsilon=each))
    best = 0
    for i in range(1, len(below)):
        below[i] = max(below[i], below[i - 1])
    return list(zip(THRESHOLDS, below))
