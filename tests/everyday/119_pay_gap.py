from dataclasses import dataclass

import metricdp as dp


@dataclass
class Person:
    gender: str
    pay: float
    full_time: bool


@dp.measurement
def pay_gap(people: dp.Records[Person], eps: float):
    def mean_pay(gender):
        pay = [dp.clamp(p.pay, 0, 150_000) for p in people if p.gender == gender and p.full_time]
        return dp.laplace(dp.sum(pay), epsilon=eps / 2) / max(
            dp.laplace(dp.count(pay), epsilon=eps / 2), 1
        )

    men, women = mean_pay("m"), mean_pay("f")
    return f"women earn {100 * (men - women) / men:.1f} % less"
