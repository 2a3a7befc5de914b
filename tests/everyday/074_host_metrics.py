"""What are the mean values of each metric of our hosts, within public limits?"""

from typing import TypedDict

import metricdp as dp

LIMITS = {"cpu": (0, 100), "memory": (0, 256), "load": (0, 64)}


class Host(TypedDict):
    cpu: float
    memory: float
    load: float


@dp.measurement
def host_metrics(hosts: dp.Records[Host], eps: float):
    each = eps / (len(LIMITS) + 1)
    n = dp.laplace(len(hosts), epsilon=each)
    means = {}
    for name, (lo, hi) in LIMITS.items():
        values = [min(max(h[name], lo), hi) for h in hosts]
        means[name] = dp.laplace(sum(values), epsilon=each) / n
    return means
