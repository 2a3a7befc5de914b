"""Numbers for the public names of a space, and the exact values of its sizes and bounds."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeVar

import msgspec

from metricdp.errors import SpaceError
from metricdp.expr import INF, Expr, num
from metricdp.spaces.base import NEG_INF, Space

S = TypeVar("S", bound=Space)


def substitute(space: S, env: Mapping[str, int | Fraction]) -> S:
    """The space with every expression in it evaluated as far as `env` allows."""
    numbers = {name: num(value) for name, value in env.items()}
    changes = {}
    for field in space.__struct_fields__:
        old = getattr(space, field)
        new = _walk(old, numbers)
        if new is not old:
            changes[field] = new
    return msgspec.structs.replace(space, **changes) if changes else space


def _walk(item: Any, numbers: Mapping[str, Expr]) -> Any:
    if isinstance(item, Expr):
        return item.subs(numbers)
    if isinstance(item, tuple):
        return tuple(_walk(part, numbers) for part in item)
    if isinstance(item, Space):
        changes = {f: _walk(getattr(item, f), numbers) for f in item.__struct_fields__}
        return msgspec.structs.replace(item, **changes)
    return item


@lru_cache(maxsize=4096)
def bound_value(bound: Expr, upper: bool) -> Fraction | None:
    """The rational value of an upper or lower bound; None if it is infinite.

    An irrational bound is rounded into the domain, by less than 2**-200 of its size.

    Raises:
        SpaceError: a symbol is left.
    """
    if bound in (INF, NEG_INF):
        return None
    value = bound.as_fraction()
    if value is None and not bound.symbols:
        low, high = bound.enclose({}, 256)
        value = Fraction(low if upper else high)
    if value is None:
        raise SpaceError(
            f"{bound} has no number, so no value can be tested against it",
            remedy="give numbers to public names with space.at({name: value})",
        )
    return value


def size_value(size: Expr | None) -> int | None:
    """The concrete size; None if the space leaves it free or it is still a symbol.

    Raises:
        SpaceError: a constant that is no nonnegative integer.
    """
    if size is None:
        return None
    value = size.as_fraction()
    if value is None:
        return None
    if value < 0 or value.denominator != 1:
        raise SpaceError(f"{value} is no size", remedy="sizes are nonnegative integers")
    return int(value)
