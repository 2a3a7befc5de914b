"""Which price of a digital good earns most, given what bidders would pay?"""

import metricdp as dp

PRICES = [1, 2, 3, 5, 8, 10]


@dp.measurement
def auction_price(bids: dp.Records[float], eps: float) -> int:
    def revenue(price):
        return price * len([b for b in bids if b >= price])

    return dp.exponential_mechanism(s=max(PRICES), eps=eps, candidates=PRICES, score=revenue)
