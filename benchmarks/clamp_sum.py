"""clamp >> sum >> laplace on ten million doubles, next to NumPy's clip and sum.

    python benchmarks/clamp_sum.py [--rows 10000000]

Everything is timed in one run, in turns, so the ratios hold on any machine.  Memory is the growth
of the peak of what NumPy and Python allocate while a call runs (tracemalloc), next to the input.
"""

from __future__ import annotations

import argparse
import platform
import tracemalloc
from collections.abc import Callable
from time import perf_counter

import numpy

import metricdp as dp


@dp.measurement
def clamped_total(pay: dp.Records[float], eps: float):  # type: ignore[no-untyped-def]
    return dp.laplace(dp.sum(dp.clamp(pay, -1, 1)), epsilon=eps)


@dp.measurement
def filtered_total(pay: dp.Records[float], eps: float):  # type: ignore[no-untyped-def]
    kept = dp.filter(lambda x: x > 0, pay)
    return dp.laplace(dp.sum(dp.clamp(kept, 0, 1)), epsilon=eps)


@dp.measurement
def positive_rows(pay: dp.Records[float], eps: float):  # type: ignore[no-untyped-def]
    return dp.laplace(dp.count(lambda x: x > 0, pay), epsilon=eps)


def best_of_each(works: dict[str, Callable[[], object]], rounds: int = 15) -> dict[str, float]:
    """Seconds of the fastest call of each, taken in turns."""
    times: dict[str, float] = {}
    for _ in range(rounds):
        for name, work in works.items():
            start = perf_counter()
            work()
            times[name] = min(times.get(name, 1e9), perf_counter() - start)
    return times


def peak(work: Callable[[], object]) -> int:
    """Bytes that a call holds at most at any one time."""
    work()
    tracemalloc.start()
    work()
    found = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return found


def main() -> None:
    """Print one line per pipeline."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10**7)
    rows = parser.parse_args().rows
    x = numpy.random.default_rng(1).normal(size=rows)
    pairs: dict[str, tuple[Callable[[], object], Callable[[], object]]] = {
        "clamp, sum": (
            lambda: clamped_total(x, 1.0),
            lambda: numpy.clip(x, -1, 1).sum(),
        ),
        "filter, clamp, sum": (
            lambda: filtered_total(x, 1.0),
            lambda: numpy.clip(x[x > 0], 0, 1).sum(),
        ),
        "count of a predicate": (
            lambda: positive_rows(x, 1.0),
            lambda: (x > 0).sum(),
        ),
    }
    print(f"Python {platform.python_version()}, NumPy {numpy.__version__}, {rows} doubles")
    for name, (ours, plain) in pairs.items():
        times = best_of_each({"ours": ours, "plain": plain})
        growth = peak(ours) / x.nbytes
        print(
            f"{name:22} {times['ours'] * 1e3:8.1f} ms   NumPy {times['plain'] * 1e3:8.1f} ms   "
            f"{times['ours'] / times['plain']:5.2f} x   peak {1 + growth:5.2f} x the input"
            f" (NumPy {1 + peak(plain) / x.nbytes:4.2f})"
        )


if __name__ == "__main__":
    main()
