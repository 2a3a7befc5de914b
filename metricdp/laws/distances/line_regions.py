"""Where one density on the line is above t times another: intervals with certified ends.

Within a family ln p - ln q - ln t is a polynomial (Gaussian: of degree 2; Cauchy: p - t q has the
sign of one; Laplace and exponential: of degree 1 on each side of a centre), and its roots are
enclosed.  Between families the sign is certified on cells by interval arithmetic, and cells where
it is open are halved down to a width that no probability can see.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from metricdp.laws.distances.line_cells import cells
from metricdp.laws.distances.region import End, Interval, Regions
from metricdp.laws.exponential import ExponentialLaw
from metricdp.laws.interval import log, point, root
from metricdp.laws.law import LineLaw
from metricdp.laws.location import CauchyLaw, GaussianLaw, LaplaceLaw
from metricdp.laws.mixture import MixtureLineLaw
from metricdp.laws.piecewise import PiecewiseLaw, UniformLaw
from metricdp.noise.enclose import Bounds

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
