"""Earth mover's and Prokhorov distances between laws on the line with densities.

Earth mover's distance of laws of two families: the area between F and G.  W1 is the integral of |F
- G| (Vallender 1974).  The integral of F up to x has a closed form, A(x) = E (x - X)+, for each
family; so the area is a sum of differences of A over cells where the sign of F - G is certain,
which monotone F and G show at the ends of a cell.  Other cells are halved until they matter no
more: their area is at most their width times the largest |F - G| that F and G at the ends allow.

Prokhorov distance of two laws of one family: a certified root (`prokhorov_densities`).  As for laws
of steps (`prokhorov_line`), K(t) is the best sequence of buying at w(a) = F(a) - G(a - t) and
selling at u(b) = F(b) - G(b + t), from left to right; the distance is where K(t) = t. Selling pays
at local maxima of u, which end the regions f(x) > g(x + t), and buying at local minima of w, which
begin the regions f(x) > g(x - t): those of P against Q moved by t either way, whose ends
`line_regions` encloses.  (Between them, selling and buying again gains nothing: u <= w.)

Any points, in order, bound K from below.  From above, every price is better by at most the mass of
the intervals where an end is unsure, and points whose order is unsure are tried in both.  K falls,
so K(t) > t shows that the distance is above t, and K(t) <= t that it is not.

Within one family there are closed forms.  On the line moving by quantiles is optimal (Vallender
1974), so between centre + scale Z and another of the same Z the earth mover's distance is E |m + s
Z|, m and s the differences of centres and scales: for s = 0 it is |m|; else, for m >= 0 and s > 0
(both may change sign together, and Z is symmetric),
    Gaussian     m (1 - 2 P(Z >= m/s)) + 2 s phi(m/s)           (the folded normal's mean),
    Laplace      m + s e**(-m/s),
    Cauchy       infinite,
    exponential  m + s when m and s have one sign, else |m| - |s| + 2 |s| e**(-|m/s|).

Prokhorov, for symmetric unimodal laws of one scale at distance m: the root of x = TV(m - x), where
TV(y) is the total variation at distance y.  Moving everything by x leaves a total variation TV(m -
x) to be moved farther; and the half-line on which P is ahead shows that no plan does better.  For
x = 0 and x = m the two sides are in order, so there is one root, in [0, m].  Laws of one family and
two scales: `prokhorov_densities`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from itertools import pairwise
from math import inf
from typing import Any

from metricdp.laws.distances.distance import Distance
from metricdp.laws.distances.line_excess import within
from metricdp.laws.distances.line_regions import outer_ends, regions
from metricdp.laws.distances.reading import not_available
from metricdp.laws.distances.steps import Steps, steps_of
from metricdp.laws.exponential import ExponentialLaw
from metricdp.laws.interval import add, point, subtract, times
from metricdp.laws.location import CauchyLaw, GaussianLaw, LaplaceLaw, LocationLaw
from metricdp.noise.enclose import Bounds
from metricdp.noise.kept import exp_bounds

#: A cell of less area than this is not halved any more.
_LEAST = Fraction(1, 1 << 58)
_MOST = 3_000


def area(p: Any, q: Any) -> Distance:
    """The distance; infinite when one of the means is; ParameterError for other laws."""
    left, right = steps_of(p) or p, steps_of(q) or q
    known = GaussianLaw | LaplaceLaw | ExponentialLaw | Steps
    heavy = [isinstance(law, CauchyLaw) for law in (left, right)]
    if any(heavy) and all(isinstance(law, known | CauchyLaw) for law in (left, right)):
        return Distance(inf, inf, "closed form")
    if not isinstance(left, known) or not isinstance(right, known):
        raise not_available("d_em", p, q)
    ends = sorted({*outer_ends(left), *outer_ends(right)})
    low, high = _beyond(left, right, ends[0], ends[-1])
    cdf = (
        lru_cache(maxsize=4)(partial(_right, left)),
        lru_cache(maxsize=4)(partial(_right, right)),
    )
    waiting, looked = list(pairwise(ends))[::-1], 0
    runs: list[tuple[int, Fraction, Fraction]] = []
    while waiting:
        a, b = waiting.pop()
        looked += 1
        # On (a, b): F(a) <= F <= F(b).
        f, g = ((each(a)[0], each(b)[1]) for each in cdf)
        under, over = f[0] - g[1], f[1] - g[0]
        sign = 1 if under >= 0 else -1 if over <= 0 else 0
        if sign and runs and runs[-1][0] == sign and runs[-1][2] == a:
            runs[-1] = sign, runs[-1][1], b
        elif sign:
            runs.append((sign, a, b))
        elif looked > _MOST or (b - a) * max(-under, over) < _LEAST:
            high += (b - a) * max(-under, over)
        else:
            middle = (a + b) / 2
            waiting += (middle, b), (a, middle)
    for sign, a, b in runs:
        found = subtract(_integral(left, a, b), _integral(right, a, b))
        low, high = add((low, high), found if sign > 0 else (-found[1], -found[0]))
    return Distance(max(Fraction(0), low), high, "certified area")


def _right(law: Any, x: Fraction) -> Bounds:
    """P(X <= x)."""
    return point(law.cdf(x)) if isinstance(law, Steps) else law.cdf(x)


def _integral(law: Any, a: Fraction, b: Fraction) -> Bounds:
    """Integral of F from a to b."""
    return subtract(up_to(law, b), up_to(law, a))


def _beyond(p: Any, q: Any, first: Fraction, last: Fraction) -> tuple[Fraction, Fraction]:
    """Bounds of the area outside of [first, last]: A(first), and A(last) - last + mean."""
    high = Fraction(0)
    for law in (p, q):
        above = subtract(up_to(law, last), point(last - mean(law)))[1]
        high += up_to(law, first)[1] + max(above, Fraction(0))
    return Fraction(0), high


def up_to(law: Any, x: Fraction) -> Bounds:
    """E (x - X)+, the integral of F up to x."""
    if isinstance(law, Steps):
        total = sum((m * max(x - e, Fraction(0)) for e, m in zip(law.edges, law.at, strict=True)),
                    Fraction(0))  # fmt: skip
        for (a, b), m in zip(pairwise(law.edges), law.inside, strict=True):
            if x > a:
                total += m * (x - a) ** 2 / (2 * (b - a)) if x < b else m * (x - (a + b) / 2)
        return point(total)
    start = law.start if isinstance(law, ExponentialLaw) else law.center
    z, scale = (x - start) / law.scale, point(law.scale)
    if isinstance(law, ExponentialLaw):
        if z <= 0:
            return point(0)
        low, high = add(point(z - 1), exp_bounds(-z, 192))
        return law.scale * low, law.scale * high
    if z < 0:
        # Symmetric: E (x - X)+ at -z is that at z, less z.
        low, high = up_to(law, 2 * law.center - x)
        return max(Fraction(0), low + law.scale * z), high + law.scale * z
    if isinstance(law, LaplaceLaw):
        return add(point(law.scale * z), times(scale, (_half(z)[0], _half(z)[1])))
    cdf, density = law.cdf(x), law.density(x)
    return times(scale, add(times(point(z), cdf), times(scale, density)))


def _half(z: Fraction) -> Bounds:
    return times(point(Fraction(1, 2)), exp_bounds(-z, 192))


def mean(law: Any) -> Fraction:
    """The mean, exact."""
    if isinstance(law, Steps):
        atoms = sum((m * e for e, m in zip(law.edges, law.at, strict=True)), Fraction(0))
        pieces = zip(pairwise(law.edges), law.inside, strict=True)
        return sum((m * (a + b) / 2 for (a, b), m in pieces), atoms)
    return Fraction(law.start + law.scale if isinstance(law, ExponentialLaw) else law.center)


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


_HALVINGS = 100


def line_earth_mover(p: Any, q: Any) -> Distance:
    """E |m + s Z|; ParameterError for laws of two families."""
    if type(p) is not type(q) or not isinstance(p, LocationLaw | ExponentialLaw):
        return area(p, q)
    where = "start" if isinstance(p, ExponentialLaw) else "center"
    m, s = getattr(p, where) - getattr(q, where), p.scale - q.scale
    if not s:
        return Distance(abs(m), abs(m), "closed form")
    if isinstance(p, CauchyLaw):
        return Distance(inf, inf, "closed form")
    return Distance(*_mean(p, m, s), "closed form")


def _mean(p: Any, m: Fraction, s: Fraction) -> Bounds:
    if isinstance(p, ExponentialLaw):
        if m * s >= 0:
            return point(abs(m + s))
        rest = times(point(2 * abs(s)), exp_bounds(-abs(m / s), 192))
        return add(point(abs(m) - abs(s)), rest)
    m, s = abs(m), abs(s)
    if isinstance(p, LaplaceLaw):
        return add(point(m), times(point(s), exp_bounds(-m / s, 192)))
    unit = GaussianLaw(Fraction(0), Fraction(1))
    inside = subtract(point(1), times(point(2), unit.tail(m / s)))
    return add(times(point(m), inside), times(point(2 * s), unit.density(m / s)))


def line_prokhorov(p: Any, q: Any) -> Distance:
    """The root, enclosed; ParameterError for laws that are not known here."""
    if p == q:
        return Distance(Fraction(0), Fraction(0))
    if type(p) is not type(q) or not isinstance(p, LocationLaw) or p.scale != q.scale:
        found = prokhorov_densities(p, q)
        if found is None:
            raise not_available(
                "d_wc",
                p,
                q,
                "take finite laws near both, clamp(rounded(law, step), lower, upper): that moves"
                " either by at most half a step, or by what lies outside",
            )
        return found
    m = abs(p.center - q.center)
    low, high = Fraction(0), min(m, Fraction(1))
    for _ in range(_HALVINGS):
        x = (low + high) / 2
        # 1 - 2 P(Z >= y / 2): the half-line from the middle.
        tail = p.tail(p.center + (m - x) / 2)
        variation = subtract(point(1), times(point(2), tail))
        if variation[0] > x:
            low = x
        elif variation[1] <= x:
            high = x
        else:
            break
    return Distance(low, high, "certified root")
