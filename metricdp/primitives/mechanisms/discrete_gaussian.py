"""discrete_gaussian: adds discrete Gaussian noise to whole numbers, in L2.

Privacy.  P(k) is proportional to exp(-(k - x)^2 / (2 sigma^2)) on the integers; completing the
square gives Renyi divergence alpha d^2 / (2 sigma^2) at integer alpha d, at most that elsewhere,
so rho = d^2 / (2 sigma^2) for integer inputs, several entries in L2.  Tight at integer shifts.
Noise: `scale=sigma`, or the target `rho=`, sigma = bound / sqrt(2 rho).
Source: Canonne, Kamath, Steinke (2020), Theorem 14.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import num
from metricdp.families.discrete_gaussian import DISCRETE_GAUSSIAN
from metricdp.primitives.mechanisms._gaussian import (
    from_rho,
    from_scale,
    gaussian_law,
    gaussian_pair,
    gaussian_run,
)
from metricdp.primitives.mechanisms._noise import NONE, given, integer_argument
from metricdp.record import Arg, Conclusion, Instance, Witness, refuse
from metricdp.spaces import Scalar, Vector

example = "x: dp.Int = 7; dp.discrete_gaussian(x, scale=2)"

family = DISCRETE_GAUSSIAN


def rule(x: Arg, *, scale: Arg = NONE, rho: Arg = NONE) -> Conclusion:
    """A whole number or a vector of them; exactly one of `scale` (sigma) and the target `rho`."""
    norm = integer_argument(x, "discrete_gaussian", "L2")
    if given(scale) == given(rho):
        raise refuse(
            "bad-noise",
            "`discrete_gaussian` takes its noise either as `scale=` or as a target `rho=`",
            need="exactly one public number",
            help=f"dp.discrete_gaussian({x.text}, rho=rho)",
        )
    if given(scale):
        return from_scale("discrete_gaussian", family, norm, scale)
    return from_rho("discrete_gaussian", family, norm, rho)


def run(x: Any, sigma: Fraction, source: Any = None) -> Any:
    """One draw around the integer x, or around every entry."""
    return gaussian_run(x, sigma, source)


def law(x: Any, sigma: Fraction) -> Any:
    """Exact output law."""
    return gaussian_law(x, sigma)


def instances() -> Iterable[Instance]:
    for scale in (Fraction(1, 2), Fraction(3)):
        yield Instance({"x": Scalar("Int")}, {"scale": scale})
        yield Instance({"x": Vector("Int", "L2", num(3))}, {"scale": scale})
    yield Instance({"x": Scalar("Int")}, {"rho": Fraction(1, 2)})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """Centres at L2 distance d."""
    return gaussian_pair(instance, d)
