import metricdp as dp


@dp.measurement
def net_promoter_score(scores: dp.Records[int], eps: float):
    promoters = len([s for s in scores if s >= 9])
    detractors = len([s for s in scores if s <= 6])
    balance = dp.laplace(promoters - detractors, epsilon=eps / 2)
    n = dp.laplace(len(scores), epsilon=eps / 2)
    return 100 * balance / n
