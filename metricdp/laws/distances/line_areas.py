"""The earth mover's distance between laws of two families on the line: the area between F and G.

W1 is the integral of |F - G| (Vallender 1974).  The integral of F up to x has a closed form, A(x) =
E (x - X)+, for each family; so the area is a sum of differences of A over cells where the sign of
F - G is certain, which monotone F and G show at the ends of a cell.  Other cells are halved until
they matter no more: their area is at most their width times the largest |F - G| that F and G at
the ends allow.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache, partial
from itertools import pairwise
from math import inf
from typing import Any

from metricdp.laws.distances.distance import Distance
from metricdp.laws.distances.line_cells import outer_ends
from metricdp.laws.distances.refusals import not_available
from metricdp.laws.distances.steps import Steps
from metricdp.laws.distances.steps_of import steps_of
from metricdp.laws.exponential import ExponentialLaw
from metricdp.laws.interval import add, point, subtract, times
from metricdp.laws.location import CauchyLaw, GaussianLaw, LaplaceLaw
from metricdp.noise.enclose import Bounds, exp_bounds

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
