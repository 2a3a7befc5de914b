"""Parts: the disjoint parts of a table, one per public key."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from metricdp.expr import Expr
from metricdp.spaces.base import Space
from metricdp.spaces.records import Records

if TYPE_CHECKING:
    from random import Random

    from metricdp.spaces.lengths import Length


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
        from metricdp.spaces.lengths import total

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
