"""How many customers live in each city that occurs?"""

from dataclasses import dataclass

import metricdp as dp


@dataclass
class Customer:
    city: str
    age: int


@dp.measurement
def cities_found(customers: dp.Records[Customer], eps: float):
    counts = {}
    for city in sorted({c.city for c in customers}):
        counts[city] = dp.laplace(sum(1 for c in customers if c.city == city), epsilon=eps)
    return counts
