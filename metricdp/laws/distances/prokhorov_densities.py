"""The Prokhorov distance of two laws of one family on the line: a certified root.

As for laws of steps (`prokhorov_line`), K(t) is the best sequence of buying at w(a) = F(a) -
G(a - t) and selling at u(b) = F(b) - G(b + t), from left to right; the distance is where K(t) = t.
Selling pays at local maxima of u, which end the regions f(x) > g(x + t), and buying at local minima
of w, which begin the regions f(x) > g(x - t): those of P against Q moved by t either way, whose
ends `line_regions` encloses.  (Between them, selling and buying again gains nothing: u <= w.)

Any points, in order, bound K from below.  From above, every price is better by at most the mass of
the intervals where an end is unsure, and points whose order is unsure are tried in both.  K falls,
so K(t) > t shows that the distance is above t, and K(t) <= t that it is not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from metricdp.laws.distances.distance import Distance
from metricdp.laws.distances.line_excess import within
from metricdp.laws.distances.line_regions import regions
from metricdp.laws.exponential import ExponentialLaw
from metricdp.laws.interval import subtract
from metricdp.laws.location import LocationLaw
from metricdp.noise.enclose import Bounds

_SECANTS = 24
#: Half widths that are tried around the root that doubles find.
_WIDTHS = tuple(Fraction(1, 10**k) for k in (15, 13, 10, 6, 3))
#: (whether it is a left end, where, price)
Price = tuple[bool, Fraction | None, Bounds]


def prokhorov_densities(p: Any, q: Any) -> Distance | None:
    """The root, enclosed; None for other laws, and when no width is certified."""
    if type(p) is not type(q) or not isinstance(p, LocationLaw | ExponentialLaw):
        return None
    x = _near(lambda t: float(sum(farther(p, q, t))) / 2)
    for width in _WIDTHS:
        low, high = max(Fraction(0), x - width), min(Fraction(1), x + width)
        if (not low or farther(p, q, low)[0] > low) and (
            high == 1 or farther(p, q, high)[1] <= high
        ):
            return Distance(low, high, "certified root")
    return None


def farther(p: Any, q: Any, t: Fraction) -> Bounds:
    """Enclosure of K(t)."""
    left, right = moved(q, -t), moved(q, t)
    ends, starts = regions(p, left, Fraction(1)), regions(p, right, Fraction(1))
    assert ends is not None and starts is not None
    prices: list[Price] = []
    for _, b in ends.inside:
        prices.append((False, b, subtract(within(p, None, b), within(left, None, b))))
    for a, _ in starts.inside:
        at = within(p, None, a) if a is not None else (Fraction(0), Fraction(0))
        there = within(right, None, a) if a is not None else (Fraction(0), Fraction(0))
        prices.append((True, a, subtract(at, there)))
    slack = sum((within(p, a, b)[1] for a, b in ends.unsure), Fraction(0))
    slack += sum((within(right, a, b)[1] for a, b in starts.unsure), Fraction(0))
    near = max(
        (b - a for a, b in (*ends.unsure, *starts.unsure) if a is not None and b is not None),
        default=Fraction(0),
    )
    ordered = sorted(prices, key=_place)
    low = _best([(buy, price[1] if buy else price[0]) for buy, _, price in ordered])
    # Twice, a little earlier and a little later: then every order is among the sequences.
    both = [
        (buy, None if at is None else at + shift, price)
        for buy, at, price in prices
        for shift in (-near, near)
    ]
    high = _best(
        [
            (buy, price[0] - slack if buy else price[1] + slack)
            for buy, _, price in sorted(both, key=_place)
        ]
    )
    return low, min(Fraction(1), high)


def _place(price: Price) -> tuple[int, Fraction, bool]:
    """From left to right; infinite ends first and last; at one place buying comes first."""
    buy, at, _ = price
    side = 0 if at is not None else -1 if buy else 1
    return side, at or Fraction(0), not buy


def _best(prices: Sequence[tuple[bool, Fraction]]) -> Fraction:
    best, held = Fraction(0), None
    for buy, price in prices:
        if buy:
            held = best - price if held is None else max(held, best - price)
        elif held is not None:
            best = max(best, held + price)
    return best


def moved(law: Any, t: Fraction) -> Any:
    """The law of X + t."""
    if isinstance(law, ExponentialLaw):
        return ExponentialLaw(law.scale, law.start + t)
    return type(law)(law.center + t, law.scale)


def _near(k: Callable[[Fraction], float]) -> Fraction:
    """About where k(t) = t, k falling: secants inside a bracket (the Illinois method)."""
    low, high = 0.0, 1.0
    at_low, at_high = k(Fraction(0)), k(Fraction(1)) - 1
    side = 0
    x = high
    for _ in range(_SECANTS):
        if at_low <= 0 or at_high >= 0 or high - low < 1e-17:
            break
        x = low + (high - low) * at_low / (at_low - at_high)
        value = k(Fraction(x)) - x
        if abs(value) < 1e-17:
            break
        # An end that stays twice counts for half: the secant must not creep along one side.
        if value > 0:
            low, at_low, at_high = x, value, at_high / (2 if side > 0 else 1)
        else:
            high, at_high, at_low = x, value, at_low / (2 if side < 0 else 1)
        side = 1 if value > 0 else -1
    return Fraction(x)
