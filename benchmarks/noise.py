"""Noise on a vector, as a user calls it, next to OpenDP's measurement and NumPy's inexact draws.

    python benchmarks/noise.py [--entries 1000000]

A call reads the data, guards them, draws and returns the release.  Each mechanism is called as a
checked function and as the measurement of `metricdp.opendp`, on an array and on a list.  OpenDP is
timed when it is installed (an environment of its own is best: `pip install opendp==0.16 numpy
msgspec click rich`, then run this file there with PYTHONPATH at the repository), on lists, which it
takes.  `numpy.random.laplace` is a yardstick only: its floats are not private noise.
"""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from time import perf_counter
from typing import Any

import numpy

import metricdp as dp
import metricdp.opendp as named
from metricdp import L1, L2, Int, Real

SCALES = [Fraction(1), Fraction(10**4)]


@dp.measurement
def laplace(x: dp.Vector[Real, L1], scale: float):
    return dp.laplace(x, scale=scale)


@dp.measurement
def gaussian(x: dp.Vector[Real, L2], scale: float):
    return dp.gaussian(x, scale=scale)


@dp.measurement
def discrete_laplace(x: dp.Vector[Int, L1], scale: float):
    return dp.discrete_laplace(x, scale=scale)


@dp.measurement
def discrete_gaussian(x: dp.Vector[Int, L2], scale: float):
    return dp.discrete_gaussian(x, scale=scale)


#: Name -> (checked function, OpenDP's constructor, type of its numbers).
FORMS: dict[str, tuple[Any, str, type]] = {
    "discrete laplace": (discrete_laplace, "make_laplace", int),
    "discrete gaussian": (discrete_gaussian, "make_gaussian", int),
    "laplace": (laplace, "make_laplace", float),
    "gaussian": (gaussian, "make_gaussian", float),
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
        import opendp.prelude as peer
    except ImportError:
        return None
    peer.enable_features("contrib")
    return peer


def measurement(library: Any, name: str, scale: Fraction) -> Any:
    """The measurement by OpenDP's names, of either library."""
    _, constructor, kind = FORMS[name]
    plain = kind is int
    atoms = library.atom_domain(T=int) if plain else library.atom_domain(T=float, nan=False)
    if constructor == "make_laplace":
        metric = library.l1_distance(T=kind)
    else:
        metric = library.l2_distance(T=float)
    make = getattr(library.m, constructor)
    return make(library.vector_domain(atoms), metric, scale=float(scale))


def main() -> None:
    """Print one line per mechanism, scale and way of calling it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=10**6)
    n = parser.parse_args().entries
    yardstick = numpy.random.default_rng(1)
    plain = n / best(lambda: yardstick.laplace(size=n))
    peer, version = opendp(), "not installed"
    if peer:
        from importlib.metadata import version as version_of

        version = version_of("opendp")
    print(f"Python {platform.python_version()}, NumPy {numpy.__version__}, OpenDP {version}")
    print(f"numpy.random laplace (inexact)  {plain:10.3g} entries/s")
    whole, real = yardstick.integers(-1000, 1000, n), yardstick.normal(size=n) * 100
    for name, (checked, _, kind) in FORMS.items():
        array = whole if kind is int else real
        for scale in SCALES:
            ours, entries = measurement(named, name, scale), array.tolist()
            number = float(scale)
            calls: dict[str, Callable[[], Any]] = {
                "checked, array": partial(checked, array, scale=number),
                "checked, list": partial(checked, entries, scale=number),
                "opendp names, array": partial(ours, array),
                "opendp names, list": partial(ours, entries),
            }
            theirs = 0.0
            if peer:
                few = entries[: min(n, 10**5)]
                theirs = len(few) / best(partial(measurement(peer, name, scale), few), 2)
            for way, call in calls.items():
                seconds = best(call)
                line = f"{name:17} scale {float(scale):<6g} {way:20} {seconds * 1e3:8.1f} ms"
                line += f" {n / seconds:9.3g}/s"
                print(line + (f" {n / seconds / theirs:6.0f} x opendp" if theirs else ""))


if __name__ == "__main__":
    main()
