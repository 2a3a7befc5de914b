"""discrete_laplace: adds discrete Laplace (two-sided geometric) noise to whole numbers.

Privacy.  P(k) is proportional to exp(-|k - x|/b) on the integers, so the log-ratio of two outputs
moves by at most |x - x'|_1 / b: epsilon = d_1 / b.  Tight: any outcome beyond both centres.
A real statistic must be rounded first, and the map of the rounding paid: `dp.floor`.
Noise: `scale=b`, or the target `epsilon=` (see `laplace`).
Source: Ghosh, Roughgarden, Sundararajan (2009); Canonne, Kamath, Steinke (2020).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import num
from metricdp.families.discrete_laplace import DISCRETE_LAPLACE
from metricdp.primitives.mechanisms._laplace import laplace_event, laplace_law, laplace_pair
from metricdp.primitives.mechanisms._noise import NONE, around, integer_argument
from metricdp.record import Arg, Conclusion, Instance, Spelling, Witness
from metricdp.spaces import Scalar, Vector

example = "x: dp.Int = 7; dp.discrete_laplace(x, epsilon=0.5)"

spelling = Spelling(opendp=("make_geometric", "make_base_geometric"))

family = DISCRETE_LAPLACE


def rule(x: Arg, *, scale: Arg = NONE, epsilon: Arg = NONE) -> Conclusion:
    """A whole number or a vector of them; exactly one of `scale` and the target `epsilon`."""
    norm = integer_argument(x, "discrete_laplace", "L1")
    return laplace_event("discrete_laplace", family, norm, x, scale, epsilon)


def run(x: Any, scale: Fraction, source: Any = None) -> Any:
    """One draw around the integer x, or around every entry."""
    from metricdp.noise import discrete_laplace

    return around(x, lambda: discrete_laplace(scale, None, source))


def law(x: Any, scale: Fraction) -> Any:
    """Exact output law."""
    return laplace_law(x, scale)


def instances() -> Iterable[Instance]:
    for scale in (Fraction(1, 2), Fraction(7)):
        yield Instance({"x": Scalar("Int")}, {"scale": scale})
        yield Instance({"x": Vector("Int", "L1", num(3))}, {"scale": scale})
    yield Instance({"x": Scalar("Int")}, {"epsilon": Fraction(1, 10)})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """Centres at distance d; every outcome beyond both has log-ratio d / scale."""
    return laplace_pair(instance, d)
