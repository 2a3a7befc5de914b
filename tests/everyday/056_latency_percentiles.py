"""What are the p50, p95 and p99 latencies of the service?"""

import metricdp as dp

MILLISECONDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]


@dp.measurement
def latency_percentiles(latencies: dp.Records[float], eps: float):
    p50, p95, p99 = (
        dp.private_quantile(latencies, MILLISECONDS, q, epsilon=eps / 3) for q in (0.5, 0.95, 0.99)
    )
    return {"p50": p50, "p95": p95, "p99": p99}
