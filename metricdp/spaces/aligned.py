"""Aligned containers: the joint row metric, samples, moves, simplifications."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.expr import num
from metricdp.spaces.base import Space
from metricdp.spaces.cells import canonical, other_cell
from metricdp.spaces.lengths import INFINITE, Length, rational
from metricdp.spaces.matrices import Matrix
from metricdp.spaces.records import Records
from metricdp.spaces.substitution import size_value
from metricdp.spaces.tables import record_key
from metricdp.spaces.vectors import Vector

if TYPE_CHECKING:
    from random import Random

    from metricdp.spaces.products import Aligned


def aligned_length(space: Aligned, x: Sequence[Any], y: Sequence[Any]) -> Length:
    """The number of rows in which some container differs; infinite for unequal shapes."""
    differing: set[int] = set()
    for part, a, b in zip(space.parts, x, y, strict=True):
        if len(a) != len(b):
            return INFINITE
        for i, (u, v) in enumerate(zip(a, b, strict=True)):
            if isinstance(part, Matrix) and len(u) != len(v):
                return INFINITE
            if _key(part, u) != _key(part, v):
                differing.add(i)
    return rational(len(differing))


def _key(part: Space, row: Any) -> Hashable:
    if isinstance(part, Matrix):
        return tuple(canonical(value) for value in row)
    return record_key(part, row) if isinstance(part, Records) else canonical(row)


def _with_rows(part: Space, rows: int) -> Any:
    field = "rows" if isinstance(part, Matrix) else "size"
    return msgspec.structs.replace(part, **{field: num(rows)})


def sample_aligned(space: Aligned, rng: Random, size_hint: int) -> tuple[Any, ...]:
    """Containers with one row count, sampled on their own."""
    rows = size_value(space.rows)
    r = rng.randint(0, size_hint) if rows is None else rows
    return tuple(_with_rows(part, r).sample(rng, size_hint) for part in space.parts)


def extreme_aligned(space: Aligned) -> list[tuple[Any, ...]]:
    """Extremes of the containers side by side."""
    rows = size_value(space.rows)
    columns = [_with_rows(part, 2 if rows is None else rows).extremes() for part in space.parts]
    longest = max((len(column) for column in columns), default=0)
    return [tuple(c[i % len(c)] for c in columns) for i in range(longest)]


def move_aligned(space: Aligned, x: Sequence[Any], d: int, rng: Random) -> tuple[Any, ...]:
    """`d` rows replaced, each in some of the containers or in all of them."""
    columns = [list(column) for column in x]
    rows = len(columns[0]) if columns else 0
    for i in rng.sample(range(rows), min(int(d), rows)):
        chosen = [j for j in range(len(columns)) if rng.random() < 0.7]
        for j in chosen or [rng.randrange(len(columns))]:
            old = columns[j][i]
            columns[j][i] = _other_row(space.parts[j], old, rng)
            if not space.parts[j].contains(columns[j]):
                columns[j][i] = old
    return tuple(columns)


def _other_row(part: Space, row: Any, rng: Random) -> Any:
    if isinstance(part, Vector):
        return other_cell(part.entry, row, rng)
    if isinstance(part, Records):
        return part.row.neighbours(row, 1, rng)
    assert isinstance(part, Matrix)
    row_space = msgspec.structs.replace(part.row, size=num(len(row)))
    edges = row_space.extremes()
    return list(rng.choice(edges)) if rng.random() < 0.5 else row_space.sample(rng)


def shrink_aligned(space: Aligned, x: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """One row fewer everywhere where the count is free, then one simpler container."""
    rows = len(x[0]) if x else 0
    if size_value(space.rows) is None:
        for i in range(rows):
            y = tuple([*column[:i], *column[i + 1 :]] for column in x)
            if space.contains(y):
                yield y
    for j, part in enumerate(space.parts):
        for simpler in _with_rows(part, rows).shrink(x[j]):
            yield (*x[:j], simpler, *x[j + 1 :])
