"""Draws per second of exact noise, next to NumPy's inexact one and OpenDP's exact one.

    python benchmarks/noise.py [--draws 1000000]

Everything is timed in one run, so the ratios hold on any machine.  OpenDP is timed when it is
installed (an environment of its own is best: `pip install opendp==0.16 numpy msgspec`, then run
this file there with PYTHONPATH at the repository); `numpy.random.laplace` only as a yardstick: its
floats are not private noise.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable
from fractions import Fraction
from time import perf_counter
from typing import Any

import numpy

from metricdp.noise import discrete_gaussian, discrete_laplace, gaussian, laplace

SCALES = [Fraction(1), Fraction(10), Fraction(10**4)]
#: Name -> (draws of a scale, OpenDP's constructor, type of its numbers).
FORMS: dict[str, tuple[Callable[[Fraction, int], Any], str, type]] = {
    "discrete laplace": (discrete_laplace, "make_laplace", int),
    "discrete gaussian": (lambda s, n: discrete_gaussian(s * s, n), "make_gaussian", int),
    "laplace": (lambda s, n: laplace(numpy.zeros(n), s), "make_laplace", float),
    "gaussian": (lambda s, n: gaussian(numpy.zeros(n), s), "make_gaussian", float),
}
ONE: dict[str, Callable[[Fraction], Any]] = {
    "discrete laplace": discrete_laplace,
    "discrete gaussian": lambda s: discrete_gaussian(s * s),
    "laplace": lambda s: laplace(0.0, s),
    "gaussian": lambda s: gaussian(0.0, s),
}


def best(work: Callable[[], object], repeats: int = 5) -> float:
    """Seconds of the fastest repetition, after one to warm up."""
    work()
    times = []
    for _ in range(repeats):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return min(times)


def opendp() -> Any:
    """The peer's module, or None."""
    try:
        import opendp.prelude as dp
    except ImportError:
        return None
    dp.enable_features("contrib")
    return dp


def peer_rates(dp: Any, name: str, scale: Fraction, draws: int) -> tuple[float, float]:
    """OpenDP's draws per second, from a vector and one at a time."""
    _, constructor, kind = FORMS[name]
    make = getattr(dp.m, constructor)
    atoms = dp.atom_domain(T=int) if kind is int else dp.atom_domain(T=float, nan=False)
    if constructor == "make_laplace":
        metrics = dp.l1_distance(T=kind), dp.absolute_distance(T=kind)
    else:
        metrics = dp.l2_distance(T=float), dp.absolute_distance(T=float)
    vector = make(dp.vector_domain(atoms), metrics[0], scale=float(scale))
    scalar = make(atoms, metrics[1], scale=float(scale))
    data, zero = [kind(0)] * draws, kind(0)
    many = draws / best(lambda: vector(data), 2)
    return many, 500 / best(lambda: [scalar(zero) for _ in range(500)], 2)


def main() -> None:
    """Print one line per mechanism and scale."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=10**6)
    draws = parser.parse_args().draws
    yardstick = numpy.random.default_rng()
    plain = draws / best(lambda: yardstick.laplace(size=draws))
    peer, version = opendp(), "not installed"
    if peer:
        from importlib.metadata import version as version_of

        version = version_of("opendp")
    print(f"Python {platform.python_version()}, NumPy {numpy.__version__}, OpenDP {version}")
    print(f"numpy.random laplace (inexact)  {plain:12.3g} draws/s")
    for name, (sampler, *_) in FORMS.items():
        for scale in SCALES:
            rate = draws / best(lambda f=sampler, s=scale: f(s, draws))  # type: ignore[misc]
            one = 500 / best(lambda f=ONE[name], s=scale: [f(s) for _ in range(500)])  # type: ignore[misc]
            line = f"{name:17} scale {float(scale):<6g} {rate:9.3g}/s {rate / plain:5.2f} x numpy"
            if peer:
                theirs, single = peer_rates(peer, name, scale, min(draws, 10**5))
                line += f" {rate / theirs:6.0f} x opendp"
            line += f"   one {1e6 / one:6.1f} us"
            if peer:
                line += f" {one / single:5.1f} x opendp"
            print(line)


if __name__ == "__main__":
    main()
