"""The power of the best attack at a false-positive rate, from both sides.

The most powerful test of "the data are x'" against "the data are x" at level a has power
  inf over x > 0 of  a x + delta(ln x),
because P(E) <= x Q(E) + delta(ln x) for every event E and every x, with equality for E the
likelihood ratio test (Dong, Roth, Su 2022, Proposition 2.12; Wasserman and Zhou 2010).  The
function is convex in x and 1 at x = 0: any x bounds the power from above, and chords of some points
around the minimum bound it from below.

`corners` and `minimum`: what values of a convex function at some points say between them and
beyond.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import exp, sqrt

import msgspec

from metricdp.accounting.engines import Found, delta_nearby
from metricdp.accounting.rounded import exp_down, exp_up
from metricdp.measures.accounted import AccountedEvent, Relation
from metricdp.measures.answer import Answer
from metricdp.measures.queries import NOT_TIGHT, ONLY_CURVES, Ask, side_delta
from metricdp.measures.reading import Side, read

_GOLDEN = (sqrt(5) - 1) / 2
#: Accuracy of the place of the minimum.
_NEAR = 1e-6
#: Powers known less well than this are asked at more points.
_WIDE = Fraction(1, 10**6)
_ZERO, _ONE = Fraction(0), Fraction(1)
#: The minimum is searched for |epsilon| up to this.
_FARTHEST = 700.0


def power(event: AccountedEvent, which: Relation, rate: Fraction, checked: bool = True) -> Answer:
    """The largest true positive rate at a false-positive rate in [0, 1].

    The null hypothesis is the second data set of the relation: the one without the row for
    "remove".  For relations with two directions either may be the null.
    """
    reading = read(event, which)
    gap = reading.gap
    low, high = _ZERO, _ZERO
    engines: tuple[str, ...] = ()
    for side in reading.sides:
        # A cut of the sample moves both rates by at most the gap.
        first = _of_side(side, max(_ZERO, rate - gap), checked)
        second = first if not gap else _of_side(side, min(_ONE, rate + gap), checked)
        # A test without false positives on whole samples may have some on cut ones.
        reached = first[0] - gap if rate >= gap else _ZERO
        low, high = max(low, reached), max(high, min(_ONE, second[1] + gap))
        engines = tuple(dict.fromkeys((*engines, *first[2], *second[2])))
    notes = () if reading.exact else (NOT_TIGHT if reading.known else ONLY_CURVES,)
    at = f"false positive rate = {float(rate):.6g}"
    return Answer("true positive rate", max(low, rate), high, at, which, engines, notes=notes)


def _of_side(side: Side, rate: Fraction, check: bool) -> tuple[Fraction, Fraction, tuple[str, ...]]:
    """Bounds of the power in one direction."""
    if rate == 1:
        return _ONE, _ONE, ()
    if rate == 0:
        return *_at_zero(side), ()

    def value(e: float) -> float:
        """The function, about, at x = e^e."""
        return float(rate) * exp(e) + float(
            side_delta(side, Fraction(e), False, delta_nearby).upper
        )

    def at(e: float, ask: Ask | None, checked: bool = False) -> tuple[Point, Found]:
        """The function at a double e, or rather at a rational x just above e^e.

        There delta(ln x) is at most delta(e), and below it by at most ln x - e, since delta has
        slopes between -1 and 0.
        """
        exact = Fraction(e)
        near, x = exp_down(exact), exp_up(exact)
        found = side_delta(side, exact, checked, ask)
        low = max(_ZERO, found.lower - (x / near - 1))
        return Point(x, rate * x + low, rate * x + found.upper), found

    centre = _searched(value)
    best: tuple[Fraction, Fraction] = (_ZERO, _ONE)
    for step in (1e-3, 1e-5):
        points = [at(centre + k * step, delta_nearby)[0] for k in (-3, -1, 1, 3)]
        low, high = minimum(points)
        best = max(best[0], low), min(best[1], high)
    if best[1] - best[0] > _WIDE:
        # The least value is at an end, x = 0, where the function is 1; lines from far away show it.
        far = [at(max(centre, -2.0) + k, delta_nearby)[0] for k in (1, 2, 4)]
        low, high = minimum([Point(_ZERO, _ONE, _ONE), *points, *far])
        best = max(best[0], low), min(best[1], high)
    last, found = at(centre, None, check)
    return best[0], min(best[1], last.high), found.engines


def _at_zero(side: Side) -> tuple[Fraction, Fraction]:
    """The power of attacks without false positives: P(L = +oo)."""
    from metricdp.accounting.losses.loss import composed

    high = _ONE if side.upper is None else composed(side.upper).leak[1]
    return composed(side.lower).leak[0], high


def _searched(value: Callable[[float], float]) -> float:
    """The epsilon at which a function with one valley is near its least value."""
    known: dict[float, float] = {}

    def at(e: float) -> float:
        if e not in known:
            known[e] = value(e)
        return known[e]

    low = high = 0.0
    step = 0.25
    while abs(high) < _FARTHEST and at(high + step) < at(high):
        low, high, step = high, high + step, 2 * step
    if high:
        high += step
    else:
        step = 0.25
        while abs(low) < _FARTHEST and at(low - step) <= at(low):
            high, low, step = low, low - step, 2 * step
        low, high = low - step, (high if high else 0.25)
    _least(at, low, high)
    return min(known, key=at)


def _least(f: Callable[[float], float], low: float, high: float) -> None:
    """Ask f, with one valley in [low, high], until its least value is near.

    Brent (1973), chapter 5: parabolas through the three best points, golden sections where they
    do not narrow the interval.
    """
    best = second = third = low + (1 - _GOLDEN) * (high - low)
    step = before = 0.0
    for _ in range(80):
        middle, near = (low + high) / 2, _NEAR * max(1.0, abs(best))
        if abs(best - middle) <= 2 * near - (high - low) / 2:
            return
        top = bottom = 0.0
        if abs(before) > near:
            r = (best - second) * (f(best) - f(third))
            q = (best - third) * (f(best) - f(second))
            top = (best - third) * q - (best - second) * r
            bottom = 2 * (q - r)
            top, bottom = (-top, bottom) if bottom > 0 else (top, -bottom)
        if (
            bottom
            and abs(top) < abs(bottom * before / 2)
            and (low + 2 * near < best + top / bottom < high - 2 * near)
        ):
            before, step = step, top / bottom
        else:
            before = (high if best < middle else low) - best
            step = (1 - _GOLDEN) * before
        x = best + (step if abs(step) >= near else near if step > 0 else -near)
        if f(x) <= f(best):
            low, high = (best, high) if x >= best else (low, best)
            best, second, third = x, best, second
        else:
            low, high = (low, x) if x >= best else (x, high)
            if f(x) <= f(second) or second == best:
                second, third = x, second
            elif f(x) <= f(third) or third in (best, second):
                third = x


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
