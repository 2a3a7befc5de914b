"""How many members are there of each sex and age band?"""

from dataclasses import dataclass

import metricdp as dp

SEXES = ("f", "m", "x")
BANDS = [(0, 17), (18, 39), (40, 64), (65, 120)]


@dataclass
class Member:
    sex: str
    age: int


@dp.measurement
def sex_by_age(members: dp.Records[Member], eps: float):
    return {
        f"{sex} {lo}-{hi}": dp.laplace(
            len([m for m in members if m.sex == sex and lo <= m.age <= hi]), epsilon=eps
        )
        for sex in SEXES
        for lo, hi in BANDS
    }
