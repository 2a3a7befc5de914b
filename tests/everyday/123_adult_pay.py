from dataclasses import dataclass

import metricdp as dp


@dataclass
class Row:
    age: int
    pay: float
    region: str


@dp.measurement
def adult_pay(rows: dp.Records[Row], eps: float):
    total = 0.0
    n = 0
    for row in rows:
        if row.age < 18 or row.age > 64:
            continue
        pay = row.pay
        if pay < 0:
            pay = 0
        if pay > 200_000:
            pay = 200_000
        total += pay
        n += 1
    return dp.laplace(total, epsilon=eps / 2) / dp.laplace(n, epsilon=eps / 2)
