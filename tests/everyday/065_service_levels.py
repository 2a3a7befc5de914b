"""Does each service keep its promise: latency histogram, slow share, availability, verdict?"""

from dataclasses import dataclass

import metricdp as dp

PROMISES = {
    "search": {"limit_ms": 300, "slow": 0.05, "down": 0.01},
    "pay": {"limit_ms": 1000, "slow": 0.01, "down": 0.001},
    "images": {"limit_ms": 200, "slow": 0.10, "down": 0.02},
}
EDGES = [0, 50, 100, 200, 500, 1000, 5000]


@dataclass
class Hit:
    service: str
    ms: float
    ok: bool


def verdict(slow: float, down: float, promise: dict[str, float]) -> str:
    match (slow > promise["slow"], down > promise["down"]):
        case (False, False):
            return "kept"
        case (True, False):
            return "too slow"
        case (False, True):
            return "too often down"
        case _:
            return "broken"


@dp.measurement
def service_levels(hits: dp.Records[Hit], eps: float):
    report = {}
    for service, promise in PROMISES.items():
        mine = [h for h in hits if h.service == service]
        histogram = [
            dp.laplace(sum(1 for h in mine if a <= h.ms < b), epsilon=0.5 * eps)
            for a, b in zip(EDGES[:-1], EDGES[1:])
        ]
        n = dp.laplace(len(mine), epsilon=0.1 * eps)
        slow = dp.laplace(sum(1 for h in mine if h.ms > promise["limit_ms"]), epsilon=0.2 * eps)
        down = dp.laplace(sum(1 for h in mine if not h.ok), epsilon=0.2 * eps)
        if n < 1:
            report[service] = {"verdict": "no data"}
            continue
        report[service] = {
            "histogram": histogram,
            "slow": slow / n,
            "down": down / n,
            "verdict": verdict(slow / n, down / n, promise),
        }
    kept = [name for name, r in report.items() if r["verdict"] == "kept"]
    summary = f"{len(kept)} of {len(PROMISES)} promises kept: {', '.join(kept) or 'none'}"
    return report, summary
