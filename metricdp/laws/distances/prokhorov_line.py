"""The Prokhorov distance of two laws of steps on the line: exact where the root is found.

K(t) = sup over closed events A of P(A) - Q(points at distance <= t from A); the distance is the
least t with K(t) <= t (Strassen 1965).  An event may be replaced by all points whose neighbourhood
lies in the same components, so A is a union of intervals [a, b], and its gap is a sum of
    (F(b) - G(b + t)) - (F(a-) - G((a - t)-)):
K(t) is the best sequence of buying at the second price and selling at the first, in that order.
Both prices are piecewise linear with kinks at the edges of P and at those of Q shifted by t, so
going through the kinks once is enough.  K falls in t; between changes of order it is linear, so the
secant of a short bracket hits the root, and a rational that is hit is verified:
d = t when K(t) <= t and, with neighbourhoods of radius just below t, K >= t.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from metricdp.laws.distances.steps import Steps, in_integers

_HALVINGS = 80
#: Units of length and mass, and both laws in them.
Pair = tuple[int, int, Steps, Steps]


def prokhorov_line(p: Steps, q: Steps) -> tuple[Fraction, Fraction]:
    """Enclosure of the distance: equal ends when it was found exactly, else 2**-80 apart."""
    pair = in_integers(p, q)
    low, high = Fraction(0), Fraction(1)
    at_low, at_high = farther(pair, low), farther(pair, high)
    if not at_low:
        return low, low
    # No distance is above 1, and K(1) <= 1.
    for _ in range(_HALVINGS):
        for guess in _guesses(low, high, at_low, at_high):
            if farther(pair, guess) <= guess <= farther(pair, guess, nearer=True):
                return guess, guess
        middle = (low + high) / 2
        value = farther(pair, middle)
        if value <= middle:
            high, at_high = middle, value
        else:
            low, at_low = middle, value
    return low, high


def farther(pair: Pair, t: Fraction, nearer: bool = False) -> Fraction:
    """K(t), or with `nearer` a lower bound of K(s) for all s < t, which is its limit."""
    length, mass, p, q = pair
    radius = t * length
    stretch = radius.denominator
    prices = _prices(p.stretched(stretch), q.stretched(stretch), radius.numerator, nearer)
    best = held = Fraction(0)
    holding = False
    for buy, price in prices:
        if buy and (not holding or best - price > held):
            held, holding = best - price, True
        elif not buy and holding:
            best = max(best, held + price)
    return best / mass


def _prices(p: Steps, q: Steps, radius: Any, nearer: bool) -> Iterator[tuple[bool, Fraction]]:
    """(whether it is the price of a left end, price), from left to right, limits at kinks too."""
    kinks = sorted({*p.edges, *(x + radius for x in q.edges), *(x - radius for x in q.edges)})
    for x in kinks:
        through, before = p.cdf(x), p.below(x)
        yield False, before - q.below(x + radius)
        yield True, before - (q.cdf(x - radius) if nearer else q.below(x - radius))
        yield False, through - (q.below(x + radius) if nearer else q.cdf(x + radius))
        yield True, through - q.cdf(x - radius)


def _guesses(
    low: Fraction, high: Fraction, at_low: Fraction, at_high: Fraction
) -> Iterator[Fraction]:
    """Where the secant of K meets the diagonal, and the simplest rational of the bracket."""
    slope = (at_high - at_low) / (high - low)
    secant = (at_low - slope * low) / (1 - slope)
    if low < secant <= high:
        yield secant
    yield simplest(low, high)


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The rational of least denominator in (low, high], low >= 0."""
    whole = low.numerator // low.denominator
    if whole + 1 <= high:
        return Fraction(whole + 1)
    # Both lie in [whole, whole + 1): invert the fractional parts, which turns the ends around.
    down, up = low - whole, high - whole
    return whole + 1 / _simplest_from(1 / up, 1 / down if down else None)


def _simplest_from(low: Fraction, high: Fraction | None) -> Fraction:
    """The rational of least denominator in [low, high), high None for infinity."""
    whole = -(-low.numerator // low.denominator)
    if high is None or whole < high:
        return Fraction(whole)
    floor = low.numerator // low.denominator
    return floor + 1 / simplest(1 / (high - floor), 1 / (low - floor))
