"""Does the new checkout page convert better than the old one?"""

from typing import NamedTuple

import metricdp as dp


class Session(NamedTuple):
    variant: str
    bought: bool


@dp.measurement
def ab_test(sessions: dp.Records[Session], eps: float):
    rate = {}
    for variant in ("A", "B"):
        shown = [s for s in sessions if s.variant == variant]
        n = dp.laplace(len(shown), epsilon=eps / 2)
        bought = dp.laplace(sum(1 for s in shown if s.bought), epsilon=eps / 2)
        rate[variant] = bought / n if n > 0 else 0.0
    lift = rate["B"] - rate["A"]
    return {"A": rate["A"], "B": rate["B"], "lift": lift, "better": lift > 0}
