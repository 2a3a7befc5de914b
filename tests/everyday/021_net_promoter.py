"""What is the net promoter score of the app?"""

import metricdp as dp


@dp.measurement
def net_promoter(scores: dp.Records[int], eps: float):
    promoters = dp.laplace(sum(1 for s in scores if s >= 9), epsilon=eps / 3)
    detractors = dp.laplace(sum(1 for s in scores if s <= 6), epsilon=eps / 3)
    n = dp.laplace(len(scores), epsilon=eps / 3)
    return 100 * (promoters - detractors) / n
