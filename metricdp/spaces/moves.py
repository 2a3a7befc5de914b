"""Moves of lists of entries: neighbours at a given distance, exactly where that is possible."""

from __future__ import annotations

from fractions import Fraction
from math import floor, isqrt
from typing import TYPE_CHECKING, Any

from metricdp.spaces.cells import cell_contains, nearest_zero, other_cell
from metricdp.spaces.entries import (
    contains_entries,
    extreme_entries,
    floor_quotient,
    norm_length,
    sample_entries,
)

if TYPE_CHECKING:
    from random import Random

    from metricdp.spaces.vectors import Entries

Number = int | Fraction
#: Integer vectors with a rational Euclidean norm: (vector, norm).
_PYTHAGOREAN = (((3, 4), 5), ((5, 12), 13), ((1, 2, 2), 3), ((2, 3, 6), 7), ((1, 1, 1, 1), 2))


def split(d: Number, n: int, rng: Random, *, whole: bool = False) -> list[Number]:
    """Random nonnegative shares with sum `d`; integers if `whole` or in some draws."""
    shares: list[Number] = [0] * n
    style = rng.random()
    if n == 0 or d <= 0:
        return shares
    if style < 0.4:
        shares[rng.randrange(n)] = d
    elif style < 0.7 or whole:
        for _ in range(floor(d)):
            shares[rng.randrange(n)] += 1
        if not whole:
            shares[rng.randrange(n)] += d - floor(d)
    elif style < 0.85:
        shares = [Fraction(d) / n] * n
    else:
        weights = [rng.randint(0, 8) for _ in range(n)]
        weights[rng.randrange(n)] += 1
        shares = [Fraction(d) * weight / sum(weights) for weight in weights]
    return shares


def move_entries(space: Entries, x: list[Any], d: Number, rng: Random) -> list[Any]:
    """A list of the domain at distance at most `d`, mostly exactly `d`."""
    x = list(x)
    if not x or d <= 0:
        return x
    if space.element in ("Data", "Bool"):
        return _replaced(space, x, d, rng)
    whole = space.element == "Int"
    for _ in range(8):
        y = _shifted(space, x, _displacement(space.norm, len(x), d, whole, rng), rng)
        if contains_entries(space, y) and y != x:
            return y
    return _stepped(space, x, d, rng) if whole else _toward(space, x, Fraction(d), rng)


def _displacement(norm: str, n: int, d: Number, whole: bool, rng: Random) -> list[Number]:
    """Nonnegative moves of the entries whose norm is `d`, or just below it."""
    if whole:
        d = floor(d)
    if norm == "L1":
        return split(d, n, rng, whole=whole)
    if norm == "LInf":
        if rng.random() < 0.5:
            return [d] * n
        parts = [rng.choice((0, d, d if whole else Fraction(d) / 2)) for _ in range(n)]
        parts[rng.randrange(n)] = d
        return parts
    return _whole_direction(n, int(d), rng) if whole else _direction(n, Fraction(d), rng)


def _direction(n: int, d: Fraction, rng: Random) -> list[Number]:
    """A rational vector of Euclidean norm `d`, or just below it when it is spread evenly."""
    style = rng.random()
    if n == 1 or style < 0.3:
        return _placed([d], n, rng)
    if style < 0.55:
        vector, norm = rng.choice([p for p in _PYTHAGOREAN if len(p[0]) <= n])
        return _placed([d * v / norm for v in vector], n, rng)
    if style < 0.75:
        square = isqrt(n) ** 2 == n
        return [d / isqrt(n) if square else floor_quotient(d, Fraction(n))] * n
    # The inverse stereographic projection of a rational point is a rational unit vector.
    point = [Fraction(rng.randint(0, 4), rng.choice((1, 2, 4))) for _ in range(n - 1)]
    square_sum = sum((t * t for t in point), Fraction(0))
    last = abs(square_sum - 1) / (square_sum + 1)
    return [d * v for v in (*(2 * t / (square_sum + 1) for t in point), last)]


def _whole_direction(n: int, d: int, rng: Random) -> list[Number]:
    """An integer vector of Euclidean norm at most `d`: one entry, or a random filling."""
    if rng.random() < 0.4:
        return _placed([d], n, rng)
    vector: list[int] = [0] * n
    budget = d * d
    for i in rng.sample(range(n), n):
        vector[i] = rng.randint(0, min(2, isqrt(budget)))
        budget -= vector[i] ** 2
    i = rng.randrange(n)
    vector[i] = isqrt(budget + vector[i] ** 2)
    return list(vector)


def _placed(values: list[Any], n: int, rng: Random) -> list[Number]:
    result: list[Number] = [0] * n
    for i, value in zip(rng.sample(range(n), len(values)), values, strict=True):
        result[i] = value
    return result


def _shifted(space: Entries, x: list[Any], move: list[Number], rng: Random) -> list[Any]:
    """Each entry moved up or down; the other way, or to the bound, where it would leave the box."""
    cell = space.entry
    together = rng.choice((1, -1)) if rng.random() < 0.5 else 0
    result = []
    for value, step in zip(x, move, strict=True):
        sign = together or rng.choice((1, -1))
        options = [value + sign * step, value - sign * step, value]
        result.append(next(y for y in options if y == value or cell_contains(cell, y)))
    return result


def _stepped(space: Entries, x: list[Any], d: Number, rng: Random) -> list[Any]:
    """Single steps of 1 in random coordinates, as long as domain and distance allow."""
    y = list(x)
    for _ in range(4 * floor(d)):
        z = list(y)
        z[rng.randrange(len(z))] += rng.choice((1, -1))
        if contains_entries(space, z) and space.length(x, z).at_most(d):
            y = z
    return y


def _toward(space: Entries, x: list[Any], d: Fraction, rng: Random) -> list[Any]:
    """A point on the segment to another point of the domain, which is convex."""
    corners = [e for e in extreme_entries(space) if len(e) == len(x)]
    for _ in range(4):
        if corners and rng.random() < 0.6:
            target = rng.choice(corners)
        else:
            target = sample_entries(space, rng, len(x))
        if len(target) != len(x) or target == x:
            continue
        gaps = [abs(Fraction(b) - Fraction(a)) for a, b in zip(x, target, strict=True)]
        length = norm_length(space.norm, gaps)
        if length.at_most(d):
            return list(target)
        share = floor_quotient(d, length.radicands[0]) if length.radicands else d / length.whole
        return [a + share * (Fraction(b) - a) for a, b in zip(x, target, strict=True)]
    return x


def _replaced(space: Entries, x: list[Any], d: Number, rng: Random) -> list[Any]:
    """As many entries replaced as the discrete norm allows."""
    if d < 1:
        return x
    if space.norm == "LInf" and rng.random() < 0.6:
        corners = [e for e in extreme_entries(space) if len(e) == len(x)]
        if corners and rng.random() < 0.6:
            return list(rng.choice(corners))
        y = sample_entries(space, rng, len(x))
        if len(y) == len(x):
            return y
    changes = {"L1": floor(d), "L2": floor(Fraction(d) ** 2), "LInf": len(x)}[space.norm]
    y = list(x)
    for i in rng.sample(range(len(x)), min(changes, len(x))):
        old = y[i]
        options = [other_cell(space.entry, old, rng), nearest_zero(space.entry)]
        if not isinstance(old, (str, bool)):
            options[1:1] = [-old, old + 1, Fraction(old) / 2]
        for option in options:
            y[i] = option
            if option != old and contains_entries(space, y):
                break
            y[i] = old
    return y
