"""States of a loop: their spaces, their movements, and the tuples that they are parts of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from metricdp.check.domain.privacy import PrivacyDomain
from metricdp.check.loops.plans import LoopPlan, LoopRows
from metricdp.check.values.forms import (
    Form,
    Source,
    all_norms,
    combine,
    moved,
    norms_of,
    own_norm,
)
from metricdp.check.values.objects import Obj, TupleValue, Value
from metricdp.expr import INF, ONE, Expr, best
from metricdp.primitives._common import add_ranges, scale_range
from metricdp.spaces import NEG_INF, Records, Scalar, Space
from metricdp.spaces.joining import fits

#: The public sizes of a container.
AXES = ("size", "rows", "cols")
#: source -> norm -> movement.
Known = dict[Source, dict[str, Expr]]


def widened(space: Space) -> Space:
    """The space without the facts that a round may break."""
    if isinstance(space, Scalar):
        return Scalar(space.element, kind=space.kind)
    if hasattr(space, "radius"):
        return msgspec.structs.replace(space, lo=NEG_INF, hi=INF, radius=())
    return space


def keeps(begin: Space, after: Space) -> bool:
    """Whether a round keeps what a table, or what is made of one, was before the loop.

    The round was read with the metric and with the facts about rows that hold before it.
    """
    return after == begin or (isinstance(begin, Records) and fits(after, begin))


def is_constant(value: Value) -> bool:
    """Whether nothing private is in a value that is treated as private."""
    return value.form is not None and not value.form.terms


def total_movement(space: Space, parts: list[Known]) -> Known:
    """Sum of movements, each completed to every norm first."""
    out: Known = {}
    for part in parts:
        for source, movement in part.items():
            if not movement:
                continue
            into = out.setdefault(source, {})
            for norm, bound in all_norms(space, movement).items():
                into[norm] = into[norm] + bound if norm in into else bound
    return out


def one_row(domain: PrivacyDomain, row: LoopRows, bound: Expr) -> dict[Source, Expr]:
    """`bound`, a map of one row's movement: no row moves further than its container."""
    held = domain.movement(row.single or row.value)
    if row.person is not None:
        return dict.fromkeys(held, bound)
    inner = getattr(row.value.space, "norm", "")
    return {s: moved(bound, m[inner]) if inner in m else INF for s, m in held.items()}


def named_state(begin: Mapping[str, Obj], name: str) -> Value:
    """The state of a name such as `pair[0]`."""
    stem, *positions = name.replace("]", "").split("[")
    value: Any = begin[stem]
    for position in positions:
        value = value.items[int(position)]
    assert isinstance(value, Value)
    return value


def rebuilt(name: str, value: Obj, values: Mapping[str, Value]) -> Obj:
    """The state with every part replaced by its value after the loop."""
    if isinstance(value, TupleValue):
        return msgspec.structs.replace(
            value,
            items=tuple(rebuilt(f"{name}[{i}]", v, values) for i, v in enumerate(value.items)),
        )
    if isinstance(value, Value) and value.private and value.form is None:
        return values[value.step]
    return value


def in_order(needs: Mapping[str, set[str]]) -> list[tuple[str, ...]]:
    """Names in order of dependence; names that need each other in a circle form one group."""
    order: list[tuple[str, ...]] = []
    left = dict(needs)
    while left:
        name = next((n for n, wanted in left.items() if not wanted & left.keys()), None)
        if name is not None:
            group = {name}
        else:
            reached = {n: _reached(n, left) for n in left}
            circles = ({m for m in reached[n] if n in reached[m]} for n in left)
            group = next(c for c in circles if c and all(left[n] & left.keys() <= c for n in c))
        order.append(tuple(n for n in left if n in group))
        for each in group:
            del left[each]
    return order


def _reached(name: str, needs: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    todo = [name]
    while todo:
        for other in needs[todo.pop()] & needs.keys():
            if other not in found:
                found.add(other)
                todo.append(other)
    return found


def ranged(
    domain: PrivacyDomain, plan: LoopPlan, space: Space, begin: Value, fresh: Value, after: Value
) -> Space:
    """A scalar that gains a bounded amount per round has a range after n rounds."""
    n = plan.count
    if not isinstance(space, Scalar) or n is None or fresh.form is None or after.form is None:
        return space
    if space.element == "Data":
        return space
    rest = combine([(after.form, ONE), (fresh.form, -ONE)])
    if any(term in rest.terms for term in fresh.form.terms):
        return space
    gained, held = domain.range(rest), domain.range(begin.form or Form(()))
    if gained is None or held is None or n.is_infinite:
        return space
    if any(plan.index in end.symbols for end in gained):
        return space
    lo, hi = add_ranges(held, scale_range(gained, n))
    return Scalar(space.element, lo, hi)


def through(space: Space, bound: Expr, movement: Mapping[str, Expr]) -> Expr:
    """`bound`, a map of a state's movement, after that movement; the best over its norms."""
    options = [
        moved(own_norm(bound, space, n), movement[n]) for n in norms_of(space) if n in movement
    ]
    return best(options) if options else INF
