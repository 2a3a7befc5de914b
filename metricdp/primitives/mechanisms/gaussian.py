"""gaussian: adds Gaussian noise to a real number, or to every entry of a vector, in L2.

Privacy.  With standard deviation sigma a movement of d in L2 has Renyi divergence
alpha d^2 / (2 sigma^2) at every order, so rho = d^2 / (2 sigma^2), exactly; there is no finite
epsilon at delta = 0.
Noise: `scale=sigma`; or the target `rho=`, sigma = bound / sqrt(2 rho), also as `rho=` and `omega=`
(truncated: rho-zCDP holds at every order, so up to omega > 1); or the targets `alpha=` and
`epsilon=`, D_alpha <= epsilon with alpha > 1: rho = epsilon / alpha; or the targets `epsilon=` and
`delta=`: the least sigma whose exact profile at the bound is at most delta (`analytic_sigma`,
any epsilon).  It costs (epsilon, delta) up to one bound; beyond, by group privacy, K = ceil(ratio)
steps cost (K epsilon, delta (e^(K epsilon) - 1) / (e^epsilon - 1)), for real ratios too, since
segments of R^n can be cut into K equal steps; the Gaussian's own profile lies below.
What is released is x plus continuous noise, rounded to a public grid: post-processing, so the cost
is that of the ideal mechanism for every movement.  Tight: rho of the continuous law, which the grid
of a release approaches.
Source: Bun and Steinke (2016), Lemma 2.5; Balle and Wang (2018), Theorem 8.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.expr import ONE, num
from metricdp.families.gaussian import GAUSSIAN
from metricdp.measures.events import Event
from metricdp.primitives.mechanisms._gaussian import (
    from_renyi,
    from_rho,
    from_scale,
    gaussian_pair,
    rounded_gaussian_law,
    rounded_gaussian_run,
)
from metricdp.primitives.mechanisms._noise import (
    NONE,
    below_one,
    given,
    group_delta,
    positive,
    public_number,
    real_argument,
)
from metricdp.record import BOUND, Arg, Conclusion, Instance, Requirement, Spelling, Witness, refuse
from metricdp.spaces import Scalar, Vector

example = "x: dp.Real = 7; dp.gaussian(x, rho=0.5)"

__all__ = ["sigma_of"]

spelling = Spelling(opendp=("make_gaussian", "make_base_gaussian"))

TARGETS = ("rho", "rho and omega", "alpha and epsilon", "epsilon and delta")

family = GAUSSIAN


def rule(
    x: Arg,
    *,
    scale: Arg = NONE,
    rho: Arg = NONE,
    epsilon: Arg = NONE,
    delta: Arg = NONE,
    alpha: Arg = NONE,
    omega: Arg = NONE,
) -> Conclusion:
    """A real number or vector; exactly one of `scale` (sigma), `rho`,
    `rho` and `omega`, `epsilon` and `alpha`, `epsilon` and `delta`."""
    norm = real_argument(x, "gaussian", "L2")
    named = {
        "scale": scale, "rho": rho, "epsilon": epsilon, "delta": delta, "alpha": alpha,
        "omega": omega,
    }  # fmt: skip
    match tuple(name for name, arg in named.items() if given(arg)):
        case ("scale",):
            return from_scale("gaussian", family, norm, scale)
        case ("rho",):
            return from_rho("gaussian", family, norm, rho)
        case ("rho", "omega"):
            return _above_one(from_rho("gaussian", family, norm, rho), "omega", omega)
        case ("epsilon", "alpha"):
            return _above_one(from_renyi("gaussian", family, norm, epsilon, alpha), "alpha", alpha)
        case ("epsilon", "delta"):
            return _analytic(norm, epsilon, delta)
    raise refuse(
        "bad-noise",
        f"`gaussian` takes `scale=`, or one of the targets {', '.join(TARGETS)}",
        need="the noise, or one target",
        help=f"dp.gaussian({x.text}, epsilon=eps, delta=delta)",
    )


def _above_one(conclusion: Conclusion, name: str, order: Arg) -> Conclusion:
    """The conclusion, for an order that is public and above 1."""
    value = public_number(order, "gaussian", name)
    need = Requirement(value, ">", ONE, "bad-noise", f"choose {order.chosen} > 1")
    return msgspec.structs.replace(conclusion, requires=(*conclusion.requires, need))


def _analytic(norm: str, epsilon: Arg, delta: Arg) -> Conclusion:
    e = public_number(epsilon, "gaussian", "epsilon")
    d = public_number(delta, "gaussian", "delta")
    event = Event(
        "gaussian",
        family,
        norm,
        {"epsilon": e, "delta": d, "bound": BOUND},
        {"approx": group_delta(e, d)},
    )
    requires = (
        *positive(e, "bad-noise", epsilon.chosen),
        *positive(d, "bad-noise", delta.chosen),
        *below_one(d, "vacuous-guarantee", delta.chosen),
    )
    return Conclusion(None, requires=requires, events=(event,))


def sigma_of(noise: dict[str, Fraction]) -> Fraction:
    """Standard deviation of evaluated noise parameters, rounded up."""
    if "sigma" in noise:
        return Fraction(noise["sigma"])
    from metricdp.accounting.gaussian import analytic_sigma

    return Fraction(noise["bound"]) * analytic_sigma(noise["epsilon"], noise["delta"])


def run(x: Any, sigma: Fraction, source: Any = None) -> Any:
    """x plus noise, rounded to the integers; a release uses a grid of 2**-30 sigmas instead."""
    return rounded_gaussian_run(x, sigma, source)


def law(x: Any, sigma: Fraction) -> Any:
    """Exact output law on the integers."""
    return rounded_gaussian_law(x, sigma)


def instances() -> Iterable[Instance]:
    for scale in (Fraction(1, 2), Fraction(2), Fraction(25)):
        yield Instance({"x": Scalar("Int")}, {"scale": scale})
        yield Instance({"x": Vector("Int", "L2", num(3))}, {"scale": scale})
    yield Instance({"x": Scalar("Int")}, {"rho": Fraction(1, 8)})
    yield Instance({"x": Scalar("Int")}, {"rho": Fraction(1, 8), "omega": Fraction(3)})
    yield Instance({"x": Scalar("Int")}, {"epsilon": Fraction(1, 2), "alpha": Fraction(4)})
    for epsilon, delta in ((Fraction(1, 2), Fraction(1, 10**5)), (Fraction(4), Fraction(1, 100))):
        targets = {"epsilon": epsilon, "delta": delta}
        yield Instance({"x": Scalar("Int")}, targets, tight="approached")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness:
    """Centres at L2 distance d."""
    return gaussian_pair(instance, d)
