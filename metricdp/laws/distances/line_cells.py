"""Where one density is above t times another, for laws of two families: cells of certain sign.

On a cell the logarithm of a density is enclosed in rationals: -z**2/2, -|z|, -ln(1 + z**2), -z or
0 for z over the standardised cell, plus a constant.  Cells where the sign is certain are kept;
others are halved until what they could gain is negligible.  Beyond the outermost cells hardly any
mass is left, and all of it counts as unsure.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import exp
from typing import Any

from metricdp.laws.distances.line_regions import Interval, Regions
from metricdp.laws.distances.steps import Steps
from metricdp.laws.exponential import ExponentialLaw
from metricdp.laws.interval import PI, log, outward, point, root, times
from metricdp.laws.line import LineLaw
from metricdp.laws.location import CauchyLaw, GaussianLaw, LaplaceLaw, LocationLaw
from metricdp.laws.piecewise import PiecewiseLaw, UniformLaw
from metricdp.noise.enclose import Bounds, ln_bounds

#: An unsure cell that could gain less than this is not halved any more.
_LEAST = 1e-22
#: Cells that are looked at before the rest is left open: laws that touch need more than others.
_MOST = 20_000
#: Standard distances beyond which each tail is below 2**-64.
_REACH = {GaussianLaw: 10, LaplaceLaw: 48, ExponentialLaw: 48, CauchyLaw: 1 << 66}


def cells(p: LineLaw, q: LineLaw, t: Fraction) -> Regions:
    """Regions of p > t q."""
    edges = sorted({*outer_ends(p), *outer_ends(q)})
    constant = log(point(t))
    one = Fraction(1)
    inside: list[Interval] = []
    unsure: list[tuple[Interval, Fraction]] = [((None, edges[0]), one), ((edges[-1], None), one)]
    waiting = list(pairwise(edges))[::-1]
    looked = 0
    while waiting:
        a, b = waiting.pop()
        looked += 1
        here, there = log_density(p, a, b), log_density(q, a, b)
        if here is None:
            continue
        if there is None or here[0] > there[1] + constant[1]:
            # From left to right: neighbours become one interval.
            start = inside.pop()[0] if inside and inside[-1][1] == a else a
            inside.append((start, b))
            continue
        # ln(p / t q) <= above: the share that p has over t q is at most 1 - e**-above <= above.
        above = here[1] - there[0] - constant[0]
        if above <= 0:
            continue
        share = min(one, above)
        if looked > _MOST or _at_most(b - a, here[1]) * float(share) < _LEAST:
            unsure.append(((a, b), share))
        else:
            middle = (a + b) / 2
            waiting += (middle, b), (a, middle)
    return Regions(tuple(inside), tuple(x for x, _ in unsure), tuple(x for _, x in unsure))


def _at_most(width: Fraction, log_height: Fraction) -> float:
    """About the mass of a cell; it decides how far to go, and no bound rests on it."""
    return float(width) * exp(min(700.0, float(log_height)))


def log_density(law: Any, a: Fraction, b: Fraction) -> Bounds | None:
    """Enclosure over (a, b), which no jump of the density divides; None where it is 0."""
    match law:
        case UniformLaw() | PiecewiseLaw():
            height = law.density((a + b) / 2)[0]
            return log(point(height)) if height else None
        case ExponentialLaw(scale=scale, start=start):
            if b <= start:
                return None
            low, high = _peak(law)
            return (start - b) / scale - high, (start - a) / scale - low
    ends = [(x - law.center) / law.scale for x in (a, b)]
    far = max(map(abs, ends))
    near = Fraction(0) if ends[0] < 0 < ends[1] else min(map(abs, ends))
    match law:
        case GaussianLaw():
            shape = -far * far / 2, -near * near / 2
        case LaplaceLaw():
            shape = -far, -near
        case _:
            shape = -_logarithm(point(1 + far * far))[1], -_logarithm(point(1 + near * near))[0]
    low, high = _peak(law)
    return shape[0] - high, shape[1] - low


@lru_cache(maxsize=64)
def _peak(law: Any) -> Bounds:
    """-ln of the density at its largest."""
    match law:
        case GaussianLaw(scale=scale):
            return _logarithm(times(root(times(point(2), PI)), point(scale)))
        case LaplaceLaw(scale=scale):
            return _logarithm(point(2 * scale))
        case CauchyLaw(scale=scale):
            return _logarithm(times(PI, point(scale)))
    return _logarithm(point(law.scale))


def _logarithm(x: Bounds) -> Bounds:
    # 25 digits tell the signs of cells far smaller than those that are looked at.
    low, high = outward(x, 96) if x[0] > 1 else outward(x)
    return ln_bounds(low, 72)[0], ln_bounds(high, 72)[1]


def outer_ends(law: Any) -> Iterator[Fraction]:
    """Points where the density jumps, and points that leave next to no mass outside."""
    if isinstance(law, LocationLaw):
        reach = _REACH[type(law)] * law.scale
        yield from (law.center - reach, law.center + reach)
    elif isinstance(law, ExponentialLaw):
        yield from (law.start, law.start + _REACH[ExponentialLaw] * law.scale)
    else:
        yield from (law if isinstance(law, Steps) else law.pieces).edges
