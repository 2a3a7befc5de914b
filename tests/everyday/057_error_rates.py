"""Which share of the requests to each endpoint fails?"""

from dataclasses import dataclass

import metricdp as dp

ENDPOINTS = {"/login", "/search", "/cart", "/pay"}


@dataclass
class Request:
    endpoint: str
    status: int


@dp.measurement
def error_rates(requests: dp.Records[Request], eps: float):
    rates = {}
    for endpoint in sorted(ENDPOINTS):
        hits = [r for r in requests if r.endpoint == endpoint]
        failed = [r for r in hits if 500 <= r.status < 600]
        n = dp.laplace(len(hits), epsilon=eps / 2)
        k = dp.laplace(len(failed), epsilon=eps / 2)
        rates[endpoint] = min(1.0, max(0.0, k / n)) if n > 0 else None
    return rates
