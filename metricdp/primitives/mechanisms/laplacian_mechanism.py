"""laplacian_mechanism: Laplace noise on x, of a claimed sensitivity s.

Privacy.  The scale is s / eps, so a movement of d in L1 costs d * eps / s (see `laplace`), which is
at most eps at distance 1 when the claimed s is at least the inferred bound; a smaller claim is
rejected.  Tight: any outcome beyond both centres.
Source: the seed system's rule; Dwork, McSherry, Nissim, Smith (2006), Theorem 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.families.laplace import LAPLACE
from metricdp.primitives.mechanisms._laplace import (
    laplace_pair,
    pure_event,
    rounded_laplace_law,
    rounded_laplace_run,
)
from metricdp.primitives.mechanisms._noise import positive, public_number, real_argument
from metricdp.record import BOUND, MOVED, Arg, Conclusion, Instance, Requirement, Spelling, Witness
from metricdp.spaces import Scalar

example = "x: dp.Real = 7; dp.laplacian_mechanism(1, 0.5, x)"

spelling = Spelling(seed=("laplacian_mechanism",))

family = LAPLACE


def rule(s: Arg, eps: Arg, x: Arg) -> Conclusion:
    """A real number or vector in L1; `s` (claimed sensitivity) and `eps` are public."""
    name = "laplacian_mechanism"
    norm = real_argument(x, name, "L1")
    claimed, epsilon = public_number(s, name, "s"), public_number(eps, name, "eps")
    requires = (
        *positive(claimed, "bad-noise", s.chosen),
        *positive(epsilon, "bad-noise", eps.chosen),
        Requirement(BOUND, "<=", claimed, "claimed-sensitivity", "claim the inferred bound"),
    )
    event = pure_event(name, family, norm, claimed / epsilon, MOVED * epsilon / claimed)
    return Conclusion(None, requires=requires, events=(event,))


def run(x: Any, scale: Fraction, source: Any = None) -> Any:
    """x plus noise, rounded to the integers; a release uses a grid of 2**-30 scales instead."""
    return rounded_laplace_run(x, scale, source)


def law(x: Any, scale: Fraction) -> Any:
    """Exact output law on the integers."""
    return rounded_laplace_law(x, scale)


def instances() -> Iterable[Instance]:
    for s, eps in ((Fraction(1), Fraction(1, 2)), (Fraction(5), Fraction(3))):
        yield Instance({"x": Scalar("Int")}, {"s": s, "eps": eps})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """Centres at distance d; every outcome beyond both has log-ratio d * eps / s."""
    return laplace_pair(instance, d)
