"""Certified accounting: milliseconds and epsilon, next to dp_accounting's Renyi accountant.

    python benchmarks/accounting.py [--repeats 5]

Every epsilon is a certified upper bound in rationals.  dp_accounting is timed when it is
installed; it works in doubles with a fixed list of orders, fractional ones too.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable
from fractions import Fraction
from time import perf_counter

from metricdp.accounting import renyi_sampled
from metricdp.accounting.renyi import GaussianCurve, LaplaceCurve, PureCurve
from metricdp.expr import num
from metricdp.measures.accountant import Certified, certified
from metricdp.measures.accounted import AccountedStep
from metricdp.measures.sampling import Adjacency, PoissonSampling, SamplingWithoutReplacement

DELTA = Fraction(1, 10**5)
POISSON, FIXED = PoissonSampling(num("0.01")), SamplingWithoutReplacement(num(100), num(10_000))
UNIT = GaussianCurve(Fraction(1, 2))
CASES: dict[str, tuple[list[AccountedStep], Adjacency | None]] = {
    "Poisson Gaussian, q=.01, sigma=1, 10,000": (
        [AccountedStep(UNIT, 10_000, scheme=POISSON)],
        "add or remove",
    ),
    "the same under replacement, 1,000": ([AccountedStep(UNIT, 1000, scheme=POISSON)], "replace"),
    "100 of 10,000 rows Gaussian, 1,000": ([AccountedStep(UNIT, 1000, scheme=FIXED)], "replace"),
    "Gaussian, 100": ([AccountedStep(UNIT, 100)], None),
    "pure 0.1, 1,000": ([AccountedStep(PureCurve(Fraction(1, 10)), 1000)], None),
    "Laplace 0.1, 1,000 and Gaussian, 3": (
        [AccountedStep(LaplaceCurve(Fraction(1, 10)), 1000), AccountedStep(UNIT, 3)],
        None,
    ),
}


def timed(work: Callable[[], object], repeats: int) -> float:
    """Seconds of the fastest repetition; memory of earlier ones is thrown away."""
    times = []
    for _ in range(repeats):
        renyi_sampled._poisson_gaussian.cache_clear()
        renyi_sampled._without_replacement.cache_clear()
        renyi_sampled._moment.cache_clear()
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
    for name, (steps, adjacency) in CASES.items():

        def work(
            steps: list[AccountedStep] = steps, adjacency: Adjacency | None = adjacency
        ) -> Certified:
            return certified(steps, DELTA, adjacency)

        seconds = timed(work, repeats)
        first = first or seconds
        found = work()
        value = f"epsilon {float(found.epsilon):9.4f}"
        print(f"{name:42} {1000 * seconds:7.1f} ms  {value}  {found.rule}")
    other = peer()
    if other is None:
        print("dp_accounting is not installed: no ratio")
    else:
        seconds, epsilon = other
        print(f"dp_accounting, first case: {1000 * seconds:.1f} ms, epsilon {epsilon:.4f}")
        print(f"ratio {seconds / first:.1f}")


if __name__ == "__main__":
    main()
