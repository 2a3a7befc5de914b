"""What are the mean age, pay and tenure of staff, with helpers made by functools.partial?"""

from functools import partial

import metricdp as dp


def bounded(values, lo, hi):
    return [lo if v < lo else hi if v > hi else v for v in values]


def noisy_mean(values, *, lo, hi, n, eps):
    return dp.laplace(sum(bounded(values, lo, hi)), epsilon=eps) / n


@dp.measurement
def staff_means(staff: dp.Records[tuple[int, float, int]], eps: float):
    n = dp.laplace(len(staff), epsilon=eps / 4)
    mean = partial(noisy_mean, n=n, eps=eps / 4)
    ages, pays, tenures = zip(*staff)
    return {
        "age": mean(ages, lo=16, hi=80),
        "pay": mean(pays, lo=0, hi=200_000),
        "tenure": mean(tenures, lo=0, hi=50),
    }
