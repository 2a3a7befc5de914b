from collections import defaultdict
from dataclasses import dataclass

import metricdp as dp

SCHOOLS = ["north", "south", "east"]


@dataclass
class Mark:
    school: str
    mark: float


def group(marks):
    by_school = defaultdict(list)
    for m in marks:
        by_school[m.school].append(m.mark)
    return by_school


@dp.measurement
def school_means(marks: dp.Records[Mark], eps: float):
    groups = group(marks)
    means = {}
    for school in SCHOOLS:
        values = dp.clamp(groups[school], 0, 100)
        means[school] = dp.laplace(dp.sum(values), epsilon=eps / 2) / dp.laplace(
            len(values), epsilon=eps / 2
        )
    return means
