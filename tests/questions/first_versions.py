"""Ten questions as they were written first, before anything was checked.  Not edited since.

`docs/ten-questions.md` says what became of each.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import date

import metricdp as dp


@dataclass
class Flight:
    month: int
    day: int
    dep_delay: float | None
    arr_delay: float | None
    carrier: str
    tailnum: str
    origin: str
    dest: str
    distance: int
    hour: int


@dataclass
class Plane:
    tailnum: str
    year: int | None
    manufacturer: str
    seats: int


@dataclass
class Purchase:
    customer_id: int
    date: date
    number_of_cds: int
    dollar_value: float


AIRPORTS = ("EWR", "JFK", "LGA")


@dp.measurement
def flights_of_each_airport(flights: dp.Records[Flight, dp.Ids("tailnum")], eps: float):
    counts = Counter(f.origin for f in flights)
    return {a: dp.laplace(counts[a], epsilon=eps) for a in AIRPORTS}


@dp.measurement
def delay_of_each_carrier(
    flights: dp.Records[Flight, dp.Ids("tailnum")], carriers: list[str], eps: float
):
    means = {}
    for c in carriers:
        delays = [f.dep_delay for f in flights if f.carrier == c and f.dep_delay is not None]
        total = dp.laplace(sum(delays), epsilon=eps / 2)
        means[c] = total / dp.laplace(len(delays), epsilon=eps / 2)
    return means


@dp.measurement
def quartiles_of_delay(flights: dp.Records[Flight, dp.Ids("tailnum")], eps: float):
    delays = [f.arr_delay for f in flights if f.arr_delay is not None]
    grid = range(-60, 241)
    return [dp.private_quantile(delays, grid, q, epsilon=eps / 3) for q in (0.25, 0.5, 0.75)]


@dp.measurement
def flights_of_each_day(flights: dp.Records[Flight, dp.Ids("tailnum")], rho: float):
    counts = Counter((f.month, f.day) for f in flights)
    return {(m, d): dp.gaussian(counts[m, d], rho=rho) for m in range(1, 13) for d in range(1, 32)}


@dp.measurement
def destinations(flights: dp.Records[Flight, dp.Ids("tailnum")], eps: float, delta: float):
    return dp.stable_histogram([f.dest for f in flights], epsilon=eps, delta=delta)


@dp.measurement
def most_flown(flights: dp.Records[Flight, dp.Ids("tailnum")], airports: list[str], eps: float):
    counts = Counter(f.dest for f in flights)
    return dp.top_k([counts[a] for a in airports], 5, epsilon=eps)


@dp.measurement
def seats_offered(
    flights: dp.Records[Flight, dp.Ids("tailnum")],
    planes: dp.Records[Plane, dp.Ids("tailnum")],
    eps: float,
):
    both = dp.join_by_id(flights, planes, "tailnum")
    return dp.laplace(sum(b.seats for b in both), epsilon=eps)


@dp.measurement
def sold_in_each_month(purchases: dp.Records[Purchase, dp.Ids("customer_id")], eps: float):
    sold = Counter()
    for p in purchases:
        sold[p.date.year, p.date.month] += p.dollar_value
    return {month: dp.laplace(total, epsilon=eps) for month, total in sold.items()}


@dp.measurement
def share_that_came_back(purchases: dp.Records[Purchase, dp.Ids("customer_id")], eps: float):
    orders = Counter(p.customer_id for p in purchases)
    back = dp.laplace(sum(1 for n in orders.values() if n > 1), epsilon=eps / 2)
    return back / dp.laplace(len(orders), epsilon=eps / 2)


@dp.measurement
def median_spent(purchases: dp.Records[Purchase, dp.Ids("customer_id")], eps: float):
    spent = dp.sum_per_id(purchases, "customer_id", lambda p: p.dollar_value)
    return dp.private_quantile(spent, range(0, 501, 5), 0.5, epsilon=eps)
