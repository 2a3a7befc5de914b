"""How long do patients of each age group stay in hospital?"""

from dataclasses import dataclass

import metricdp as dp


@dataclass
class Stay:
    age: int
    nights: int


def age_group(age: int) -> str:
    match age // 20:
        case 0:
            return "child"
        case 1 | 2:
            return "adult"
        case 3:
            return "older"
        case _:
            return "oldest"


@dp.measurement
def length_of_stay(stays: dp.Records[Stay], eps: float):
    means = {}
    for group in ["child", "adult", "older", "oldest"]:
        nights = [min(s.nights, 60) for s in stays if age_group(s.age) == group and s.nights >= 0]
        total = dp.laplace(sum(nights), epsilon=eps / 2)
        number = dp.laplace(len(nights), epsilon=eps / 2)
        means[group] = total / number
    return means
