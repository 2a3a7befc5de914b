"""How many people support the plan, asking a secret tenth of them?"""

import metricdp as dp

Q = 0.1


@dp.measurement
def subsampling(supporters: dp.Records[bool], eps: float):
    asked = dp.sample(supporters, q=Q)
    yes = sum(1 for s in asked if s)
    return dp.laplace(yes, epsilon=eps) / Q
