from dataclasses import dataclass

import metricdp as dp

WEEKS = 4


@dataclass
class Member:
    joined: int
    weeks_active: int


@dp.measurement
def retention(members: dp.Records[Member], eps: float):
    triangle = []
    for cohort in range(3):
        line = []
        for week in range(WEEKS):
            still = [m for m in members if m.joined == cohort and m.weeks_active >= week]
            line.append(dp.laplace(dp.count(still), epsilon=eps / WEEKS))
        triangle.append([x / max(line[0], 1) for x in line])
    return triangle
