"""What `laplace`, `discrete_laplace` and `laplacian_mechanism` share."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.expr import Expr
from metricdp.families.added import Added
from metricdp.measures.events import Event
from metricdp.primitives.mechanisms._noise import entrywise, given, joint, positive, public_number
from metricdp.record import BOUND, MOVED, RATIO, Arg, Conclusion, Instance, Witness, refuse
from metricdp.spaces import Vector


def laplace_event(
    name: str, family: Added, norm: str, x: Arg, scale: Arg, epsilon: Arg
) -> Conclusion:
    """Exactly one of scale and target: epsilon = MOVED / scale, or epsilon * RATIO."""
    if given(scale) == given(epsilon):
        raise refuse(
            "bad-noise",
            f"`{name}` takes its noise either as `scale=` or as a target `epsilon=`",
            need="exactly one public number",
            help=f"dp.{name}({x.text}, epsilon=eps)",
        )
    if given(scale):
        width = public_number(scale, name, "scale")
        cost = MOVED / width
        requires = positive(width, "bad-noise", scale.chosen)
    else:
        target = public_number(epsilon, name, "epsilon")
        width, cost = BOUND / target, target * RATIO
        requires = positive(target, "bad-noise", epsilon.chosen)
    return Conclusion(
        None, requires=requires, events=(pure_event(name, family, norm, width, cost),)
    )


def pure_event(name: str, family: Added, norm: str, scale: Expr, cost: Expr) -> Event:
    """Laplace noise of a scale, with its pure cost and its zCDP."""
    privacy = {"pure": (cost,), "zcdp": (family.zcdp(cost),)}
    return Event(name, family, norm, {"scale": scale}, privacy)


def laplace_law(x: Any, scale: Fraction) -> Any:
    """Exact output law on the integer grid."""
    from metricdp.laws import DiscreteLaplaceLaw

    return joint(x, lambda center: DiscreteLaplaceLaw(center, Fraction(scale)))


def rounded_laplace_run(x: Any, scale: Fraction, source: Any) -> Any:
    """Continuous noise of a scale on every entry of x, rounded to the integers."""
    from metricdp.noise.rounded import laplace_ticks

    return entrywise(x, lambda v: laplace_ticks(v, scale, 0, source))


def rounded_laplace_law(x: Any, scale: Fraction) -> Any:
    """Exact output law of `rounded_laplace_run`."""
    from metricdp.laws import RoundedLaplaceLaw

    return joint(x, lambda center: RoundedLaplaceLaw(Fraction(center), Fraction(scale)))


def laplace_pair(instance: Instance, d: int) -> Witness:
    """Centres at L1 distance d, or d claimed sensitivities."""
    d *= int(instance.public.get("s", 1))
    if isinstance(instance.private["x"], Vector):
        return {"x": [0, 0, 0]}, {"x": [d, 0, 0]}
    return {"x": 0}, {"x": d}
