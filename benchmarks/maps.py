"""Maps, searches, refusals and import: seconds here, beside OpenDP in the same run.

python benchmarks/maps.py
pip install opendp==0.16 msgspec     (an environment of its own: both columns)
PYTHONPATH=. python benchmarks/maps.py
"""

from __future__ import annotations

import platform
import subprocess
import sys
from collections.abc import Callable
from math import inf
from time import perf_counter
from typing import Any

#: Row -> the most that it may take here, in microseconds.
LIMITS = {
    "map of a chain": 20,
    "map of a measurement": 20,
    "check of a measurement": 20,
    "refused call": 1000,
    "exam-score calibration": 1000,
    "import": 200_000,
}


def seconds(work: Callable[[], Any], least: float = 0.1) -> float:
    """The least time of a call over five rounds."""
    work()
    times, best = 1, inf
    while True:
        start = perf_counter()
        for _ in range(times):
            work()
        passed = perf_counter() - start
        best = min(best, passed / times)
        if passed > least:
            break
        times *= 4
    for _ in range(4):
        start = perf_counter()
        for _ in range(times):
            work()
        best = min(best, (perf_counter() - start) / times)
    return best


def rows(dp: Any, name: str) -> dict[str, float]:
    """What each thing takes with one library."""
    dp.enable_features("contrib")
    table = dp.vector_domain(dp.atom_domain(T=float, nan=False)), dp.symmetric_distance()

    def aggregator() -> Any:
        return (
            table
            >> dp.t.then_clamp((0.0, 100.0))
            >> dp.t.then_resize(size=150, constant=0.0)
            >> dp.t.then_mean()
        )

    made = aggregator()
    noisy = made >> dp.m.then_laplace(2.0)
    many = dp.c.make_composition([noisy] * 1000)

    def refused() -> None:
        try:
            made >> dp.m.then_laplace(-1.0)
        except Exception:
            return
        raise AssertionError("a negative scale was accepted")

    return {
        "map of a chain": seconds(lambda: made.map(3)),
        "map of a measurement": seconds(lambda: noisy.map(3)),
        "check of a measurement": seconds(lambda: noisy.check(3, 1.0)),
        "build of the chain": seconds(aggregator),
        "map of a composition of 1000": seconds(lambda: many.map(3)),
        "refused call": seconds(refused),
        "exam-score calibration": seconds(
            lambda: dp.binary_search_chain(lambda s: made >> dp.m.then_laplace(s), 3, 1.0)
        ),
        "import": _import(name),
    }


def _import(name: str) -> float:
    program = f"from time import perf_counter as t; a = t(); import {name}; print(t() - a)"
    runs = [
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        for _ in range(5)
    ]
    return min(float(run.stdout) for run in runs)


def main() -> int:
    """Print both columns; 1 if a limit is not kept."""
    import metricdp.opendp as ours

    here = rows(ours, "metricdp.opendp")
    there: dict[str, float] = {}
    version = "not installed"
    try:
        from importlib.metadata import version as installed

        import opendp.prelude as theirs

        version = installed("opendp")
        there = rows(theirs, "opendp.prelude")
    except ImportError:
        pass
    print(f"Python {platform.python_version()}, OpenDP {version}; microseconds")
    print(f"{'':32}{'metricdp':>12}{'OpenDP':>12}{'ratio':>8}{'limit':>10}")
    slow = False
    for row, own in here.items():
        other, limit = there.get(row), LIMITS.get(row)
        peer = f"{other * 1e6:12.1f}{other / own:8.1f}" if other else f"{'':20}"
        slow |= limit is not None and own * 1e6 > limit
        print(f"{row:32}{own * 1e6:12.1f}{peer}{limit or '':>10}")
    return int(slow)


if __name__ == "__main__":
    raise SystemExit(main())
