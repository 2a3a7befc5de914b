"""What values of a convex function at some points say between them and beyond."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import msgspec


class Point(msgspec.Struct, frozen=True):
    """low <= f(x) <= high."""

    x: Fraction
    low: Fraction
    high: Fraction


def least_between(points: Sequence[Point], at: int) -> tuple[Fraction, Fraction]:
    """(x, y): a lower bound of f on [x_at, x_(at+1)] is least there, and has the value y.

    f is above the extensions of its chords: of the one on the left, with the slope from the high
    value before to the low value here, and of the one on the right.  The larger of two lines is
    least where they cross.
    """
    left, right = points[at], points[at + 1]
    lines = []
    if at > 0:
        before = points[at - 1]
        lines.append((left, (left.low - before.high) / (left.x - before.x)))
    if at + 2 < len(points):
        after = points[at + 2]
        lines.append((right, (after.high - right.low) / (after.x - right.x)))
    ends = [left.x, right.x]
    if len(lines) == 2:
        (p, s), (q, t) = lines
        if s < t:
            # s (x - p.x) + p.low = t (x - q.x) + q.low
            cross = (p.low - q.low + t * q.x - s * p.x) / (t - s)
            if left.x < cross < right.x:
                ends.append(cross)
    return min(((x, _largest(lines, x)) for x in ends), key=lambda pair: pair[1])


def crossings(points: Sequence[Point], at: int) -> list[tuple[Fraction, Fraction]]:
    """The corners (x, y) of the lower bound of f on the interval, ends included."""
    left, right = points[at], points[at + 1]
    inner, _ = least_between(points, at)
    found = [(left.x, left.low), (right.x, right.low)]
    if left.x < inner < right.x:
        found.append((inner, least_between(points, at)[1]))
    return found


def _largest(lines: list[tuple[Point, Fraction]], x: Fraction) -> Fraction:
    return max((p.low + slope * (x - p.x) for p, slope in lines), default=Fraction(0))


def minimum(points: Sequence[Point]) -> tuple[Fraction, Fraction]:
    """Bounds of the least value of f on all of the line, from four or more increasing points.

    The first two must show that f falls and the last two that it grows, else the lower bound is
    only that of f >= 0.
    """
    high = min(p.high for p in points)
    if points[0].low < points[1].high or points[-1].low < points[-2].high:
        return Fraction(0), high
    low = min(least_between(points, at)[1] for at in range(len(points) - 1))
    return max(Fraction(0), min(low, high)), high
