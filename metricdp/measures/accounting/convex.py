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


def corners(points: Sequence[Point], at: int) -> list[tuple[Fraction, Fraction]]:
    """Where a lower bound of f on [x_at, x_(at+1)] has its ends and its corner, as (x, y).

    f is above the extensions of its chords: of the one on the left, with the slope from the high
    value before to the low value here, and of the one on the right.  The bound is the larger of the
    two lines, or the one that there is: linear but for a corner where they cross.
    """
    left, right = points[at], points[at + 1]
    lines = []
    if at > 0:
        before = points[at - 1]
        lines.append((left, (left.low - before.high) / (left.x - before.x)))
    if at + 2 < len(points):
        after = points[at + 2]
        lines.append((right, (after.high - right.low) / (after.x - right.x)))
    places = [left.x, right.x]
    if len(lines) == 2 and lines[0][1] != lines[1][1]:
        (p, s), (q, t) = lines
        # s (x - p.x) + p.low = t (x - q.x) + q.low
        cross = (p.low - q.low + t * q.x - s * p.x) / (t - s)
        if left.x < cross < right.x:
            places.append(cross)
    return [(x, max(p.low + slope * (x - p.x) for p, slope in lines)) for x in places]


def minimum(points: Sequence[Point]) -> tuple[Fraction, Fraction]:
    """Bounds of the least value of f >= 0 on [0, oo), from three or more increasing points.

    The first is 0, or the first two must show that f falls; the last two must show that it grows.
    Else the lower bound is only that of f >= 0.
    """
    high = min(p.high for p in points)
    falls = not points[0].x or points[0].low >= points[1].high
    if not falls or points[-1].low < points[-2].high:
        return Fraction(0), high
    low = min(y for at in range(len(points) - 1) for _, y in corners(points, at))
    return max(Fraction(0), min(low, high)), high
