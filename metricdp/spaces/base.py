"""The base of every space: a domain with a metric, abstract and concrete at once.

Sizes and bounds are public expressions.  With symbols a space is what the checker computes with;
after `at(...)` has put numbers in, it can sample, measure and shrink reference values: `Fraction`,
`int`, `bool`, `str`, lists, lists of lists, tuples.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

import msgspec

from metricdp.expr import INF, Expr

if TYPE_CHECKING:
    from random import Random

    from metricdp.spaces.lengths import Length

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
        from metricdp.spaces.refinements import refine

        space: Space = self
        for refinement in refinements:
            space = refine(space, refinement)
        return space

    def at(self, env: Mapping[str, int | Fraction]) -> Self:
        """The space with numbers for the public names in `env`."""
        from metricdp.spaces.substitution import substitute

        return substitute(self, env)

    def contains(self, value: Any) -> bool:
        """Whether a reference value belongs to the domain."""
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
