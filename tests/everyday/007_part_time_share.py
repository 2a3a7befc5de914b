"""Which share of women and of men works part time?"""

from dataclasses import dataclass

import metricdp as dp


@dataclass
class Worker:
    sex: str
    hours: float


@dp.measurement(epsilon="eps")
def part_time_share(workers: dp.Records[Worker], eps: float):
    women = [w for w in workers if w.sex == "f"]
    men = [w for w in workers if w.sex == "m"]

    def share(group):
        part_time = dp.laplace(len([w for w in group if w.hours < 30]), epsilon=eps / 2)
        everyone = dp.laplace(len(group), epsilon=eps / 2)
        return round(part_time / everyone, 3)

    return {"women": share(women), "men": share(men)}
