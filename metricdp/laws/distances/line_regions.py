"""Where one density on the line is above t times another: intervals with certified ends.

Within a family ln p - ln q - ln t is a polynomial (Gaussian: of degree 2; Cauchy: p - t q has the
sign of one; Laplace and exponential: of degree 1 on each side of a centre), and its roots are
enclosed.  Between families the sign is certified on cells by interval arithmetic, and cells where
it is open are halved down to a width that no probability can see.

On cells, the logarithm of a density is enclosed in rationals: -z**2/2, -|z|, -ln(1 + z**2), -z or 0
for z standardised, plus a constant.  Of a mixture densities are added and slopes averaged.  Cells
where the sign is certain are kept; others are halved until what they could gain is negligible.
Beyond the outermost cells hardly any mass is left, and all of it counts as unsure.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import exp
from typing import Any

import msgspec

from metricdp.laws.distances.steps import Steps
from metricdp.laws.exponential import ExponentialLaw
from metricdp.laws.interval import PI, add, log, outward, point, root, times
from metricdp.laws.law import LineLaw
from metricdp.laws.location import CauchyLaw, GaussianLaw, LaplaceLaw, LocationLaw
from metricdp.laws.mixture import MixtureLineLaw
from metricdp.laws.piecewise import PiecewiseLaw, UniformLaw
from metricdp.noise.enclose import Bounds
from metricdp.noise.kept import exp_bounds, ln_above, ln_below

End = Fraction | None
Interval = tuple[End, End]


class Regions(msgspec.Struct, frozen=True):
    """Intervals where p > t q, None for infinite ends, and short ones where that is open.

    `shares` has, for each unsure interval, a bound of (p - t q) / p there; all 1 when not given.
    """

    inside: tuple[Interval, ...]
    unsure: tuple[Interval, ...]
    shares: tuple[Fraction, ...] | None = None


#: An unsure cell that could gain less than this is not halved any more.
_LEAST = 1e-22
#: Cells that are looked at before the rest is left open: laws that touch need more than others.
_MOST = 4_000
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
        here, loss = log_density(p, a, b), log_ratio(p, q, a, b)
        if here is None:
            continue
        if loss is None or loss[0] > constant[1]:
            # From left to right: neighbours become one interval.
            start = inside.pop()[0] if inside and inside[-1][1] == a else a
            inside.append((start, b))
            continue
        # ln(p / t q) <= above: the share that p has over t q is at most 1 - e**-above <= above.
        above = loss[1] - constant[0]
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


def log_ratio(p: Any, q: Any, a: Fraction, b: Fraction) -> Bounds | None:
    """Enclosure of ln p/q over (a, b), where p > 0; None where q is 0.

    The value in the middle plus the range of the slope times half of the width: what both slopes
    have in common cancels, so laws that are nearly the same are told apart on wide cells.
    """
    middle, half = (a + b) / 2, (b - a) / 2
    here, there = log_density(p, middle, middle), log_density(q, middle, middle)
    if here is None or there is None:
        return None
    up, down = _slope(p, a, b), _slope(q, a, b)
    far = half * max(abs(up[0] - down[1]), abs(up[1] - down[0]))
    low, high = here[0] - there[1] - far, here[1] - there[0] + far
    if isinstance(p, MixtureLineLaw) or isinstance(q, MixtureLineLaw):
        # A part that hardly counts may be the steepest: far out the densities tell more.
        over, under = log_density(p, a, b), log_density(q, a, b)
        if over is not None and under is not None:
            low, high = max(low, over[0] - under[1]), min(high, over[1] - under[0])
    return low, high


def _slope(law: Any, a: Fraction, b: Fraction) -> Bounds:
    """Enclosure of the derivative of the log density over (a, b).

    That of a mixture is a mean of those of the parts that are positive there.
    """
    if isinstance(law, MixtureLineLaw):
        slopes = [_slope(part, a, b) for _, part, _ in _positive(law, a, b)]
        return min(low for low, _ in slopes), max(high for _, high in slopes)
    if isinstance(law, UniformLaw | PiecewiseLaw):
        return point(0)
    if isinstance(law, ExponentialLaw):
        return point(-1 / law.scale)
    low, high = (a - law.center) / law.scale, (b - law.center) / law.scale
    match law:
        case GaussianLaw():
            return -high / law.scale, -low / law.scale
        case LaplaceLaw():
            # The centre is an end of cells.
            return point((-1 if low >= 0 else 1) / law.scale)
    # -2 z / (1 + z**2): monotone between its extremes at -1 and 1.
    values = [-2 * z / (1 + z * z) for z in (low, high)]
    values += [Fraction(1)] * (low < -1 < high) + [Fraction(-1)] * (low < 1 < high)
    return min(values) / law.scale, max(values) / law.scale


@lru_cache(maxsize=32)
def log_density(law: Any, a: Fraction, b: Fraction) -> Bounds | None:
    """Enclosure over (a, b), which no jump of the density divides; None where it is 0."""
    match law:
        case MixtureLineLaw():
            return _mixed([(w, log) for w, _, log in _positive(law, a, b)])
        case UniformLaw() | PiecewiseLaw():
            height = law.density((a + b) / 2)[0]
            return log(point(height)) if height else None
        case ExponentialLaw(scale=scale, start=start):
            if b < start or (a < b == start):
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


@lru_cache(maxsize=8)
def _positive(
    law: MixtureLineLaw, a: Fraction, b: Fraction
) -> tuple[tuple[Fraction, Any, Bounds], ...]:
    """Weights, parts and log densities of the parts that are positive on (a, b)."""
    parts = zip(law.weights, law.parts, strict=True)
    logs = ((w, part, log_density(part, a, b)) for w, part in parts if w)
    return tuple((w, part, log) for w, part, log in logs if log is not None)


def _mixed(logs: list[tuple[Fraction, Bounds]]) -> Bounds | None:
    """ln of a sum of weights times powers of e, in units of the largest of them."""
    if not logs:
        return None
    ends = []
    for side in (0, 1):
        most = max(each[side] for _, each in logs)
        terms = [times(point(w), exp_bounds(each[side] - most, 72)) for w, each in logs]
        low, high = _shortened(add(*terms))
        ends.append(most + (ln_above(high, 72) if side else ln_below(low, 72)))
    return ends[0], ends[1]


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
    low, high = _shortened(x)
    return ln_below(low, 72), ln_above(high, 72)


def _shortened(x: Bounds) -> Bounds:
    return outward(x, 96) if x[0] > 1 else outward(x)


def outer_ends(law: Any) -> Iterator[Fraction]:
    """Points where the density jumps, and points that leave next to no mass outside."""
    if isinstance(law, MixtureLineLaw):
        for part in law.parts:
            yield from outer_ends(part)
    elif isinstance(law, LocationLaw):
        reach = _REACH[type(law)] * law.scale
        yield from (law.center - reach, law.center, law.center + reach)
    elif isinstance(law, ExponentialLaw):
        yield from (law.start, law.start + _REACH[ExponentialLaw] * law.scale)
    else:
        yield from (law if isinstance(law, Steps) else law.pieces).edges


CONTINUOUS = (GaussianLaw, LaplaceLaw, CauchyLaw, ExponentialLaw, UniformLaw, PiecewiseLaw)


def regions(p: LineLaw, q: LineLaw, t: Fraction) -> Regions | None:
    """The regions of p > t q, t >= 1; None for laws that are not known here."""
    match p, q:
        case GaussianLaw(), GaussianLaw():
            s, u = 1 / (2 * p.scale**2), 1 / (2 * q.scale**2)
            constant = _log(q.scale / (p.scale * t))
            rest = u * q.center**2 - s * p.center**2
            line = 2 * (s * p.center - u * q.center)
            return _polynomial(u - s, line, (constant[0] + rest, constant[1] + rest))
        case CauchyLaw(), CauchyLaw():
            # p > t q where s ((x - n)**2 + u**2) > t u ((x - m)**2 + s**2).
            s, u, m, n = p.scale, q.scale, p.center, q.center
            flat = s * (n * n + u * u) - t * u * (m * m + s * s)
            return _polynomial(s - t * u, 2 * (t * u * m - s * n), point(flat))
        case LaplaceLaw(), LaplaceLaw():
            return _pieces(p, q, t, sorted({p.center, q.center}))
        case ExponentialLaw(), ExponentialLaw():
            if p.start < q.start:
                early = regions_after(p, q, t, q.start)
                return Regions(((p.start, q.start), *early.inside), early.unsure)
            return regions_after(p, q, t, p.start)
    return cells(p, q, t) if continuous(p) and continuous(q) else None


def continuous(law: object) -> bool:
    """Whether a law has a density that is known here, and no atoms."""
    if isinstance(law, MixtureLineLaw):
        return all(map(continuous, law.parts))
    return isinstance(law, CONTINUOUS)


def regions_after(p: ExponentialLaw, q: ExponentialLaw, t: Fraction, start: Fraction) -> Regions:
    """Regions right of the point from which both densities are positive."""
    constant = _log(q.scale / (p.scale * t))
    rest = p.start / p.scale - q.start / q.scale
    found = _polynomial(
        Fraction(0), 1 / q.scale - 1 / p.scale, (constant[0] + rest, constant[1] + rest)
    )
    return _cut(found, start, None)


def _log(x: Fraction) -> Bounds:
    return log(point(x))


def _polynomial(a: Fraction, b: Fraction, c: Bounds) -> Regions:
    """Where a x**2 + b x + c > 0 (for a point c, up to a null set)."""
    if not a:
        return _linear(b, c)
    vertex = -b / (2 * a)
    # (x - vertex)**2 against square = (b**2 / 4a - c) / a.
    ends = (b * b / (4 * a) - c[0]) / a, (b * b / (4 * a) - c[1]) / a
    low, high = min(ends), max(ends)
    if high <= 0:
        return Regions(((None, None),) if a > 0 else (), ())
    near, far = root((max(low, Fraction(0)), max(high, Fraction(0))))
    unsure = (vertex - far, vertex - near), (vertex + near, vertex + far)
    if a < 0:
        return Regions(((vertex - near, vertex + near),), unsure)
    return Regions(((None, vertex - far), (vertex + far, None)), unsure)


def _linear(b: Fraction, c: Bounds) -> Regions:
    if not b:
        everywhere: tuple[Interval, ...] = ((None, None),)
        return Regions(everywhere if c[0] > 0 else (), everywhere if c[0] <= 0 < c[1] else ())
    low, high = sorted((-c[0] / b, -c[1] / b))
    return Regions(((high, None) if b > 0 else (None, low),), ((low, high),))


def _pieces(p: LaplaceLaw, q: LaplaceLaw, t: Fraction, kinks: Sequence[Fraction]) -> Regions:
    """Linear between the centres: |x - n|/u - |x - m|/s + ln(u / (s t))."""
    constant = _log(q.scale / (p.scale * t))
    inside: list[Interval] = []
    unsure: list[Interval] = []
    ends: list[End] = [None, *kinks, None]
    for a, b in pairwise(ends):
        left_of_p = b is not None and b <= p.center
        left_of_q = b is not None and b <= q.center
        here, there = (1 if left_of_p else -1) / p.scale, (1 if left_of_q else -1) / q.scale
        rest = there * q.center - here * p.center
        found = _cut(
            _polynomial(Fraction(0), here - there, (constant[0] + rest, constant[1] + rest)), a, b
        )
        inside += found.inside
        unsure += found.unsure
    return Regions(tuple(inside), tuple(unsure))


def _cut(found: Regions, a: End, b: End) -> Regions:
    """The parts between a and b."""

    def cut(pieces: Sequence[Interval]) -> tuple[Interval, ...]:
        kept = []
        for low, high in pieces:
            low = a if low is None or (a is not None and low < a) else low
            high = b if high is None or (b is not None and high > b) else high
            if low is None or high is None or low < high:
                kept.append((low, high))
        return tuple(kept)

    return Regions(cut(found.inside), cut(found.unsure))
