import metricdp as dp

SCALE = range(1, 6)


@dp.measurement
def satisfaction(answers: dp.Records[int], eps: float):
    counts = {k: dp.laplace(dp.count([a for a in answers if a == k]), epsilon=eps) for k in SCALE}
    positive = {k: max(c, 0) for k, c in counts.items()}
    n = sum(positive.values())
    mean = sum(k * c for k, c in positive.items()) / max(n, 1)
    return {"counts": counts, "mean": mean, "top box": (positive[4] + positive[5]) / max(n, 1)}
