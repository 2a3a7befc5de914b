"""What a new user writes: the programs that `benchmarks/calls.py` times, each of them proved.

They are the first form that comes to mind and that `metricdp check` accepts; none is written for
speed.  Rows of several columns are dataclasses, so that a pandas data frame is passed as it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

import metricdp as dp
from metricdp import L1, L2, Data, Int, LInf, Real


@dataclass
class Pair:
    x: float
    y: float


@dataclass
class Purchase:
    region: int
    amount: float


@dataclass
class Visit:
    city: str
    amount: float


@dataclass
class Stay:
    person: int
    days: float


@dataclass
class Answer:
    city: str
    mood: str


@dataclass
class Trial:
    treated: bool
    outcome: float


# -- one column, or a few


@dp.measurement
def total(pay: dp.Records[float], eps: float):
    return dp.laplace(dp.sum(dp.clamp(pay, 0, 100)), epsilon=eps)


@dp.measurement
def mean(pay: dp.Records[float], eps: float):
    kept = dp.clamp(pay, 0, 100)
    return dp.laplace(dp.sum(kept), epsilon=eps / 2) / dp.laplace(dp.count(kept), epsilon=eps / 2)


@dp.measurement
def high_rows(pay: dp.Records[float], eps: float):
    return dp.laplace(dp.count(lambda x: x > 50, pay), epsilon=eps)


@dp.measurement
def filtered_total(pay: dp.Records[float], eps: float):
    high = dp.filter(lambda x: x > 50, pay)
    return dp.laplace(dp.sum(dp.clamp(high, 0, 100)), epsilon=eps)


@dp.measurement
def products_by_loop(rows: dp.Records[Pair], eps: float):
    total = 0.0
    for row in rows:
        total += dp.clamp(row.x, 0, 1) * dp.clamp(row.y, 0, 1)
    return dp.laplace(total, epsilon=eps)


@dp.measurement
def products_by_comprehension(rows: dp.Records[Pair], eps: float):
    products = [row.x * row.y for row in rows]
    return dp.laplace(dp.sum(dp.clamp(products, 0, 1)), epsilon=eps)


@dp.measurement
def variance_by_hand(pay: dp.Records[float], eps: float):
    kept = dp.clamp(pay, 0, 100)
    n = dp.laplace(dp.count(kept), epsilon=eps / 3)
    mean = dp.laplace(dp.sum(kept), epsilon=eps / 3) / n
    square = dp.laplace(dp.sum([x**2 for x in kept]), epsilon=eps / 3) / n
    return square - mean**2


@dp.measurement
def variance(pay: dp.Records[float, dp.ChangeOne], eps: float):
    return dp.laplace(dp.variance(dp.clamp(pay, 0, 100)), epsilon=eps)


@dp.measurement
def covariance(rows: dp.Matrix[Data, LInf], rho: float):
    total, products = 0.0, 0.0
    for row in rows:
        x = dp.undisc(dp.clamp(row, -1, 1))
        total += x
        products += dp.outer(x)
    mean = dp.gaussian(total, rho=rho / 2) / len(rows)
    second = dp.gaussian(products, rho=rho / 2) / len(rows)
    return second - np.outer(mean, mean).ravel()


@dp.measurement
def slope_and_intercept(rows: dp.Records[Pair], eps: float):
    n, sum_x, sum_y, sum_xx, sum_xy = 0, 0.0, 0.0, 0.0, 0.0
    for row in rows:
        x, y = dp.clamp(row.x, 0, 1), dp.clamp(row.y, 0, 1)
        n += 1
        sum_x += x
        sum_y += y
        sum_xx += x * x
        sum_xy += x * y
    n = dp.laplace(n, epsilon=eps / 5)
    mean_x = dp.laplace(sum_x, epsilon=eps / 5) / n
    mean_y = dp.laplace(sum_y, epsilon=eps / 5) / n
    spread = dp.laplace(sum_xx, epsilon=eps / 5) / n - mean_x**2
    slope = (dp.laplace(sum_xy, epsilon=eps / 5) / n - mean_x * mean_y) / spread
    return slope, mean_y - slope * mean_x


@dp.measurement
def filter_then_mean(rows: dp.Records[Pair], eps: float):
    kept = dp.clamp([row.y for row in rows if row.x > 0.5], 0, 1)
    return dp.laplace(dp.sum(kept), epsilon=eps / 2) / dp.laplace(dp.count(kept), epsilon=eps / 2)


@dp.measurement
def ratio(rows: dp.Records[Trial], eps: float):
    a = dp.clamp([row.outcome for row in rows if row.treated], 0, 10)
    b = dp.clamp([row.outcome for row in rows if not row.treated], 0, 10)
    mean_a = dp.laplace(dp.sum(a), epsilon=eps / 4) / dp.laplace(dp.count(a), epsilon=eps / 4)
    mean_b = dp.laplace(dp.sum(b), epsilon=eps / 4) / dp.laplace(dp.count(b), epsilon=eps / 4)
    return mean_a / mean_b


# -- groups


@dp.measurement
def group_sums(rows: dp.Records[Purchase], regions: tuple[int, ...], eps: float):
    return [
        dp.laplace(dp.sum(dp.clamp([row.amount for row in part], 0, 100)), epsilon=eps)
        for part in dp.partition(rows, key=lambda row: row.region, keys=regions)
    ]


@dp.measurement
def means_by_city(rows: dp.Records[Visit], cities: tuple[str, ...], eps: float):
    means = []
    for part in dp.partition(rows, key=lambda row: row.city, keys=cities):
        kept = dp.clamp([row.amount for row in part], 0, 100)
        total = dp.laplace(dp.sum(kept), epsilon=eps / 2)
        means.append(total / dp.laplace(dp.count(kept), epsilon=eps / 2))
    return means


@dp.measurement
def histogram(pay: dp.Records[float], eps: float):
    bins = [int(10 * x) for x in dp.clamp(pay, 0, 99.99)]
    return dp.laplace(dp.histogram(bins, categories=tuple(range(1000))), epsilon=eps)


@dp.measurement
def categories(cities: dp.Records[str], names: tuple[str, ...], eps: float):
    return dp.laplace(dp.histogram(cities, categories=names), epsilon=eps)


@dp.measurement
def cross_table(
    rows: dp.Records[Answer], cities: tuple[str, ...], moods: tuple[str, ...], eps: float
):
    table = []
    for part in dp.partition(rows, key=lambda row: row.city, keys=cities):
        table.append(
            dp.laplace(dp.histogram([row.mood for row in part], categories=moods), epsilon=eps)
        )
    return table


# -- order and choice


@dp.measurement
def median(pay: dp.Records[float], eps: float):
    return dp.interval_quantile(pay, 0, 100, 0.5, epsilon=eps)


@dp.measurement
def deciles(pay: dp.Records[float], eps: float):
    return [dp.interval_quantile(pay, 0, 100, k / 10, epsilon=eps / 9) for k in range(1, 10)]


@dp.measurement
def top_ten(items: dp.Records[int], eps: float):
    return dp.top_k(dp.histogram(items, categories=tuple(range(10_000))), 10, epsilon=eps)


@dp.measurement
def frequent_words(words: dp.Records[str], eps: float, delta: float):
    return dp.stable_histogram(words, epsilon=eps, delta=delta)


# -- persons

PERSONS = dp.Ids("person")


@dp.measurement
def days_of_three_rows(stays: dp.Records[Stay, PERSONS], eps: float):
    kept = dp.limit_rows(stays, "person", 3)
    return dp.laplace(dp.sum(dp.clamp([stay.days for stay in kept], 0, 25)), epsilon=eps)


@dp.measurement
def days_of_persons(stays: dp.Records[Stay, PERSONS], eps: float):
    days = dp.sum_per_id(stays, "person", lambda stay: stay.days)
    return dp.laplace(dp.sum(dp.clamp(days, 0, 50)), epsilon=eps)


@dp.measurement
def persons_with_bills(
    stays: dp.Records[Stay, PERSONS], bills: dp.Records[Stay, PERSONS], eps: float
):
    return dp.laplace(
        dp.count_ids(dp.join_by_id(stays, bills, "person", "semi"), "person"), epsilon=eps
    )


# -- noise on a vector


@dp.measurement
def discrete_laplace(counts: dp.Vector[Int, L1], scale: float):
    return dp.laplace(counts, scale=scale)


@dp.measurement
def discrete_gaussian(counts: dp.Vector[Int, L2], scale: float):
    return dp.gaussian(counts, scale=scale)


@dp.measurement
def laplace(numbers: dp.Vector[Real, L1], scale: float):
    return dp.laplace(numbers, scale=scale)


@dp.measurement
def gaussian(numbers: dp.Vector[Real, L2], scale: float):
    return dp.gaussian(numbers, scale=scale)


@dp.black_box(returns=Annotated[dp.Vector[Data, LInf], dp.Size(3010)], batched=True)
def gradients(records, weights):
    """The gradients of `examples/train_digits.py`, of many records at once."""
    weights = np.asarray(weights)
    first, bias = weights[:2560].reshape(64, 40), weights[2560:2600]
    second, last = weights[2600:3000].reshape(40, 10), weights[3000:]
    x, n = records[:, :-1] / 16, len(records)
    hidden = np.tanh(x @ first + bias)
    scores = hidden @ second + last
    chances = np.exp(scores - scores.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    chances[np.arange(n), records[:, -1].astype(int)] -= 1
    back = (chances @ second.T) * (1 - hidden * hidden)
    found = np.zeros((n, 3010))
    found[:, :2560] = (x[:, :, None] * back[:, None, :]).reshape(n, 2560)
    found[:, 2560:2600] = back
    found[:, 2600:3000] = (hidden[:, :, None] * chances[:, None, :]).reshape(n, 400)
    found[:, 3000:] = chances
    return found


@dp.measurement
def train_in_batches(
    records: dp.Records[dp.Vector[Data, LInf]],
    weights: np.ndarray,
    q: float,
    rounds: int,
    sigma: float,
    rate: float,
    expected: float,
):
    for _ in range(rounds):
        batch = dp.sample(records, q=q)
        total = 0.0
        for record in batch:
            total = total + dp.undisc(dp.clip(gradients(record, weights), L2))
        weights = weights - rate * dp.gaussian(total, scale=sigma) / expected
    return weights
