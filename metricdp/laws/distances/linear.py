"""Piecewise-linear functions given by their knots, in rationals."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from fractions import Fraction

Knot = tuple[Fraction, Fraction]


def interpolated(knots: Sequence[Knot], x: Fraction) -> Fraction:
    """Value at x, from the first knot on; constant after the last."""
    i = bisect_right(knots, x, key=lambda knot: knot[0])
    if i == len(knots):
        return knots[-1][1]
    (a, u), (b, v) = knots[i - 1], knots[i]
    return u + (v - u) * (x - a) / (b - a)


def crossings(f: Sequence[Knot], g: Sequence[Knot]) -> list[Fraction]:
    """All knots of both functions, and the points between where one crosses the other."""
    at = sorted({x for x, _ in (*f, *g)})
    gaps = [interpolated(f, x) - interpolated(g, x) for x in at]
    found = list(at)
    for a, b, left, right in zip(at, at[1:], gaps, gaps[1:], strict=False):
        if left * right < 0:
            found.append(a + (b - a) * left / (left - right))
    return sorted(found)


def bent(knots: Iterable[Knot]) -> tuple[Knot, ...]:
    """The same function without the knots where its slope does not change."""
    kept: list[Knot] = []
    for x, y in knots:
        while len(kept) > 1:
            (a, u), (b, v) = kept[-2:]
            if (v - u) * (x - b) != (y - v) * (b - a):
                break
            kept.pop()
        kept.append((x, y))
    # The function is constant after its last knot.
    while len(kept) > 1 and kept[-1][1] == kept[-2][1]:
        kept.pop()
    return tuple(kept)
