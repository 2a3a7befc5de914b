"""Draws per second of exact noise, next to NumPy's inexact one and OpenDP's exact one.

    python benchmarks/noise.py [--draws 1000000]

Everything is timed in one run, so the ratios hold on any machine.  OpenDP is timed when it is
installed; `numpy.random.laplace` only as a yardstick: its floats are not private noise.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable
from fractions import Fraction
from time import perf_counter

import numpy

from metricdp.noise import discrete_gaussian, discrete_laplace

SCALES = [Fraction(1, 7), Fraction(1), Fraction(10), Fraction(10**4), Fraction(2**34)]


def best(work: Callable[[], object], repeats: int = 5) -> float:
    """Seconds of the fastest repetition, after one to warm up."""
    work()
    times = []
    for _ in range(repeats):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return min(times)


def opendp_rates(draws: int) -> dict[str, float]:
    """Draws per second of OpenDP's discrete Laplace and Gaussian at scale 10."""
    try:
        import opendp.prelude as dp
    except ImportError:
        return {}
    dp.enable_features("contrib")
    data = [0] * draws
    laplace = dp.m.make_laplace(
        dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int), scale=10.0
    )
    gaussian = dp.m.make_gaussian(
        dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=float), scale=10.0
    )
    return {
        "laplace": draws / best(lambda: laplace(data), 2),
        "gaussian": draws / best(lambda: gaussian(data), 2),
    }


def main() -> None:
    """Print one line per scale and mechanism."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=10**6)
    draws = parser.parse_args().draws
    yardstick = numpy.random.default_rng()
    plain = draws / best(lambda: yardstick.laplace(size=draws))
    peer = opendp_rates(min(draws, 10**5))
    version = "not installed"
    if peer:
        from importlib.metadata import version as version_of

        version = version_of("opendp")
    print(f"Python {platform.python_version()}, NumPy {numpy.__version__}, OpenDP {version}")
    print(f"numpy.random laplace (inexact)  {plain:12.3g} draws/s")
    for name, rate in peer.items():
        print(f"opendp {name:24} {rate:12.3g} draws/s")
    for name, sampler in (("laplace", discrete_laplace), ("gaussian", discrete_gaussian)):
        for scale in SCALES:
            parameter = scale if name == "laplace" else scale**2
            rate = draws / best(lambda s=sampler, p=parameter: s(p, draws))  # type: ignore[misc]
            line = f"{name:9} scale {float(scale):<16.6g} {rate:12.3g} draws/s"
            line += f"  {rate / plain:6.2f} x numpy"
            if name in peer:
                line += f"  {rate / peer[name]:6.0f} x opendp"
            print(line)
    for name, sampler in (("laplace", discrete_laplace), ("gaussian", discrete_gaussian)):
        one = best(lambda s=sampler: [s(Fraction(100)) for _ in range(500)]) / 500  # type: ignore[misc]
        print(f"{name:9} one draw at a time      {one * 1e6:12.1f} us")


if __name__ == "__main__":
    main()
