"""The discrete Laplace and Gaussian laws on the integers.

Laplace: P(k) = (1 - a) / (1 + a) * a**|k - center|, a = exp(-1/scale);
P(X >= center + j) = a**j / (1 + a) for j >= 1 (geometric sum; Inusah and Kozubowski 2006).

Gaussian: P(k) = exp(-(k - center)**2 / (2 sigma2)) / Z,
Z = theta(0), theta(x) = sum over integers of exp(-(k - x)**2 / (2 sigma2)).  For sigma2 >= 1 it is
read off Poisson summation, theta(x) = sqrt(2 pi sigma2) * (1 + 2 sum_n exp(-2 pi**2 sigma2 n**2)
cos(2 pi n x)); below, off the sum itself.  Tails are summed by a recurrence in integers, rounded
outwards.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.laws.interval import (
    ONE,
    PI,
    ZERO,
    add,
    log,
    outward,
    over,
    point,
    root,
    significant,
    subtract,
    times,
)
from metricdp.laws.law import between
from metricdp.laws.numbers import described, last_whole, next_whole, positive, settle, whole
from metricdp.noise.enclose import Bounds, exp_fixed
from metricdp.noise.kept import exp_bounds

_SUM_BITS = 256
#: Terms of a tail that are summed before the request is refused.
_MOST = 1 << 21
_LAPLACE_BITS = 192


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
        return exp_bounds(-Fraction(exponent) / self.scale, _LAPLACE_BITS + size)

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


class DiscreteGaussianLaw(msgspec.Struct, frozen=True):
    """Law of center + discrete Gaussian noise; sigma2 > 0 (ParameterError otherwise)."""

    center: int
    sigma2: Fraction

    def __post_init__(self) -> None:
        settle(self, center=whole(self.center, "center"), sigma2=positive(self.sigma2, "sigma2"))

    def support(self) -> None:
        """All integers."""
        return

    def pmf(self, outcome: Any) -> Bounds:
        """P(X = outcome); 0 for what is no integer."""
        k = last_whole(outcome)
        if k != outcome:
            return ZERO
        weight = exp_bounds(-Fraction((k - self.center) ** 2) / (2 * self.sigma2))
        return significant(over(weight, theta(self.sigma2)))

    def tail(self, k: Any) -> Bounds:
        """P(X >= k).  ParameterError when sigma is above about 10**5: the sum is too long."""
        j = next_whole(k) - self.center
        if j < 1:
            return subtract(ONE, self.tail(self.center - j + 1))
        return significant(over(_weights_from(self.sigma2, j), theta(self.sigma2)))

    def cdf(self, k: Any) -> Bounds:
        """P(X <= k)."""
        return self.tail(2 * self.center - last_whole(k))

    def between(self, first: Any, last: Any) -> Bounds:
        """P(first <= X <= last)."""
        return between(self, self.center, next_whole(first), last_whole(last))

    def __repr__(self) -> str:
        return described(self)

    def log_ratio(self, other: DiscreteGaussianLaw, outcome: int) -> Bounds:
        """ln P(outcome) / Q(outcome); exact (equal ends) between laws of one sigma2."""
        there = Fraction((outcome - other.center) ** 2) / (2 * other.sigma2)
        difference = there - Fraction((outcome - self.center) ** 2) / (2 * self.sigma2)
        if other.sigma2 == self.sigma2:
            return difference, difference
        constants = log(over(theta(other.sigma2), theta(self.sigma2)))
        return difference + constants[0], difference + constants[1]


@lru_cache(maxsize=64)
def theta(sigma2: Fraction, shift: Fraction = Fraction(0)) -> Bounds:
    """Sum over all integers k of exp(-(k - shift)**2 / (2 sigma2)).

    For shift 0 or sigma2 < 1 accurate to 60 digits; else to 1e-8, from |cos| <= 1.
    """
    shift -= round(shift)
    if sigma2 < 1:
        inner = [exp_bounds(-((k - shift) ** 2) / (2 * sigma2)) for k in range(-32, 33)]
        # The terms past 32 fall by more than e**-32 each.
        rest = exp_bounds(-((32 - abs(shift)) ** 2) / (2 * sigma2))[1]
        return add(*inner, (Fraction(0), rest))
    exponent = 2 * PI[0] * PI[0] * sigma2
    waves = [exp_bounds(-exponent * n * n)[1] for n in (1, 2, 3, 4)]
    # e[n+1] < e[n] / 2: the last wave, counted twice, covers the rest.
    series = sum(waves[:3], Fraction(0))
    if shift:
        low, high = 1 - 2 * (series + 2 * waves[3]), 1 + 2 * (series + 2 * waves[3])
    else:
        above = 2 * PI[1] * PI[1] * sigma2
        low = 1 + 2 * sum((exp_bounds(-above * n * n)[0] for n in (1, 2, 3)), Fraction(0))
        high = 1 + 2 * (series + 2 * waves[3])
    return outward(times(root(times(PI, point(2 * sigma2))), (low, high)))


@lru_cache(maxsize=256)
def _weights_from(sigma2: Fraction, j: int) -> Bounds:
    """Sum over k >= j of exp(-k**2 / (2 sigma2)), j >= 1."""
    half = 1 / (2 * sigma2)
    # Past this length the weights have fallen by e**-200 from where they started.
    length = min(isqrt(int(400 * sigma2)) + 2, int(200 * sigma2 / j) + 2)
    if length > _MOST:
        raise ParameterError("sigma is too large for an exact tail", place="sigma2")
    unit = 1 << _SUM_BITS
    step_low, step_high = exp_fixed(-2 * half, _SUM_BITS)
    ratio_low, ratio_high = exp_fixed(-(2 * j + 1) * half, _SUM_BITS)
    low, high, sum_low, sum_high = unit, unit, 0, 0
    for _ in range(length):
        sum_low, sum_high = sum_low + low, sum_high + high
        low, high = low * ratio_low >> _SUM_BITS, -(-high * ratio_high >> _SUM_BITS)
        ratio_low = ratio_low * step_low >> _SUM_BITS
        ratio_high = -(-ratio_high * step_high >> _SUM_BITS)
    # The ratios fall, so a geometric series bounds the rest.
    rest = -(-high * unit // (unit - ratio_high)) if ratio_high < unit else unit * _MOST
    first = exp_bounds(-j * j * half)
    return times(first, (Fraction(sum_low, unit), Fraction(sum_high + rest, unit)))
