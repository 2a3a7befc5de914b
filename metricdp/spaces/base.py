"""The base of every space: a domain with a metric, abstract and concrete at once.

Sizes and bounds are public expressions.  With symbols a space is what the checker computes with;
after `at(...)` has put numbers in, it can sample, measure and shrink reference values: `Fraction`,
`int`, `bool`, `str`, lists, lists of lists, tuples.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

import msgspec

from metricdp.errors import SpaceError
from metricdp.expr import INF, Expr, num
from metricdp.spaces.lengths import Length
from metricdp.spaces.markers import is_marker

if TYPE_CHECKING:
    from random import Random

NEG_INF: Expr = -INF


class Space(msgspec.Struct, frozen=True):
    """A domain and a metric.  Concrete methods need numbers for every size and bound."""

    @property
    def unit(self) -> str:
        """The unit of privacy in words: what a distance of 1 means."""
        raise NotImplementedError

    def describe(self) -> str:
        """The annotation, followed by sizes and refinements in words."""
        facts = self._facts()
        return ", ".join([str(self), *facts])

    def _facts(self) -> list[str]:
        return []

    def named(self, parameter: str) -> Self:
        """Fill sizes that are not known with symbols derived from the parameter's name."""
        return self

    def refined(self, *refinements: Any) -> Space:
        """The space with the refinements of `typing.Annotated` applied, in order.

        Raises:
            SpaceError: a refinement that does not fit the space.
        """
        space: Space = self
        for refinement in refinements:
            space = _refined(space, refinement)
        return space

    def at(self, env: Mapping[str, int | Fraction]) -> Self:
        """The space with numbers for the public names in `env`."""
        return _substituted(self, {name: num(value) for name, value in env.items()})

    def contains(self, value: Any) -> bool:
        """Whether a reference value belongs to the domain."""
        raise NotImplementedError

    def row_key(self, value: Any) -> Hashable:
        """A hashable form of a value of one row: equal where a program cannot tell values apart."""
        raise NotImplementedError

    def length(self, x: Any, y: Any) -> Length:
        """The exact distance of two values, as a rational plus square roots of rationals."""
        raise NotImplementedError

    def distance(self, x: Any, y: Any) -> Expr:
        """The exact distance of two values, in [0, oo]."""
        return self.length(x, y).expr()

    def distance_float(self, x: Any, y: Any) -> float:
        """The distance as a double, not rounded outward: for search, not for proofs."""
        return float(self.length(x, y))

    def sample(self, rng: Random, size_hint: int = 4) -> Any:
        """A value of the domain; sizes that are not known are drawn up to `size_hint`."""
        raise NotImplementedError

    def extremes(self) -> list[Any]:
        """A few values at the edges of the domain."""
        raise NotImplementedError

    def neighbours(self, x: Any, d: int, rng: Random) -> Any:
        """A random value of the domain at distance at most `d` from `x`, mostly exactly `d`."""
        raise NotImplementedError

    def shrink(self, x: Any) -> Iterator[Any]:
        """Simpler values of the domain: shorter, smaller, rounder."""
        raise NotImplementedError


class Refinement:
    """A fact about the values of a space, as it rides in `typing.Annotated`.

    Attributes:
        bare: the class itself may be written, without parentheses.
    """

    __slots__ = ()
    bare: ClassVar[bool] = False

    def apply(self, space: Any) -> Space | None:
        """The refined space, or None if the refinement does not fit."""
        raise NotImplementedError


def _refined(space: Space, refinement: Any) -> Space:
    """One refinement applied; anything that is no refinement of ours is left to its owner."""
    if isinstance(refinement, type) and issubclass(refinement, Refinement) and refinement.bare:
        refinement = refinement()
    if isinstance(refinement, type) and issubclass(refinement, Refinement):
        raise SpaceError(
            f"{refinement.__name__} without its arguments",
            remedy=f"write them in parentheses: help(dp.{refinement.__name__}) says which",
        )
    if is_marker(refinement):
        raise SpaceError(
            f"{refinement.name} is no refinement: elements and metrics stand in the brackets of "
            "the space",
            remedy=f"write {refinement.example()}",
        )
    if not isinstance(refinement, Refinement):
        return space
    refined = refinement.apply(space)
    if refined is None:
        raise SpaceError(
            f"{refinement!r} does not fit {space}",
            remedy="bound entries with Bounds, rows with RowBound, public sizes with Size",
        )
    return refined


S = TypeVar("S", bound=Space)


def _substituted(space: S, numbers: Mapping[str, Expr]) -> S:
    """The space with every expression in it evaluated as far as the numbers allow."""
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


#: Fields of spaces that count something.
_SIZES = frozenset(("size", "rows", "cols"))


def symbols_of(space: Any, sizes: bool = False) -> set[str]:
    """Free public names of a space and of the spaces inside it; none for anything else.

    Args:
        sizes: only those in numbers of entries, rows and columns, which are integers.
    """
    found: set[str] = set()
    for field in getattr(space, "__struct_fields__", ()):
        value = getattr(space, field)
        for item in value if isinstance(value, tuple) else (value,):
            for part in item if isinstance(item, tuple) else (item,):
                if isinstance(part, Expr):
                    found |= part.symbols if field in _SIZES or not sizes else set()
                elif isinstance(part, Space):
                    found |= symbols_of(part, sizes)
    return found
