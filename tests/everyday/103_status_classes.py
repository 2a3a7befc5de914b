from dataclasses import dataclass
from collections import Counter

import metricdp as dp


@dataclass
class Hit:
    ip: str
    path: str
    status: int
    size: int


NAMES = {2: "ok", 3: "redirect", 4: "client error", 5: "server error"}


@dp.measurement
def status_classes(log: dp.Records[Hit, dp.Ids("ip")], eps: float):
    log = dp.limit_rows(log, "ip", 10)
    classes = Counter(hit.status // 100 for hit in log)
    return {name: dp.laplace(classes[code], epsilon=eps) for code, name in NAMES.items()}
