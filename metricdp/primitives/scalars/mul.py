"""mul: x * y, for numbers, or entry by entry.

Stability.  c * x with public c: |c| in every norm (absolute value: -3x is 3-stable).  Linear.
Both private: |xy - x'y'| <= |y| |x - x'| + |x'| |y - y'|, so on |x| <= A, |y| <= B it is B-stable
in x and A-stable in y; without bounds infinite (y as large as one likes).  Tight: y = B.  A private
number times a vector moves by |v|_q in L_q.  On discrete entries: 1 per argument, whatever c is.
Source: triangle inequality.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.expr import ONE, D, Expr, absolute, minimum, num
from metricdp.primitives import _exact
from metricdp.primitives._common import (
    Container,
    discrete,
    in_floats,
    largest,
    multiply_ranges,
    no_bound,
    numbers_only,
    range_of,
    scale_range,
    spread,
    times,
    whole,
)
from metricdp.primitives._entrywise import EntryRule, arithmetic_kind, common_shape, lifted
from metricdp.primitives._witnesses import step_all
from metricdp.record import ONE_METRIC, Arg, Conclusion, Instance, Moves, Spelling, Witness
from metricdp.spaces import Matrix, Scalar, Space, Vector, implied_radius
from metricdp.spaces.norms import NORM_NAMES
from metricdp.spaces.vectors import Entries

example = "x: dp.Real = 3; dp.mul(x, 4)"

__all__ = ["scaled"]

columnar = "mul"
spelling = Spelling(("*",), ("numpy.multiply",), ("*",))


def rule(x: Arg, y: Arg) -> Conclusion:
    """A public factor, or two private factors with bounds."""
    if not x.private and not y.private:
        known = x.value is not None and y.value is not None
        return Conclusion(value=x.value * y.value if known else None)  # type: ignore[operator,arg-type]
    numbers_only("*", x, y)
    template, requires = common_shape(x, y, "*")
    integral = whole(x) and whole(y)
    kind = arithmetic_kind(x, y, integral)
    for name, arg, factor in (("x", x, y.value), ("y", y, x.value)):
        if arg.private and factor is not None:
            return scaled(name, arg, factor, template, integral, kind, in_floats(x, y))
    slopes = {"x": largest(range_of(y)), "y": largest(range_of(x))}
    entry = EntryRule(multiply_ranges(range_of(x), range_of(y)), slopes, integral, kind)
    found = lifted({"x": x, "y": y}, entry, template, requires)
    if discrete(found.space):
        return found
    maps = dict(found.maps)
    for name, arg, other in (("x", x, y), ("y", y, x)):
        number = arg.private and isinstance(arg.space, Scalar)
        if number and isinstance(other.space, Entries | Matrix):
            maps[name] = _by_norm(other.space)
    endless = any(g.is_infinite for moves in maps.values() for g in moves.values())
    return msgspec.structs.replace(
        found,
        space=_in_ball(found.space, x, y),
        maps=maps,
        why_infinite=_why(x, y) if endless else None,
    )


def scaled(
    name: str,
    x: Arg,
    factor: Expr,
    template: Scalar | Container,
    integral: bool,
    kind: str,
    held: bool | None = None,
) -> Conclusion:
    """factor * x with a public factor; also for quotients.  Radii are scaled.

    Args:
        integral: whether the result is an integer.
        kind: of the result over discrete entries.
        held: as `EntryRule.in_float`.
    """
    bounds = scale_range(range_of(x), factor)
    entry = EntryRule(bounds, {name: factor}, integral, kind, held, linear=True)
    found = lifted({name: x}, entry, template)
    space = found.space
    if found.linear is None or not isinstance(space, (Entries, Matrix)):
        return found
    assert isinstance(x.space, (Entries, Matrix))
    radius = tuple((p, c * absolute(factor)) for p, c in x.space.radius)
    return msgspec.structs.replace(found, space=msgspec.structs.replace(space, radius=radius))


def _in_ball(space: Space | None, x: Arg, y: Arg) -> Space | None:
    """A bounded private number times a container in a ball lies in the ball times the bound."""
    for number, container in ((x, y), (y, x)):
        bound, inside = largest(range_of(number)), container.space
        if not isinstance(number.space, Scalar) or not isinstance(inside, Entries):
            continue
        if isinstance(space, Entries) and not (bound.is_infinite or discrete(space)):
            radius = tuple((p, c * bound) for p, c in inside.radius if not c.is_infinite)
            return msgspec.structs.replace(space, radius=radius)
    return space


def _by_norm(container: Entries | Matrix) -> Moves:
    """A private number times a container: the norm of the container in each L_q."""
    moves = {}
    for q in NORM_NAMES:
        per_row = implied_radius(container, q)
        rows = container.rows if isinstance(container, Matrix) else ONE
        bound = times(spread(container, q), largest((container.lo, container.hi)))
        assert rows is not None
        moves[(ONE_METRIC, q)] = times(minimum(times(rows, per_row), bound), D)
    return moves


def _why(x: Arg, y: Arg) -> Any:
    public = next((arg for arg in (x, y) if not arg.private), None)
    if public is not None and public.released:
        return no_bound(
            "unbounded-product",
            f"the released factor {public.text} may be of any size, and the noise is proved before "
            "it is known",
            "a factor that is a public number",
            f"multiply what is released after the mechanism by {public.text}",
        )
    if public is not None:
        return no_bound(
            "unbounded-product",
            f"the size of the public factor {public.text} is not known when checking",
            "a factor that is a public number",
            f"annotate {public.text} as float, or multiply after the mechanism",
        )
    return no_bound(
        "unbounded-product",
        f"a small step of {x.text} is multiplied by {y.text}, which may be as large as one likes",
        "finite bounds on both factors",
        f"dp.clamp({x.text}, lower, upper) * dp.clamp({y.text}, lower, upper)",
    )


def run(x: Any, y: Any) -> Any:
    """Exact product."""
    return _exact.pairwise(lambda a, b: _exact.rational(a) * _exact.rational(b), x, y)


def instances() -> Iterable[Instance]:
    yield Instance({"x": Scalar("Real")}, {"y": Fraction(-7, 2)})
    yield Instance({"y": Scalar("Int")}, {"x": 3})
    yield Instance({"x": Scalar("Real")}, {"y": 0})
    box = Scalar("Real", num(-5), num(4))
    yield Instance({"x": box, "y": Scalar("Real", num(0), num(1000))}, tight="approached")
    yield Instance({"x": Scalar("Real"), "y": Scalar("Real")}, tight="unknown")
    for norm in NORM_NAMES:
        yield Instance({"x": Vector("Real", norm, num(3))}, {"y": Fraction(-1, 2)})
        ball = Vector("Real", norm, num(4), radius=((norm, num(2)),))
        yield Instance({"x": box, "y": ball}, tight="unknown")
        boxed = Vector("Real", norm, num(2), num(-3), num(3))
        yield Instance({"x": boxed, "y": boxed}, tight="unknown")
        yield Instance({"x": Vector("Data", norm, num(4))}, {"y": Fraction(1, 2)})


def tight(instance: Instance, d: int, tol: Fraction) -> Witness | None:
    """A public factor: move by d.  Two factors: both leave their largest values by d."""
    if instance.tight == "unknown":
        return None
    if len(instance.private) == 1:
        return step_all(instance.private, d)
    corner = {"x": Fraction(-5), "y": Fraction(1000)}
    return corner, {"x": Fraction(-5 + d), "y": Fraction(1000)}
