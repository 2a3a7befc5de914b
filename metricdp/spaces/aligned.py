"""Aligned containers: row i of each of them is the same person, under the joint row metric."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any, Self

import msgspec

from metricdp.errors import SpaceError
from metricdp.expr import Expr, num
from metricdp.spaces.annotation import space_of
from metricdp.spaces.base import Space, size_value
from metricdp.spaces.lengths import INFINITE, Length, rational
from metricdp.spaces.matrices import Matrix
from metricdp.spaces.records import Records
from metricdp.spaces.vectors import Vector
from metricdp.spaces.words import size_symbol

if TYPE_CHECKING:
    from random import Random


class Aligned(Space, frozen=True):
    """Containers whose row i is the same person, `Aligned[A, B, ...]`.

    The distance is the number of rows in which some container differs (the joint row metric);
    unequal row counts are at distance oo.  The reference value is a tuple of containers.

    Attributes:
        parts: vectors, matrices, or records whose number is public; all with one row count.
    """

    parts: tuple[Space, ...]

    def __class_getitem__(cls, item: Any) -> Self:
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
        """The number of rows in which some container differs; infinite for unequal shapes."""
        differing: set[int] = set()
        for part, a, b in zip(self.parts, x, y, strict=True):
            if len(a) != len(b):
                return INFINITE
            for i, (u, v) in enumerate(zip(a, b, strict=True)):
                if isinstance(part, Matrix) and len(u) != len(v):
                    return INFINITE
                if _key(part, u) != _key(part, v):
                    differing.add(i)
        return rational(len(differing))

    def sample(self, rng: Random, size_hint: int = 4) -> Any:
        """Containers with one row count, sampled on their own."""
        rows = size_value(self.rows)
        r = rng.randint(0, size_hint) if rows is None else rows
        return tuple(_with_rows(part, r).sample(rng, size_hint) for part in self.parts)

    def extremes(self) -> list[Any]:
        """Extremes of the containers side by side."""
        rows = size_value(self.rows)
        columns = [_with_rows(part, 2 if rows is None else rows).extremes() for part in self.parts]
        longest = max((len(column) for column in columns), default=0)
        return [tuple(c[i % len(c)] for c in columns) for i in range(longest)]

    def neighbours(self, x: Any, d: int, rng: Random) -> Any:
        """`d` rows replaced, each in some of the containers or in all of them."""
        columns = [list(column) for column in x]
        rows = len(columns[0]) if columns else 0
        for i in rng.sample(range(rows), min(int(d), rows)):
            chosen = [j for j in range(len(columns)) if rng.random() < 0.7]
            for j in chosen or [rng.randrange(len(columns))]:
                old = columns[j][i]
                columns[j][i] = _other_row(self.parts[j], old, rng)
                if not self.parts[j].contains(columns[j]):
                    columns[j][i] = old
        return tuple(columns)

    def shrink(self, x: Any) -> Iterator[Any]:
        """One row fewer everywhere where the count is free, then one simpler container."""
        rows = len(x[0]) if x else 0
        if size_value(self.rows) is None:
            for i in range(rows):
                y = tuple([*column[:i], *column[i + 1 :]] for column in x)
                if self.contains(y):
                    yield y
        for j, part in enumerate(self.parts):
            for simpler in _with_rows(part, rows).shrink(x[j]):
                yield (*x[:j], simpler, *x[j + 1 :])


def _key(part: Space, row: Any) -> Hashable:
    if isinstance(part, Vector):
        return part.entry.row_key(row)
    assert isinstance(part, Matrix | Records)
    return part.row.row_key(row)


def _with_rows(part: Space, rows: int) -> Any:
    field = "rows" if isinstance(part, Matrix) else "size"
    return msgspec.structs.replace(part, **{field: num(rows)})


def _other_row(part: Space, row: Any, rng: Random) -> Any:
    if isinstance(part, Vector):
        return part.entry.other(row, rng)
    if isinstance(part, Records):
        return part.row.neighbours(row, 1, rng)
    assert isinstance(part, Matrix)
    row_space = msgspec.structs.replace(part.row, size=num(len(row)))
    edges = row_space.extremes()
    return list(rng.choice(edges)) if rng.random() < 0.5 else row_space.sample(rng)
