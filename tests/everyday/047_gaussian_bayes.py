"""What are the mean and variance of petal length for each species?"""

import metricdp as dp

SPECIES = {"setosa": 0, "versicolor": 1, "virginica": 2}


@dp.measurement
def gaussian_bayes(flowers: dp.Records[tuple[str, float]], eps: float):
    model = {}
    for name in SPECIES:
        x = [min(max(length, 0.0), 8.0) for species, length in flowers if species == name]
        n = dp.laplace(len(x), epsilon=eps / 3)
        mean = dp.laplace(sum(x), epsilon=eps / 3) / n
        spread = dp.laplace(sum((v - mean) ** 2 for v in x), epsilon=eps / 3) / n
        model[name] = {"mean": mean, "variance": max(spread, 0.01)}
    return model
