"""gaussian: adds Gaussian noise to a real number, or to every entry of a vector, in L2.

Privacy.  With standard deviation sigma a movement of d in L2 has Renyi divergence
alpha d^2 / (2 sigma^2) at every order, so rho = d^2 / (2 sigma^2), exactly; there is no finite
epsilon at delta = 0.
Noise: `scale=sigma`; or the target `rho=`, sigma = bound / sqrt(2 rho); or the targets `epsilon=`
and `delta=`: the least sigma whose exact profile at the bound is at most delta (`analytic_sigma`,
any epsilon).  It costs (epsilon, delta) up to one bound; beyond, by group privacy, K = ceil(ratio)
steps cost (K epsilon, delta (e^(K epsilon) - 1) / (e^epsilon - 1)), for real ratios too, since
segments of R^n can be cut into K equal steps; the Gaussian's own profile lies below.
Tight: rho at every integer shift of the grid law.
Source: Bun and Steinke (2016), Lemma 2.5; Balle and Wang (2018), Theorem 8; Canonne, Kamath,
Steinke (2020) for the grid law.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from metricdp.expr import num
from metricdp.measures.events import Event
from metricdp.primitives.mechanisms._gaussian import (
    from_rho,
    from_scale,
    gaussian_law,
    gaussian_pair,
    gaussian_run,
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
from metricdp.record import BOUND, Arg, Conclusion, Instance, Record, Spelling, refuse, register
from metricdp.spaces import Scalar, Vector


def rule(
    x: Arg, scale: Arg = NONE, rho: Arg = NONE, epsilon: Arg = NONE, delta: Arg = NONE
) -> Conclusion:
    """Real scalar or vector; `scale`, or the target `rho`, or the targets `epsilon` and `delta`."""
    norm = real_argument(x, "gaussian", "L2")
    match given(scale), given(rho), given(epsilon), given(delta):
        case True, False, False, False:
            return from_scale("gaussian", norm, scale)
        case False, True, False, False:
            return from_rho("gaussian", norm, rho)
        case False, False, True, True:
            return _analytic(norm, epsilon, delta)
    raise refuse(
        "bad-noise",
        "`gaussian` takes `scale=`, or a target `rho=`, or the targets `epsilon=` and `delta=`",
        need="exactly one of the three",
        help=f"dp.gaussian({x.text}, epsilon=eps, delta=delta)",
    )


def _analytic(norm: str, epsilon: Arg, delta: Arg) -> Conclusion:
    e = public_number(epsilon, "gaussian", "epsilon")
    d = public_number(delta, "gaussian", "delta")
    event = Event(
        "gaussian",
        norm,
        {"epsilon": e, "delta": d, "bound": BOUND},
        {"approx": group_delta(e, d)},
    )
    requires = (
        *positive(e, "bad-noise", epsilon.text),
        *positive(d, "bad-noise", delta.text),
        *below_one(d, "vacuous-guarantee", delta.text),
    )
    return Conclusion(None, requires=requires, events=(event,))


def sigma_of(noise: dict[str, Fraction]) -> Fraction:
    """Standard deviation of evaluated noise parameters, rounded up."""
    if "sigma" in noise:
        return Fraction(noise["sigma"])
    from metricdp.measures.gaussian import analytic_sigma

    return Fraction(noise["bound"]) * analytic_sigma(noise["epsilon"], noise["delta"])


def run(x: Any, sigma: Fraction, source: Any = None) -> Any:
    """One draw around x (integer ticks), `sigma` in ticks; see `run.emit` for the grid."""
    return gaussian_run(x, sigma, source)


def law(x: Any, sigma: Fraction) -> Any:
    """Exact output law on the integer grid."""
    return gaussian_law(x, sigma)


def instances() -> Iterable[Instance]:
    for scale in (Fraction(1, 2), Fraction(2), Fraction(25)):
        yield Instance({"x": Scalar("Int")}, {"scale": scale})
        yield Instance({"x": Vector("Int", "L2", num(3))}, {"scale": scale})
    yield Instance({"x": Scalar("Int")}, {"rho": Fraction(1, 8)})
    for epsilon, delta in ((Fraction(1, 2), Fraction(1, 10**5)), (Fraction(4), Fraction(1, 100))):
        targets = {"epsilon": epsilon, "delta": delta}
        yield Instance({"x": Scalar("Int")}, targets, tight="approached")


def tight(instance: Instance, d: int, tol: Fraction) -> tuple[dict[str, Any], dict[str, Any]]:
    """Centres at L2 distance d."""
    return gaussian_pair(instance, d)


record = register(
    Record(
        name="gaussian",
        kind="mechanism",
        rule=rule,
        run=run,
        instances=instances,
        tight=tight,
        proof=__doc__ or "",
        spelling=Spelling(opendp=("make_gaussian", "make_base_gaussian")),
        law=law,
    )
)
