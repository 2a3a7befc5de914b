from dataclasses import dataclass

import metricdp as dp


@dataclass
class Worker:
    age: int
    city: str
    income: float


@dp.measurement
def pandas_habit(df: dp.Records[Worker], eps: float):
    adults = df[df["age"] >= 18]
    income = adults["income"].clip(0, 100_000)
    total = dp.laplace(income.sum(), epsilon=eps / 2)
    n = dp.laplace(len(adults), epsilon=eps / 2)
    return total / n
