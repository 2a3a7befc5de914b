"""What is the mean number of logins per user?"""

import metricdp as dp


@dp.measurement
def mean_logins(logins: dp.Records[int], eps: float):
    kept = [min(max(v, 0), 50) for v in logins]
    print(f"{len(kept)} users, first is {kept[0]}")
    total = dp.laplace(sum(kept), epsilon=eps / 2)
    n = dp.laplace(len(kept), epsilon=eps / 2)
    return total / n
