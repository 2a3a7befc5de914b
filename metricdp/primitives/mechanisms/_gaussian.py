"""What `gaussian`, `discrete_gaussian` and `gaussian_mechanism` share."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.expr import Expr, root
from metricdp.families.added import Added
from metricdp.measures.events import Event
from metricdp.primitives.mechanisms._noise import around, entrywise, joint, positive, public_number
from metricdp.record import BOUND, MOVED, RATIO, Arg, Conclusion, Instance, Witness
from metricdp.spaces import Vector


def from_scale(name: str, family: Added, norm: str, scale: Arg) -> Conclusion:
    """Noise of a public standard deviation: rho = MOVED^2 / (2 sigma^2)."""
    sigma = public_number(scale, name, "scale")
    return zcdp_conclusion(
        name, family, norm, sigma, MOVED**2 / (2 * sigma**2), sigma, scale.chosen
    )


def from_rho(name: str, family: Added, norm: str, rho: Arg) -> Conclusion:
    """Noise for a target rho: sigma = BOUND / sqrt(2 rho)."""
    target = public_number(rho, name, "rho")
    sigma = BOUND / root(2 * target)
    return zcdp_conclusion(name, family, norm, sigma, target * RATIO**2, target, rho.chosen)


def from_renyi(name: str, family: Added, norm: str, epsilon: Arg, alpha: Arg) -> Conclusion:
    """Noise for D_alpha <= epsilon at one bound: rho = epsilon / alpha."""
    e, order = (public_number(a, name, n) for a, n in ((epsilon, "epsilon"), (alpha, "alpha")))
    sigma = BOUND * root(order / (2 * e))
    return zcdp_conclusion(name, family, norm, sigma, e / order * RATIO**2, e, epsilon.chosen)


def zcdp_conclusion(
    name: str, family: Added, norm: str, sigma: Expr, rho: Expr, parameter: Expr, text: str
) -> Conclusion:
    """One event with a zCDP cost; `parameter` (written `text`) must be positive."""
    event = Event(name, family, norm, {"sigma": sigma}, {"zcdp": (rho,)})
    return Conclusion(None, requires=positive(parameter, "bad-noise", text), events=(event,))


def gaussian_run(x: Any, sigma: Fraction, source: Any) -> Any:
    """One discrete Gaussian draw of parameter sigma**2 around every entry of x."""
    from metricdp.noise import discrete_gaussian

    return around(x, lambda: discrete_gaussian(Fraction(sigma) ** 2, None, source))


def gaussian_law(x: Any, sigma: Fraction) -> Any:
    """Exact output law on the integer grid."""
    from metricdp.laws import DiscreteGaussianLaw

    return joint(x, lambda center: DiscreteGaussianLaw(center, Fraction(sigma) ** 2))


def rounded_gaussian_run(x: Any, sigma: Fraction, source: Any) -> Any:
    """Continuous noise of a standard deviation on every entry of x, rounded to the integers."""
    from metricdp.noise.rounded import gaussian_ticks

    return entrywise(x, lambda v: gaussian_ticks(v, sigma, 0, source))


def rounded_gaussian_law(x: Any, sigma: Fraction) -> Any:
    """Exact output law of `rounded_gaussian_run`."""
    from metricdp.laws import RoundedGaussianLaw

    return joint(x, lambda center: RoundedGaussianLaw(Fraction(center), Fraction(sigma)))


def gaussian_pair(instance: Instance, d: int) -> Witness:
    """Centres at L2 distance d, or d claimed sensitivities."""
    d *= int(instance.public.get("s", 1))
    if isinstance(instance.private["x"], Vector):
        return {"x": [0, 0, 0]}, {"x": [d, 0, 0]}
    return {"x": 0}, {"x": d}
