"""sum_gradients: the sum of gradients of one shape, private, released or public.

Stability.  1 in each argument in every norm; the conclusion is linear.  Discrete entries stay
discrete: 1 per argument in their norm, whatever the values.
Tight: move one argument.
Source: as `add`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.expr import ONE, ZERO, num
from metricdp.primitives._common import (
    add_ranges,
    gradients_or_public,
    joint_kind,
    kind_of,
    range_of,
    whole,
)
from metricdp.primitives._entrywise import EntryRule, common_shape, lifted
from metricdp.primitives._witnesses import step_all
from metricdp.primitives.gradients._entries import entries
from metricdp.primitives.scalars.add import run as add_run
from metricdp.record import Arg, Conclusion, Instance, Requirement, Spelling, Witness, refuse
from metricdp.spaces import Gradient
from metricdp.spaces.norms import NORM_NAMES

example = (
    "g: dp.Gradient[dp.Real, dp.L1] = [1, 2]; "
    "h: dp.Gradient[dp.Real, dp.L1] = [3, 4]; "
    "dp.sum_gradients(g, h)"
)

spelling = Spelling(seed=("sum_gradients",))


def rule(*xs: Arg) -> Conclusion:
    """Gradients of one shape; public arrays of as many numbers, and numbers, count among them."""
    if not xs:
        raise refuse(
            "wrong-arguments",
            "`sum_gradients` adds nothing",
            need="one gradient or more",
            help="dp.sum_gradients(g, h)",
        )
    xs = gradients_or_public("sum_gradients", *xs)
    if not any(x.private for x in xs):
        return Conclusion()
    requires: tuple[Requirement, ...] = ()
    total, bounds = xs[0], range_of(xs[0])
    for x in xs[1:]:
        space, more = common_shape(total, x, "+")
        total = msgspec.structs.replace(total if total.private else x, space=space, text="the sum")
        bounds, requires = add_ranges(bounds, range_of(x)), requires + more
    assert isinstance(total.space, Gradient)
    integral, kind = all(map(whole, xs)), joint_kind({kind_of(x) for x in xs})
    kind = "float" if kind == "int" and not integral else kind
    args = {str(i): x for i, x in enumerate(xs)}
    entry = EntryRule(bounds, dict.fromkeys(args, ONE), integral, kind, linear=True)
    found = lifted(args, entry, total.space, requires)
    if found.linear is None:
        return found
    # A sum of values in balls lies in the ball with all their radii.
    assert isinstance(found.space, Gradient)
    held = [dict(x.space.radius) if isinstance(x.space, Gradient) else {} for x in xs]
    radius = tuple(
        (p, sum((known[p] for known in held), ZERO))
        for p in NORM_NAMES
        if all(p in known for known in held)
    )
    space = msgspec.structs.replace(found.space, radius=radius)
    return msgspec.structs.replace(found, space=space)


def run(*xs: Any) -> Any:
    """Entry by entry, exactly.

    Raises:
        SpaceError: the (public) numbers of entries differ.
    """
    return functools.reduce(add_run, map(entries, xs))


def instances() -> Iterable[Instance]:
    for norm in NORM_NAMES:
        real = Gradient("Real", norm, num(3))
        yield Instance({"0": real, "1": real})
        yield Instance({"1": real}, {"0": 0})
        ball = Gradient("Real", norm, num(2), num(-3), num(1), ((norm, num(2)),))
        yield Instance({"0": ball, "1": ball, "2": ball}, tight="unknown")
        data = Gradient("Data", norm, num(3))
        yield Instance({"0": data, "1": data, "2": data}, tight="unknown")


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """Every private argument moves in one entry."""
    if instance.tight == "unknown":
        return None
    return step_all(instance.private, d)


version = 2
