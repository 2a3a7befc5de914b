"""What are total traffic, peak traffic and night traffic, with the budget shared 5:3:2?"""

from typing import NamedTuple

import metricdp as dp

SHARES = {"all": 0.5, "peak": 0.3, "night": 0.2}


class Packet(NamedTuple):
    hour: int
    megabytes: float


@dp.measurement
def budget_shares(packets: dp.Records[Packet], eps: float):
    wanted = {
        "all": lambda p: True,
        "peak": lambda p: 17 <= p.hour < 22,
        "night": lambda p: p.hour < 6,
    }
    out = {}
    for name, share in SHARES.items():
        sizes = [min(max(p.megabytes, 0), 10) for p in packets if wanted[name](p)]
        out[name] = dp.laplace(sum(sizes), epsilon=eps * share)
    return out
