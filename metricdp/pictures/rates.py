"""Where a curve is computed, so that the straight lines between its points do not belie it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import inf, log10
from typing import TypeVar

#: What is computed at a point; the second argument reads a float from it.
Found = TypeVar("Found")

#: Largest fall of delta between two points, in decades; closer points than the part of the range
#: that follows cannot be told apart on paper.
_DECADES, _NEAR = 0.5, 1 / 1024
#: Largest distance of a chord from a convex curve of rates in [0, 1].
_GAP = 0.005
#: Rounds of halving, each at most doubling the points.
_ROUNDS = 6

Points = dict[float, Found]


def falling(
    at: Callable[[float], Found], read: Callable[[Found], float], starts: Sequence[float]
) -> Points[Found]:
    """Points of a decreasing curve on a logarithmic scale, close where it falls steeply.

    A pure mechanism has delta 0 from its epsilon on: the chord to that end would show a delta that
    is too small by orders of magnitude.
    """

    def steep(xs: list[float], ys: list[float], i: int) -> bool:
        high, low = ys[i], ys[i + 1]
        fall = (log10(high) - log10(low) if low > 0 else inf) if high > 0 else 0.0
        return xs[i + 1] - xs[i] > _NEAR * xs[-1] and fall > _DECADES

    return _halved(at, read, starts, steep)


def convex(
    at: Callable[[float], Found], read: Callable[[Found], float], starts: Sequence[float]
) -> Points[Found]:
    """Points of a convex curve, close at its corners.

    A chord lies above the curve, which would promise too many mistakes of an attacker: between two
    points the curve is above the lines through the next points on either side.
    """

    def high(xs: list[float], ys: list[float], i: int) -> bool:
        if i == 0 or i + 2 >= len(xs):
            return False
        left, chord, right = ((ys[j + 1] - ys[j]) / (xs[j + 1] - xs[j]) for j in (i - 1, i, i + 1))
        if right <= left:
            return False
        corner = (ys[i + 1] - ys[i] + left * xs[i] - right * xs[i + 1]) / (left - right)
        return (chord - left) * (corner - xs[i]) > _GAP

    return _halved(at, read, starts, high)


def _halved(
    at: Callable[[float], Found],
    read: Callable[[Found], float],
    starts: Sequence[float],
    wanted: Callable[[list[float], list[float], int], bool],
) -> Points[Found]:
    points = {x: at(x) for x in starts}
    for _ in range(_ROUNDS):
        xs = sorted(points)
        ys = [read(points[x]) for x in xs]
        middles = [(xs[i] + xs[i + 1]) / 2 for i in range(len(xs) - 1) if wanted(xs, ys, i)]
        if not middles:
            break
        points.update((x, at(x)) for x in middles)
    return {x: points[x] for x in sorted(points)}
