"""Continuous Laplace and normal laws, rounded to the integers: P(k) = P(k - 1/2 <= Y < k + 1/2).

In units of the grid's step; the centre is any rational.  These are the laws of `noise.rounded`.

Distances are between laws of one kind and scale, at different centres.  Rounding is
post-processing, so the distances of the continuous laws are upper bounds; lower bounds come from
finitely many groups of outcomes, which is post-processing of the rounded law.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import Any

import msgspec

from metricdp.laws.interval import (
    ONE,
    ZERO,
    add,
    log,
    normal_tail,
    over,
    point,
    positive_part,
    significant,
    subtract,
    times,
)
from metricdp.laws.numbers import described, last_whole, next_whole, positive, real, settle
from metricdp.noise.enclose import Bounds
from metricdp.noise.kept import exp_bounds

_HALF = Fraction(1, 2)


class RoundedLaw(msgspec.Struct, frozen=True):
    """Law of floor(center + scale Z + 1/2), Z symmetric around 0; scale > 0 (ParameterError)."""

    center: Fraction
    scale: Fraction

    def __post_init__(self) -> None:
        settle(self, center=real(self.center, "center"), scale=positive(self.scale, "scale"))

    def support(self) -> None:
        """All integers."""
        return

    def _beyond(self, y: Fraction) -> Bounds:
        """P(scale Z >= y), y >= 0."""
        raise NotImplementedError

    def tail(self, k: Any) -> Bounds:
        """P(X >= k)."""
        y = next_whole(k) - _HALF - self.center
        return self._beyond(y) if y >= 0 else subtract(ONE, self._beyond(-y))

    def cdf(self, k: Any) -> Bounds:
        """P(X <= k)."""
        y = last_whole(k) + _HALF - self.center
        return subtract(ONE, self._beyond(y)) if y >= 0 else self._beyond(-y)

    def between(self, first: Any, last: Any) -> Bounds:
        """P(first <= X <= last)."""
        low = next_whole(first) - _HALF - self.center
        high = last_whole(last) + _HALF - self.center
        if high <= low:
            return ZERO
        if low >= 0:
            return positive_part(subtract(self._beyond(low), self._beyond(high)))
        if high <= 0:
            return positive_part(subtract(self._beyond(-high), self._beyond(-low)))
        return subtract(ONE, add(self._beyond(-low), self._beyond(high)))

    def pmf(self, outcome: Any) -> Bounds:
        """P(X = outcome); 0 for what is no integer."""
        return self.between(outcome, outcome)

    def log_ratio(self, other: RoundedLaw, outcome: int) -> Bounds:
        """ln P(outcome) / Q(outcome)."""
        return log(over(self.pmf(outcome), other.pmf(outcome)))

    def __repr__(self) -> str:
        return described(self)


class RoundedLaplaceLaw(RoundedLaw, frozen=True):
    """Laplace noise of this scale."""

    def _beyond(self, y: Fraction) -> Bounds:
        # Differences of neighbours are about 1 / scale: as many bits more.
        size = max(0, self.scale.numerator.bit_length() - self.scale.denominator.bit_length())
        return times(exp_bounds(-y / self.scale, 192 + size), point(_HALF))

    def log_ratio(self, other: RoundedLaw, outcome: int) -> Bounds:
        """ln P(outcome) / Q(outcome); exact (equal ends) beyond both centres, at one scale."""
        centers = self.center, other.center
        if isinstance(other, RoundedLaplaceLaw) and other.scale == self.scale:
            difference = (other.center - self.center) / self.scale
            if outcome + _HALF <= min(centers):
                return point(difference)
            if outcome - _HALF >= max(centers):
                return point(-difference)
        return log(over(self.pmf(outcome), other.pmf(outcome)))


class RoundedGaussianLaw(RoundedLaw, frozen=True):
    """Normal noise of this standard deviation."""

    def _beyond(self, y: Fraction) -> Bounds:
        return significant(normal_tail(y / self.scale))


def comparable(p: object, q: object) -> bool:
    """Whether both are rounded Laplace, or both rounded normal laws, of one scale."""
    if not isinstance(p, RoundedLaplaceLaw | RoundedGaussianLaw):
        return False
    return type(p) is type(q) and p.scale == getattr(q, "scale", 0)


def crossing(p: RoundedLaw, q: RoundedLaw, epsilon: Fraction) -> int | None:
    """The outcome on whose side towards P ln P/Q is above epsilon, and beyond it below.

    The ratio of the continuous densities is monotone, and that of a cell is a mean of them, so
    only the cell of the crossing itself is open.  None: the ratio is epsilon nowhere.
    """
    d = q.center - p.center
    middle = (p.center + q.center) / 2
    if isinstance(p, RoundedGaussianLaw):
        return floor(middle - p.scale**2 * epsilon / d + _HALF) if d else None
    if epsilon >= abs(d) / p.scale:
        return None
    shift = epsilon * p.scale / 2
    return floor(middle - (shift if d > 0 else -shift) + _HALF)


def renyi_rounded(p: RoundedLaw, q: RoundedLaw, alpha: Fraction) -> Bounds:
    """D_alpha between two rounded laws: groups of outcomes below, the continuous law above."""
    if p.center == q.center:
        return Fraction(0), Fraction(0)
    m = abs(p.center - q.center) / p.scale
    if isinstance(p, RoundedGaussianLaw):
        high = alpha * m * m / 2
    else:
        grown = times(exp_bounds((alpha - 1) * m), (alpha, alpha))
        fallen = times(exp_bounds(-alpha * m), (alpha - 1, alpha - 1))
        high = log(over(add(grown, fallen), (2 * alpha - 1, 2 * alpha - 1)))[1] / (alpha - 1)
    total = Fraction(0)
    for mine, ratio in _log_ratios(p, q):
        total += mine * exp_bounds((alpha - 1) * ratio)[0]
    low = log((total, total))[0] / (alpha - 1) if total else Fraction(0)
    return min(max(Fraction(0), low), high), high


@lru_cache(maxsize=64)
def _log_ratios(p: RoundedLaw, q: RoundedLaw) -> tuple[tuple[Fraction, Fraction], ...]:
    """Per group a lower bound of its mass under p and of its log ratio, the same at every order."""
    return tuple(
        (mine[0], log(over((mine[0], mine[0]), (other[1], other[1])))[0])
        for mine, other in groups(p, q)
        if mine[0] > 0 and other[1] > 0
    )


def groups(p: RoundedLaw, q: RoundedLaw) -> list[tuple[Bounds, Bounds]]:
    """Probabilities under both laws of groups of outcomes an eighth of the scale wide."""
    width = max(1, int(p.scale / 8))
    reach = 12 if isinstance(p, RoundedGaussianLaw) else 24
    first = floor(min(p.center, q.center) - reach * p.scale) - 1
    last = ceil(max(p.center, q.center) + reach * p.scale) + 1
    edges = range(first, last + 1, width)
    return [
        (p.cdf(first - 1), q.cdf(first - 1)),
        *((p.between(e, e + width - 1), q.between(e, e + width - 1)) for e in edges),
        (p.tail(edges[-1] + width), q.tail(edges[-1] + width)),
    ]
