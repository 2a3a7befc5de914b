"""Matrices as lists of rows: membership, row-sum length, samples, moves, simplifications."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.expr import num
from metricdp.spaces.cells import zeroed
from metricdp.spaces.lengths import INFINITE, Length, total
from metricdp.spaces.moves import split
from metricdp.spaces.substitution import size_value

if TYPE_CHECKING:
    from random import Random

    from metricdp.spaces.matrices import Matrix


def contains_rows(space: Matrix, value: Any) -> bool:
    """Whether the value is a list of rows of one length, each within the bounds of a row."""
    if not isinstance(value, (list, tuple)):
        return False
    rows = size_value(space.rows)
    if rows is not None and len(value) != rows:
        return False
    if not all(isinstance(row, (list, tuple)) for row in value):
        return False
    row_space = space.row
    return len({len(row) for row in value}) <= 1 and all(map(row_space.contains, value))


def rows_length(space: Matrix, x: Sequence[Any], y: Sequence[Any]) -> Length:
    """The sum of the rows' lengths; infinite for different shapes."""
    if len(x) != len(y):
        return INFINITE
    row_space = space.row
    return total(row_space.length(a, b) for a, b in zip(x, y, strict=True))


def sample_rows(space: Matrix, rng: Random, size_hint: int) -> list[list[Any]]:
    """Independent rows, or one row repeated."""
    rows, cols = size_value(space.rows), size_value(space.cols)
    r = rng.randint(0, size_hint) if rows is None else rows
    c = rng.randint(1, max(1, size_hint)) if cols is None else cols
    row_space = msgspec.structs.replace(space.row, size=num(c))
    if rng.random() < 0.15:
        return [list(row) for row in [row_space.sample(rng)] * r]
    return [row_space.sample(rng) for _ in range(r)]


def extreme_rows(space: Matrix) -> list[list[list[Any]]]:
    """Every extreme row repeated, extreme rows in turn, and no rows where that is free."""
    rows = size_value(space.rows)
    r = 2 if rows is None else rows
    edges = [row for row in space.row.extremes() if row or size_value(space.cols) == 0]
    found = [[list(row) for _ in range(r)] for row in edges]
    if edges and r:
        found.append([list(edges[i % len(edges)]) for i in range(r)])
        found.append([list(edges[-1]), *[list(edges[0]) for _ in range(r - 1)]])
    return found if rows is not None else [*found, []]


def move_rows(space: Matrix, x: Sequence[Any], d: int | Fraction, rng: Random) -> list[list[Any]]:
    """A matrix of the domain at distance at most `d`: the distance is split over rows."""
    whole = space.element != "Real"
    row_space = space.row
    if whole and rng.random() < 0.5 and d >= 1 and x:
        chosen = set(rng.sample(range(len(x)), min(int(d), len(x))))
        shares: list[int | Fraction] = [int(i in chosen) for i in range(len(x))]
    else:
        shares = split(int(d) if whole else d, len(x), rng, whole=whole)
    return [
        row_space.neighbours(list(row), share, rng) if share else list(row)
        for row, share in zip(x, shares, strict=True)
    ]


def shrink_rows(space: Matrix, x: Sequence[Any]) -> Iterator[list[list[Any]]]:
    """Fewer rows and columns where these are free, rows of zeros, then simpler rows."""
    x = [list(row) for row in x]
    candidates: list[list[list[Any]]] = []
    if size_value(space.rows) is None and x:
        candidates += [x[: len(x) // 2], *(x[:i] + x[i + 1 :] for i in range(len(x)))]
    if size_value(space.cols) is None and x and len(x[0]) > 1:
        candidates += [[row[:j] + row[j + 1 :] for row in x] for j in range(len(x[0]))]
    for i, row in enumerate(x):
        simpler = [[zeroed(space.entry, value) for value in row], *space.row.shrink(row)]
        candidates += [[*x[:i], y, *x[i + 1 :]] for y in simpler if len(y) == len(row)]
    for y in candidates:
        if y != x and contains_rows(space, y):
            yield y
