"""Products: containers aligned by person, and tuples."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Self

import msgspec

from metricdp.errors import SpaceError
from metricdp.expr import Expr
from metricdp.spaces.base import Space
from metricdp.spaces.matrices import Matrix
from metricdp.spaces.records import Records
from metricdp.spaces.vectors import Vector

if TYPE_CHECKING:
    from random import Random

    from metricdp.spaces.lengths import Length


class Aligned(Space, frozen=True):
    """Containers whose row i is the same person, `Aligned[A, B, ...]`.

    The distance is the number of rows in which some container differs (the joint row metric);
    unequal row counts are at distance oo.  The reference value is a tuple of containers.

    Attributes:
        parts: vectors, matrices, or records whose number is public; all with one row count.
    """

    parts: tuple[Space, ...]

    def __class_getitem__(cls, item: Any) -> Self:
        from metricdp.spaces.annotation import space_of

        items = item if isinstance(item, tuple) else (item,)
        parts = tuple(space_of(part, "") for part in items)
        for part in parts:
            row_like = isinstance(part, (Vector, Matrix))
            if not (row_like or (isinstance(part, Records) and part.sized)):
                raise SpaceError(
                    f"{part} has no public row count, so it cannot be aligned",
                    remedy="align vectors, matrices, or Records[T, Hamming]",
                )
        return cls(tuple(part for part in parts if isinstance(part, Space)))

    def __str__(self) -> str:
        return f"Aligned[{', '.join(map(str, self.parts))}]"

    @property
    def unit(self) -> str:
        return "one row replaced"

    @property
    def rows(self) -> Expr | None:
        """The common row count, once it is known or named."""
        for part in self.parts:
            rows = part.rows if isinstance(part, Matrix) else getattr(part, "size", None)
            if rows is not None:
                return rows
        return None

    def _facts(self) -> list[str]:
        return [
            f"part {i}: {'; '.join(facts)}"
            for i, part in enumerate(self.parts, 1)
            if (facts := part._facts())
        ]

    def named(self, parameter: str) -> Self:
        from metricdp.spaces.words import size_symbol

        rows = self.rows if self.rows is not None else size_symbol("rows", parameter)
        parts: list[Space] = []
        for i, part in enumerate(self.parts):
            if isinstance(part, Matrix):
                part = msgspec.structs.replace(
                    part, rows=part.rows if part.rows is not None else rows
                )
                parts.append(part.named(f"{parameter}_{i}"))
            else:
                size = part.size if part.size is not None else rows  # type: ignore[attr-defined]
                parts.append(msgspec.structs.replace(part, size=size))
        return msgspec.structs.replace(self, parts=tuple(parts))

    def contains(self, value: Any) -> bool:
        return (
            isinstance(value, tuple)
            and len(value) == len(self.parts)
            and len({len(column) for column in value}) <= 1
            and all(part.contains(x) for part, x in zip(self.parts, value, strict=True))
        )

    def length(self, x: Any, y: Any) -> Length:
        from metricdp.spaces.aligned import aligned_length

        return aligned_length(self, x, y)

    def sample(self, rng: Random, size_hint: int = 4) -> Any:
        from metricdp.spaces.aligned import sample_aligned

        return sample_aligned(self, rng, size_hint)

    def extremes(self) -> list[Any]:
        from metricdp.spaces.aligned import extreme_aligned

        return extreme_aligned(self)

    def neighbours(self, x: Any, d: int, rng: Random) -> Any:
        from metricdp.spaces.aligned import move_aligned

        return move_aligned(self, x, d, rng)

    def shrink(self, x: Any) -> Iterator[Any]:
        from metricdp.spaces.aligned import shrink_aligned

        return shrink_aligned(self, x)


class Tuple(Space, frozen=True):
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
        from metricdp.spaces.lengths import INFINITE, total

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
        from metricdp.spaces.moves import split

        shares = split(d, len(self.parts), rng)
        return tuple(
            part.neighbours(value, share, rng) if share else value  # type: ignore[arg-type]
            for part, value, share in zip(self.parts, x, shares, strict=True)
        )

    def shrink(self, x: Any) -> Iterator[Any]:
        for i, part in enumerate(self.parts):
            for simpler in part.shrink(x[i]):
                yield (*x[:i], simpler, *x[i + 1 :])
