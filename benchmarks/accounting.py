"""What `account(events, relation).epsilon(delta)` takes, next to dp_accounting's Renyi accountant.

    python benchmarks/accounting.py [--repeats 5]

The schemes of sampling and the relations that `accountants.py` does not have.  Every answer is a
certified interval, and every cache is empty when a question is asked.  dp_accounting is timed when
it is installed; it works in doubles with a fixed list of orders, fractional ones too.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable
from time import perf_counter
from typing import Any

from accountants import empty_caches

from metricdp.measures import (
    Gaussian,
    Laplace,
    Poisson,
    Pure,
    Repeated,
    WithoutReplacement,
    account,
)

DELTA = "1e-5"
#: Name -> (events, neighbouring relation).
CASES: dict[str, tuple[list[Any], str]] = {
    "Poisson Gaussian, q=.01, sigma=1, 10,000": (
        [Repeated(Poisson(0.01, Gaussian(1)), 10_000)],
        "add or remove",
    ),
    "the same under replacement, 1,000": (
        [Repeated(Poisson(0.01, Gaussian(1)), 1000)],
        "replace",
    ),
    "100 of 10,000 rows Gaussian, 1,000": (
        [Repeated(WithoutReplacement(100, 10_000, Gaussian(1)), 1000)],
        "replace",
    ),
    "Gaussian, 100": ([Repeated(Gaussian(1), 100)], "add or remove"),
    "pure 0.1, 1,000": ([Repeated(Pure(0.1), 1000)], "add or remove"),
    "Laplace 0.1, 1,000 and Gaussian, 3": (
        [Repeated(Laplace(10), 1000), Repeated(Gaussian(1), 3)],
        "add or remove",
    ),
}


def timed(work: Callable[[], object], repeats: int) -> float:
    """Seconds of the fastest repetition; memory of earlier ones is thrown away."""
    times = []
    for _ in range(repeats):
        empty_caches()
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return min(times)


def peer() -> tuple[float, float] | None:
    """(seconds, epsilon) of dp_accounting on the first case."""
    try:
        import dp_accounting
        from dp_accounting.rdp import RdpAccountant
    except ImportError:
        return None
    event = dp_accounting.PoissonSampledDpEvent(0.01, dp_accounting.GaussianDpEvent(1.0))

    def work() -> float:
        accountant = RdpAccountant()
        accountant.compose(event, 10_000)
        return float(accountant.get_epsilon(float(DELTA)))

    return timed(work, 3), work()


def main() -> None:
    """Print one line per case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    print(f"python {platform.python_version()}, {platform.machine()}, delta = {DELTA}")
    first = 0.0
    for name, (events, relation) in CASES.items():

        def work(events: list[Any] = events, relation: str = relation) -> Any:
            return account(events, relation).epsilon(DELTA)

        found = work()
        seconds = timed(work, repeats)
        first = first or seconds
        print(
            f"{name:42} {1000 * seconds:7.1f} ms  "
            f"epsilon {float(found.upper):.7f}, width {float(found.upper - found.lower):.1e}"
        )
    other = peer()
    if other is None:
        print("dp_accounting is not installed: no ratio")
    else:
        seconds, epsilon = other
        print(f"dp_accounting, first case: {1000 * seconds:.1f} ms, epsilon {epsilon:.4f}")
        print(f"ratio {seconds / first:.1f}")


if __name__ == "__main__":
    main()
