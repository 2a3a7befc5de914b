"""Products whose distances add up: tuples, and the disjoint parts of a table."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

import msgspec

from metricdp.expr import Expr
from metricdp.spaces.base import Space
from metricdp.spaces.lengths import INFINITE, Length, total
from metricdp.spaces.norms import split
from metricdp.spaces.records import Records

if TYPE_CHECKING:
    from random import Random


class TupleSpace(Space, frozen=True):
    """A tuple of values; the distance is the sum of the components' distances.

    Attributes:
        parts: the spaces of the components; a `Public` component must not move.
    """

    parts: tuple[Space, ...]

    def __str__(self) -> str:
        return f"tuple[{', '.join(map(str, self.parts))}]"

    @property
    def unit(self) -> str:
        return "distance 1 in the sum over the components"

    def _facts(self) -> list[str]:
        return [
            f"component {i}: {'; '.join(facts)}"
            for i, part in enumerate(self.parts, 1)
            if (facts := part._facts())
        ]

    def named(self, parameter: str) -> Self:
        parts = tuple(part.named(f"{parameter}_{i}") for i, part in enumerate(self.parts))
        return msgspec.structs.replace(self, parts=parts)

    def contains(self, value: Any) -> bool:
        return (
            isinstance(value, tuple)
            and len(value) == len(self.parts)
            and all(part.contains(x) for part, x in zip(self.parts, value, strict=True))
        )

    def length(self, x: Any, y: Any) -> Length:
        if len(x) != len(self.parts) or len(y) != len(self.parts):
            return INFINITE
        return total(p.length(a, b) for p, a, b in zip(self.parts, x, y, strict=True))

    def sample(self, rng: Random, size_hint: int = 4) -> Any:
        return tuple(part.sample(rng, size_hint) for part in self.parts)

    def extremes(self) -> list[Any]:
        columns = [part.extremes() for part in self.parts]
        longest = max((len(column) for column in columns), default=0)
        return [tuple(c[i % len(c)] for c in columns) for i in range(longest)]

    def neighbours(self, x: Any, d: int | Fraction, rng: Random) -> Any:
        shares = split(d, len(self.parts), rng)
        return tuple(
            part.neighbours(value, share, rng) if share else value  # type: ignore[arg-type]
            for part, value, share in zip(self.parts, x, shares, strict=True)
        )

    def shrink(self, x: Any) -> Iterator[Any]:
        for i, part in enumerate(self.parts):
            for simpler in part.shrink(x[i]):
                yield (*x[:i], simpler, *x[i + 1 :])


class Parts(Space, frozen=True):
    """A tuple of tables; the distances of the tables add up.

    Attributes:
        part: space of each table, under a metric that adds and removes.
        size: the public number of tables.
    """

    part: Records
    size: Expr

    def __str__(self) -> str:
        return f"parts of {self.part}"

    @property
    def unit(self) -> str:
        return f"{self.part.unit} in one part"

    def contains(self, value: Any) -> bool:
        whole = isinstance(value, tuple) and len(value) == self.size.as_fraction()
        return whole and all(map(self.part.contains, value))

    def length(self, x: Any, y: Any) -> Length:
        return total(self.part.length(a, b) for a, b in zip(x, y, strict=True))

    def sample(self, rng: Random, size_hint: int = 4) -> Any:
        return tuple(self.part.sample(rng, size_hint) for _ in range(self._count()))

    def extremes(self) -> list[Any]:
        return [(value,) * self._count() for value in self.part.extremes()]

    def neighbours(self, x: Any, d: int, rng: Random) -> Any:
        moved = list(x)
        for _ in range(d if x else 0):
            i = rng.randrange(len(x))
            moved[i] = self.part.neighbours(moved[i], 1, rng)
        return tuple(moved)

    def shrink(self, x: Any) -> Iterator[Any]:
        for i, part in enumerate(x):
            for simpler in self.part.shrink(part):
                yield (*x[:i], simpler, *x[i + 1 :])

    def _count(self) -> int:
        return int(self.size.as_fraction() or 0)
