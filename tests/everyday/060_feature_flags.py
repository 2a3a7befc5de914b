"""Does any variant of three feature flags raise clicks without making pages slower?"""

from dataclasses import dataclass

import metricdp as dp

FLAGS = {
    "search_box": {"variants": ["off", "on"], "budget": 0.5, "slow_ms": 800},
    "dark_mode": {"variants": ["off", "on"], "budget": 0.2, "slow_ms": 500},
    "checkout": {"variants": ["a", "b", "c"], "budget": 0.3, "slow_ms": 900},
}
MAX_CLICKS = 10


@dataclass
class Exposure:
    flag: str
    variant: str
    clicks: int
    load_ms: float


def measure(exposures, slow_ms, eps):
    n = dp.laplace(len(exposures), epsilon=eps / 3)
    clicks = dp.laplace(sum(min(max(e.clicks, 0), MAX_CLICKS) for e in exposures), epsilon=eps / 3)
    slow = dp.laplace(sum(1 for e in exposures if e.load_ms > slow_ms), epsilon=eps / 3)
    n = max(n, 1)
    return {"n": n, "clicks": clicks / n, "slow": slow / n}


def verdict(base, other):
    if other["slow"] > base["slow"] + 0.02:
        return "stop: slower"
    if other["clicks"] > 1.05 * base["clicks"]:
        return "ship"
    return "keep testing"


@dp.measurement
def feature_flags(exposures: dp.Records[Exposure], eps: float):
    results = {}
    for flag, config in FLAGS.items():
        shown = [e for e in exposures if e.flag == flag]
        per_variant = {}
        for variant in config["variants"]:
            mine = [e for e in shown if e.variant == variant]
            per_variant[variant] = measure(mine, config["slow_ms"], eps * config["budget"])
        control, *others = config["variants"]
        results[flag] = {
            variant: verdict(per_variant[control], per_variant[variant]) for variant in others
        }
    shipped = [f"{flag}={v}" for flag, r in results.items() for v, d in r.items() if d == "ship"]
    return results, shipped
