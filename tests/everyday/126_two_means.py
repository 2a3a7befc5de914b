import metricdp as dp


@dp.measurement
def two_means(weights: dp.Records[float], eps: float, rounds: int = 5):
    xs = dp.clamp(weights, 30, 150)
    a, b = 60.0, 90.0
    step = eps / (2 * rounds)
    for _ in range(rounds):
        near_a = [x for x in xs if abs(x - a) <= abs(x - b)]
        near_b = [x for x in xs if abs(x - a) > abs(x - b)]
        a = dp.laplace(sum(near_a), epsilon=step) / max(dp.laplace(len(near_a), epsilon=step), 1)
        b = dp.laplace(sum(near_b), epsilon=step) / max(dp.laplace(len(near_b), epsilon=step), 1)
    return sorted([a, b])
