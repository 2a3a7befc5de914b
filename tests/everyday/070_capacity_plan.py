"""How many hosts of each kind does the cluster need next quarter?"""

import math
from dataclasses import dataclass

import metricdp as dp


@dataclass
class Job:
    kind: str
    cores: float
    hours: float


class Plan:
    """The demand for one kind of host, and what to buy."""

    PRICES = {"small": 40, "large": 150, "gpu": 900}
    CORES = {"small": 8, "large": 64, "gpu": 16}
    GROWTH = 1.2

    def __init__(self, kind: str):
        self.kind = kind
        self.demand = 0.0
        self.jobs = 0.0

    def measure(self, jobs, eps: float) -> "Plan":
        mine = [j for j in jobs if j.kind == self.kind]
        used = [min(max(j.cores, 0), 64) * min(max(j.hours, 0), 24) for j in mine]
        self.demand = dp.laplace(sum(used), epsilon=eps * 3 / 4)
        self.jobs = dp.laplace(len(mine), epsilon=eps / 4)
        return self

    @property
    def hosts(self) -> int:
        hours = max(self.demand, 0.0) * self.GROWTH
        return math.ceil(hours / (self.CORES[self.kind] * 24 * 90))

    def cost(self) -> int:
        return self.hosts * self.PRICES[self.kind]

    @classmethod
    def for_all(cls, jobs, eps):
        return [cls(kind).measure(jobs, eps) for kind in cls.PRICES]


@dp.measurement
def capacity_plan(jobs: dp.Records[Job], eps: float):
    plans = Plan.for_all(jobs, eps)
    total = sum(plan.cost() for plan in plans)
    lines = [f"{p.kind}: {p.hosts} hosts for {p.jobs:.0f} jobs, {p.cost()} a month" for p in plans]
    biggest = max(plans, key=lambda p: p.cost())
    if total > 10_000:
        lines.append("needs approval")
    lines.append(f"most is spent on {biggest.kind}")
    return {"hosts": {p.kind: p.hosts for p in plans}, "total": total, "report": lines}
