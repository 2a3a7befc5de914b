from dataclasses import dataclass

import metricdp as dp


@dataclass
class Request:
    client: str
    millis: float


@dp.measurement
def latency_buckets(requests: dp.Records[Request, dp.Ids("client")], eps: float):
    requests = dp.limit_rows(requests, "client", 5)
    buckets = [0] * 10
    for r in requests:
        b = int(r.millis // 100)
        if b > 9:
            b = 9
        if b < 0:
            b = 0
        buckets[b] += 1
    noisy = [dp.laplace(b, epsilon=eps) for b in buckets]
    total = sum(noisy)
    running = 0
    for i, b in enumerate(noisy):
        running += b
        if running >= 0.95 * total:
            return noisy, (i + 1) * 100
    return noisy, 1000
