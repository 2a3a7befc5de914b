"""What are the three best-selling products?"""

from collections import Counter

import metricdp as dp

CATALOGUE = ("tea", "coffee", "milk", "bread", "butter", "jam", "eggs")


@dp.measurement
def top_products(sold: dp.Records[str], eps: float):
    counts = Counter(sold)
    scores = [counts[p] for p in CATALOGUE]
    best = dp.top_k(scores, 3, epsilon=eps)
    return [CATALOGUE[i] for i in best]
