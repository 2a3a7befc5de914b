"""Continuous Laplace and normal laws, rounded to the integers: P(k) = P(k - 1/2 <= Y < k + 1/2).

In units of the grid's step; the centre is any rational.  These are the laws of `noise.rounded`.
"""

from __future__ import annotations

from fractions import Fraction

import msgspec

from metricdp.errors import ParameterError
from metricdp.laws.interval import ONE, add, log, outward, over, point, subtract, times
from metricdp.laws.normal import normal_tail
from metricdp.noise.enclose import Bounds, exp_bounds

_HALF = Fraction(1, 2)


class RoundedLaw(msgspec.Struct, frozen=True):
    """Law of floor(center + scale Z + 1/2), Z symmetric around 0; scale > 0 (ParameterError)."""

    center: Fraction
    scale: Fraction

    def __post_init__(self) -> None:
        if self.scale <= 0:
            raise ParameterError("must be positive", place="scale")

    def support(self) -> None:
        """All integers."""
        return

    def _beyond(self, y: Fraction) -> Bounds:
        """P(scale Z >= y), y >= 0."""
        raise NotImplementedError

    def tail(self, k: int) -> Bounds:
        """P(X >= k)."""
        y = k - _HALF - self.center
        return self._beyond(y) if y >= 0 else subtract(ONE, self._beyond(-y))

    def cdf(self, k: int) -> Bounds:
        """P(X <= k)."""
        y = k + _HALF - self.center
        return subtract(ONE, self._beyond(y)) if y >= 0 else self._beyond(-y)

    def between(self, first: int, last: int) -> Bounds:
        """P(first <= X <= last)."""
        low, high = first - _HALF - self.center, last + _HALF - self.center
        if low >= 0:
            return subtract(self._beyond(low), self._beyond(high))
        if high <= 0:
            return subtract(self._beyond(-high), self._beyond(-low))
        return subtract(ONE, add(self._beyond(-low), self._beyond(high)))

    def pmf(self, outcome: int) -> Bounds:
        """P(X = outcome)."""
        return self.between(outcome, outcome)

    def log_ratio(self, other: RoundedLaw, outcome: int) -> Bounds:
        """ln P(outcome) / Q(outcome)."""
        return log(over(self.pmf(outcome), other.pmf(outcome)))


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
        return outward(normal_tail(y / self.scale), 2048)
