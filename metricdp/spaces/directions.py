"""Vectors of scores that all rise or all fall together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from metricdp.spaces.base import Space
from metricdp.spaces.lengths import Length
from metricdp.spaces.vectors import Vector

if TYPE_CHECKING:
    from fractions import Fraction
    from random import Random


class OneDirection(Space, frozen=True):
    """The vectors of `inner`, where those of which one entry rises and another falls are at
    distance oo.

    A space of its own, and no vector: a rule that keeps vectors need not keep directions.
    """

    inner: Vector

    def __str__(self) -> str:
        return f"OneDirection[{self.inner}]"

    @property
    def unit(self) -> str:
        return f"{self.inner.unit}, all entries in one direction"

    def _facts(self) -> list[str]:
        return self.inner._facts()

    def contains(self, value: Any) -> bool:
        return self.inner.contains(value)

    def length(self, x: Any, y: Any) -> Length:
        if len(x) == len(y):
            moves = [b - a for a, b in zip(x, y, strict=True)]
            if any(m > 0 for m in moves) and any(m < 0 for m in moves):
                return Length(infinite=True)
        return self.inner.length(x, y)

    def sample(self, rng: Random, size_hint: int = 4) -> Any:
        return self.inner.sample(rng, size_hint)

    def extremes(self) -> list[Any]:
        return self.inner.extremes()

    def neighbours(self, x: Any, d: int | Fraction, rng: Random) -> Any:
        sign = rng.choice((-1, 1))
        moved = self.inner.neighbours(x, d, rng)
        return [a + sign * abs(b - a) for a, b in zip(x, moved, strict=True)]

    def shrink(self, x: Any) -> Iterator[Any]:
        return self.inner.shrink(x)
