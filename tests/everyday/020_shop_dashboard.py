"""What do the shops of each city sell, by category, and what does a purchase bring on average?"""

from collections import defaultdict
from dataclasses import dataclass

import metricdp as dp

CITIES = {"leeds": 3, "york": 2, "hull": 1}
CATEGORIES = ("food", "clothes", "books", "other")
CONFIG = {"cap": 80.0, "share_counts": 0.4, "share_sums": 0.6}


@dataclass
class Purchase:
    city: str
    category: str
    price: float
    items: int


@dp.measurement
def shop_dashboard(purchases: dp.Records[Purchase], eps: float):
    eps_counts = eps * CONFIG["share_counts"]
    eps_sums = eps * CONFIG["share_sums"]

    number = defaultdict(dict)
    takings = defaultdict(dict)
    for city in CITIES:
        here = [p for p in purchases if p.city == city]
        for category in CATEGORIES:
            basket = [p for p in here if p.category == category]
            prices = [min(max(p.price, 0.0), CONFIG["cap"]) for p in basket]
            number[city][category] = dp.laplace(len(basket), epsilon=eps_counts)
            takings[city][category] = dp.laplace(sum(prices), epsilon=eps_sums)

    per_shop = {}
    for city, shops in CITIES.items():
        per_shop[city] = sum(takings[city].values()) / shops

    mean_price = {}
    for category in CATEGORIES:
        total = sum(takings[city][category] for city in CITIES)
        n = sum(number[city][category] for city in CITIES)
        if n >= 1:
            mean_price[category] = total / n
        else:
            mean_price[category] = None

    ranked = sorted(per_shop.items(), key=lambda item: item[1], reverse=True)
    text = "\n".join(f"{i + 1}. {city}: {value:.2f}" for i, (city, value) in enumerate(ranked))
    return {"number": number, "takings": takings, "mean price": mean_price, "ranking": text}
