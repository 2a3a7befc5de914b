"""How friendly are the reviews of the app on average, by a scorer that we did not write?"""

import metricdp as dp


@dp.black_box(returns=dp.Data)
def score(text):
    good = ("great", "love", "nice", "thanks")
    bad = ("bad", "slow", "crash", "hate")
    words = text.lower().split()
    return float(sum(w in good for w in words) - sum(w in bad for w in words))


@dp.measurement
def sentiment(reviews: dp.Records[str], eps: float):
    scores = [min(max(score(r), -5), 5) for r in reviews]
    total = dp.laplace(sum(scores), epsilon=eps / 2)
    n = dp.laplace(len(scores), epsilon=eps / 2)
    return total / n
