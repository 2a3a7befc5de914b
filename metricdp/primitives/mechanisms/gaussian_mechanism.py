"""gaussian_mechanism: classical Gaussian noise on x, of a claimed sensitivity s.

Privacy.  The standard deviation is s sqrt(2 ln(1.25/delta)) / eps, which is (eps, delta)-DP for
movements up to s when 0 < eps < 1; the claimed s must be at least the inferred bound, and the
charge is (eps, delta) as soon as the argument moves.  Beyond one bound: group privacy (`gaussian`).
Not tight: at most a third of delta is used.
Source: Dwork and Roth (2014), Theorem A.1; the seed system's rule.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import ONE, Expr, compare, log, num, root
from metricdp.families.gaussian import GAUSSIAN
from metricdp.measures.events import Event
from metricdp.primitives.mechanisms._gaussian import (
    gaussian_pair,
    rounded_gaussian_law,
    rounded_gaussian_run,
)
from metricdp.primitives.mechanisms._noise import (
    below_one,
    group_delta,
    positive,
    public_number,
    real_argument,
)
from metricdp.record import BOUND, Arg, Conclusion, Instance, Requirement, Spelling, Witness
from metricdp.spaces import Scalar, Vector

example = "x: dp.Real = 7; dp.gaussian_mechanism(1, 0.5, 0.001, x)"

spelling = Spelling(seed=("gaussian_mechanism",))

NAME = "gaussian_mechanism"

family = GAUSSIAN


def rule(s: Arg, eps: Arg, delta: Arg, x: Arg) -> Conclusion:
    """A real number or vector in L2; `s` (claimed sensitivity), `eps` and `delta` are public."""
    norm = real_argument(x, NAME, "L2")
    claimed, e, d = (
        public_number(arg, NAME, name) for arg, name in ((s, "s"), (eps, "eps"), (delta, "delta"))
    )
    sigma = claimed * _classical(d) / e
    event = Event(NAME, family, norm, {"sigma": sigma}, {"approx": group_delta(e, d)})
    requires = (
        *positive(claimed, "bad-noise", s.chosen),
        *positive(e, "bad-noise", eps.chosen),
        Requirement(
            e,
            "<",
            ONE,
            "classical-gaussian-epsilon",
            f"dp.gaussian({x.text}, epsilon={eps.text}, delta={delta.text})",
        ),
        *positive(d, "bad-noise", delta.chosen),
        *below_one(d, "vacuous-guarantee", delta.chosen),
        Requirement(BOUND, "<=", claimed, "claimed-sensitivity", "claim the inferred bound"),
    )
    return Conclusion(None, requires=requires, events=(event,))


def _classical(delta: Expr) -> Expr:
    """sqrt(2 ln(1.25 / delta))."""
    if compare(delta, ">=", ONE):
        return ONE  # the requirement delta < 1 fails; the noise is never drawn
    return root(2 * log(num(5) / (4 * delta)))


def run(x: Any, sigma: Fraction, source: Any = None) -> Any:
    """x plus noise, rounded to the integers; a release uses a grid of 2**-30 sigmas instead."""
    return rounded_gaussian_run(x, sigma, source)


def law(x: Any, sigma: Fraction) -> Any:
    """Exact output law on the integers."""
    return rounded_gaussian_law(x, sigma)


def instances() -> Iterable[Instance]:
    public = {"s": Fraction(3), "eps": Fraction(1, 2), "delta": Fraction(1, 10**5)}
    yield Instance({"x": Scalar("Int")}, public, tight="unknown")
    yield Instance({"x": Vector("Int", "L2", num(3))}, public, tight="unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """Centres at L2 distance d (the bound itself is not attained)."""
    return gaussian_pair(instance, d)
