"""The power of the best attack at a false-positive rate, from both sides.

The most powerful test of "the data are x'" against "the data are x" at level a has power
  inf over x > 0 of  a x + delta(ln x),
because P(E) <= x Q(E) + delta(ln x) for every event E and every x, with equality for E the
likelihood ratio test (Dong, Roth, Su 2022, Proposition 2.12; Wasserman and Zhou 2010).  The
function is convex in x: any x bounds the power from above, and chords of four points around the
minimum bound it from below.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import exp, sqrt

from metricdp.measures.accounting.answer import Answer
from metricdp.measures.accounting.convex import Point, minimum
from metricdp.measures.accounting.event import Event
from metricdp.measures.accounting.queries import NOT_TIGHT, ONLY_CURVES, side_delta
from metricdp.measures.accounting.reading import Side, read
from metricdp.measures.accounting.relations import Relation
from metricdp.measures.rounded import ln_down, ln_up

_GOLDEN = (sqrt(5) - 1) / 2
_ZERO, _ONE = Fraction(0), Fraction(1)
#: The minimum is searched for |epsilon| up to this.
_FARTHEST = 700.0


def power(event: Event, which: Relation, rate: Fraction, checked: bool = True) -> Answer:
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

    def at(x: float) -> Point:
        # delta(eps) has slopes between -1 and 0, so an error of eps is one of delta at most.
        exact = Fraction(x)
        near, far = ln_down(exact), ln_up(exact)
        found = side_delta(side, far, False)
        slack = far - near
        return Point(exact, rate * exact + found.lower, rate * exact + found.upper + slack)

    centre = _searched(lambda e: float(at(exp(e)).high))
    best: tuple[Fraction, Fraction] = (_ZERO, _ONE)
    for step in (1e-3, 1e-5):
        points = [at(exp(centre + k * step)) for k in (-3, -1, 1, 3)]
        low, high = minimum(points)
        best = max(best[0], low), min(best[1], high)
    there = Fraction(exp(centre))
    last = side_delta(side, ln_up(there), check)
    slack = ln_up(there) - ln_down(there)
    return best[0], min(best[1], rate * there + last.upper + slack), last.engines


def _at_zero(side: Side) -> tuple[Fraction, Fraction]:
    """The power of attacks without false positives: P(L = +oo)."""
    from metricdp.measures.losses.composed import composed

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
    left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
    while high - low > 1e-6 * max(1.0, abs(low)):
        if at(left) <= at(right):
            high, right = right, left
            left = high - _GOLDEN * (high - low)
        else:
            low, left = left, right
            right = low + _GOLDEN * (high - low)
    return min(known, key=at)
