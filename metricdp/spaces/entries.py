"""Lists of entries: membership, length, samples, extremes and simplifications."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import TYPE_CHECKING, Any

from metricdp.errors import SpaceError
from metricdp.spaces.cells import (
    cell_contains,
    cell_distance,
    cell_extremes,
    nearest_zero,
    sample_cell,
    shrink_cell,
    zeroed,
)
from metricdp.spaces.lengths import INFINITE, Length, rational, root_of
from metricdp.spaces.substitution import bound_value, size_value

if TYPE_CHECKING:
    from random import Random

    from metricdp.expr import Expr
    from metricdp.spaces.vectors import Entries


def norm_length(norm: str, distances: Iterable[Fraction]) -> Length:
    """The L1, L2 or LInf norm of nonnegative numbers."""
    if norm == "L1":
        return rational(sum(distances, Fraction(0)))
    if norm == "L2":
        return root_of(sum((x * x for x in distances), Fraction(0)))
    return rational(max(distances, default=Fraction(0)))


def in_ball(space: Entries, value: Sequence[Any]) -> bool:
    """Whether the R norms respect every radius."""
    for norm, bound in space.radius:
        if (c := bound_value(bound, True)) is None:
            continue
        length = norm_length(norm, [abs(Fraction(x)) for x in value])
        if not length.at_most(c) and not _same_root(length, bound):
            return False
    return True


def _same_root(length: Length, bound: Expr) -> bool:
    """An irrational bound is rounded down where it is compared; a value may still attain it."""
    return bound.as_fraction() is None and not length.infinite and length.expr() == bound


def contains_entries(space: Entries, value: Any) -> bool:
    """Whether the value is a list of the right size with entries and norms within bounds."""
    if not isinstance(value, (list, tuple)):
        return False
    size = size_value(space.size)
    if size is not None and len(value) != size:
        return False
    cell = space.entry
    if not all(cell_contains(cell, x) for x in value):
        return False
    if space.radius and not all(_finite(x) for x in value):
        return False
    return in_ball(space, value)


def _finite(x: Any) -> bool:
    return not isinstance(x, str) and x - x == 0


def entries_length(space: Entries, x: Sequence[Any], y: Sequence[Any]) -> Length:
    """The norm of the entries' distances; infinite for unequal lengths."""
    if len(x) != len(y):
        return INFINITE
    cell = space.entry
    return norm_length(space.norm, [cell_distance(cell, a, b) for a, b in zip(x, y, strict=True)])


def floor_quotient(c: Fraction, square: Fraction) -> Fraction:
    """A rational just below c / sqrt(square)."""
    scale = 2**48
    return Fraction(isqrt(int(c * c / square * scale * scale)), scale)


def pull_in(space: Entries, x: list[Any]) -> list[Any]:
    """A point of the domain between `x` and the point of the box nearest to zero."""
    if in_ball(space, x):
        return x
    base = [nearest_zero(space.entry)] * len(x)
    if not in_ball(space, base):
        raise SpaceError(
            f"no value of {space.describe()} exists", remedy="widen the bounds or the radius"
        )
    factor = Fraction(1)
    if not any(base):
        for norm, bound in space.radius:
            c = bound_value(bound, True)
            if c is None or not any(x):
                continue
            length = norm_length(norm, [abs(Fraction(v)) for v in x])
            ratio = floor_quotient(c, length.radicands[0]) if length.radicands else c / length.whole
            factor = min(factor, ratio)
    while True:
        y = [_between(space, b, v, factor) for b, v in zip(base, x, strict=True)]
        if in_ball(space, y):
            return y
        factor = factor / 2 if factor > Fraction(1, 2**30) else Fraction(0)


def _between(space: Entries, base: Any, value: Any, factor: Fraction) -> Any:
    moved = base + factor * (Fraction(value) - base)
    if space.element == "Bool":
        return bool(int(moved))
    return base + int(moved - base) if space.element == "Int" else moved


def draw_size(space: Entries, rng: Random, size_hint: int) -> int:
    """The concrete size, or a random one up to the hint."""
    size = size_value(space.size)
    return rng.randint(0, size_hint) if size is None else size


def sample_entries(space: Entries, rng: Random, size_hint: int) -> list[Any]:
    """A list: independent entries, one repeated entry, or a single entry away from zero."""
    n = draw_size(space, rng, size_hint)
    cell = space.entry
    style = rng.random()
    if style < 0.15:
        x = [sample_cell(cell, rng)] * n
    elif style < 0.3:
        x = [nearest_zero(cell)] * n
        if n:
            x[rng.randrange(n)] = sample_cell(cell, rng)
    elif style < 0.45 and (edge := [e for e in extreme_entries(space) if len(e) == n]):
        x = list(rng.choice(edge))
    else:
        x = [sample_cell(cell, rng) for _ in range(n)]
    return pull_in(space, x)


def extreme_entries(space: Entries) -> list[list[Any]]:
    """Corners of the box and of the balls, and the empty list where the size is free."""
    return [list(corner) for corner in _corners(space)]


@lru_cache(maxsize=256)
def _corners(space: Entries) -> tuple[tuple[Any, ...], ...]:
    size = size_value(space.size)
    n = 2 if size is None else size
    cell = space.entry
    ends = cell_extremes(cell)
    found = [[end] * n for end in ends]
    if n:
        found += [[ends[i % 2 - 2] for i in range(n)], [ends[-1], *[ends[0]] * (n - 1)]]
        for norm, bound in space.radius:
            if (c := bound_value(bound, True)) is not None:
                found += _ball_points(norm, c, n)
    if size is None:
        found.append([])
    if space.element == "Int":
        found = [[int(v) for v in x] for x in found]
    elif space.element == "Bool":
        found = [[bool(int(v)) for v in x] for x in found]
    unique: list[list[Any]] = []
    for x in found:
        if x not in unique and contains_entries(space, x):
            unique.append(x)
    return tuple(map(tuple, unique))


def _ball_points(norm: str, c: Fraction, n: int) -> list[list[Any]]:
    zero = Fraction(0)
    points = [[c, *[zero] * (n - 1)], [-c, *[zero] * (n - 1)], [*[zero] * (n - 1), c]]
    if norm == "LInf":
        points += [[c] * n, [-c] * n, [c if i % 2 else -c for i in range(n)]]
    elif norm == "L1":
        points += [[c / n] * n, [-c / n] * n]
    elif n >= 2:
        points.append([c * 3 / 5, c * 4 / 5, *[zero] * (n - 2)])
        side = floor_quotient(c, Fraction(n))
        points += [[side] * n, [-side] * n]
    return points


def shrink_entries(space: Entries, x: Sequence[Any]) -> Iterator[list[Any]]:
    """Fewer entries where the size is free; all zero; then one simpler entry at a time."""
    x = list(x)
    candidates: list[list[Any]] = []
    if size_value(space.size) is None:
        candidates += [x[: len(x) // 2], *(x[:i] + x[i + 1 :] for i in range(len(x)))]
    candidates.append([zeroed(space.entry, value) for value in x])
    for i, value in enumerate(x):
        candidates += [
            [*x[:i], simpler, *x[i + 1 :]] for simpler in shrink_cell(space.entry, value)
        ]
    for y in candidates:
        if y != x and contains_entries(space, y):
            yield y
