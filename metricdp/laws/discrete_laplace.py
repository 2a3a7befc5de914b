"""The discrete Laplace law: P(k) = (1 - a) / (1 + a) * a**|k - center|, a = exp(-1/scale).

P(X >= center + j) = a**j / (1 + a) for j >= 1 (geometric sum; Inusah and Kozubowski 2006).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec

from metricdp.laws.integer import between
from metricdp.laws.interval import ONE, ZERO, add, log, over, significant, subtract, times
from metricdp.laws.numbers import described, last_whole, next_whole, positive, settle, whole
from metricdp.noise.enclose import Bounds, exp_bounds

_BITS = 192


class DiscreteLaplaceLaw(msgspec.Struct, frozen=True):
    """Law of center + discrete Laplace noise; scale > 0 (ParameterError otherwise)."""

    center: int
    scale: Fraction

    def __post_init__(self) -> None:
        settle(self, center=whole(self.center, "center"), scale=positive(self.scale, "scale"))

    def support(self) -> None:
        """All integers."""
        return

    def _power(self, exponent: int | Fraction) -> Bounds:
        # 1 - a is about 1 / scale: its relative precision needs the bits of the scale as well.
        size = max(0, self.scale.numerator.bit_length() - self.scale.denominator.bit_length())
        return exp_bounds(-Fraction(exponent) / self.scale, _BITS + size)

    def pmf(self, outcome: Any) -> Bounds:
        """P(X = outcome); 0 for what is no integer."""
        if last_whole(outcome) != outcome:
            return ZERO
        a = self._power(1)
        peak = over(subtract(ONE, a), add(ONE, a))
        return significant(times(peak, self._power(abs(last_whole(outcome) - self.center))))

    def tail(self, k: Any) -> Bounds:
        """P(X >= k)."""
        j = next_whole(k) - self.center
        if j < 1:
            return subtract(ONE, self.tail(self.center - j + 1))
        return significant(over(self._power(j), add(ONE, self._power(1))))

    def cdf(self, k: Any) -> Bounds:
        """P(X <= k)."""
        return self.tail(2 * self.center - last_whole(k))

    def between(self, first: Any, last: Any) -> Bounds:
        """P(first <= X <= last)."""
        return between(self, self.center, next_whole(first), last_whole(last))

    def log_ratio(self, other: DiscreteLaplaceLaw, outcome: int) -> Bounds:
        """ln P(outcome) / Q(outcome); exact (equal ends) between laws of one scale."""
        there, here = abs(outcome - other.center), abs(outcome - self.center)
        difference = there / other.scale - here / self.scale
        if other.scale == self.scale:
            return difference, difference
        peaks = log(over(self.pmf(self.center), other.pmf(other.center)))
        return difference + peaks[0], difference + peaks[1]

    def __repr__(self) -> str:
        return described(self)
