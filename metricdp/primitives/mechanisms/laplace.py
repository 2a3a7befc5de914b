"""laplace: adds Laplace noise to a real number, or to every entry of a vector.

Privacy.  The density of x plus noise at y is proportional to exp(-|y - x|/b), so the log-ratio of
two densities moves by at most |x - x'|_1 / b: epsilon = d_1 / b, in the L1 norm and not in L2.
What is released is x plus continuous noise, rounded to a public grid: post-processing, so the cost
is that of the ideal mechanism for every movement.  Tight: any outcome beyond both centres.
zCDP: with m = d_1 / b the Renyi divergence over its order is largest at order 1, the
Kullback-Leibler divergence: rho = m - 1 + e^-m, exactly.
Noise: `scale=b`, or the target `epsilon=`, and then b is the largest single-input movement at
distance 1 divided by epsilon.
Source: Dwork, McSherry, Nissim, Smith (2006), Theorem 1; Bun and Steinke (2016) for rho.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import num
from metricdp.families.laplace import LAPLACE
from metricdp.primitives.mechanisms._laplace import (
    laplace_event,
    laplace_pair,
    rounded_laplace_law,
    rounded_laplace_run,
)
from metricdp.primitives.mechanisms._noise import NONE, real_argument
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness
from metricdp.spaces import Scalar, Vector

example = "visits: dp.Records[float] = [3.0, 9.0, 12.0]; dp.laplace(dp.count(visits), epsilon=0.5)"

spelling = Spelling(opendp=("make_laplace", "make_base_laplace"))

family = LAPLACE


def rule(x: Arg, *, scale: Arg = NONE, epsilon: Arg = NONE) -> Conclusion:
    """A real number or vector; exactly one of `scale` (public) and `epsilon` (target)."""
    return laplace_event("laplace", family, real_argument(x, "laplace", "L1"), x, scale, epsilon)


def run(x: Any, scale: Fraction, source: Any = None) -> Any:
    """x plus noise, rounded to the integers; a release uses a grid of 2**-30 scales instead."""
    return rounded_laplace_run(x, scale, source)


def law(x: Any, scale: Fraction) -> Any:
    """Exact output law on the integers."""
    return rounded_laplace_law(x, scale)


def instances() -> Iterable[Instance]:
    for scale in (Fraction(1, 3), Fraction(1), Fraction(10)):
        yield Instance({"x": Scalar("Int")}, {"scale": scale})
        yield Instance({"x": Vector("Int", "L1", num(3))}, {"scale": scale})
    yield Instance({"x": Scalar("Int")}, {"epsilon": Fraction(3, 4)})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """Centres at distance d; every outcome beyond both has log-ratio d / scale."""
    return laplace_pair(instance, d)
