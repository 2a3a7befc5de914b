"""How many requests do users send in all, with each user capped at 100?"""

import metricdp as dp

CAP = 100


@dp.measurement(epsilon="eps")
def capped_requests(per_user: dp.Records[int], eps: float) -> int:
    total = 0
    for requests in per_user:
        if requests > CAP:
            total += CAP
        elif requests > 0:
            total += requests
    return dp.discrete_laplace(total, scale=CAP / eps)
