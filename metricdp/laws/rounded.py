"""Continuous Laplace and normal laws, rounded to the integers: P(k) = P(k - 1/2 <= Y < k + 1/2).

In units of the grid's step; the centre is any rational.  These are the laws of `noise.rounded`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec

from metricdp.laws.interval import (
    ONE,
    ZERO,
    add,
    log,
    over,
    point,
    positive_part,
    significant,
    subtract,
    times,
)
from metricdp.laws.normal import normal_tail
from metricdp.laws.numbers import described, last_whole, next_whole, positive, real, settle
from metricdp.noise.enclose import Bounds, exp_bounds

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
