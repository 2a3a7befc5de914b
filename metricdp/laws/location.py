"""Symmetric unimodal laws moved and stretched: Laplace, Gaussian, Cauchy.

P(X >= x) = P(Z >= (x - center) / scale), Z standard.  Tails are enclosed with relative accuracy:
e**-z / 2 (Laplace), `interval.normal_tail` (Gaussian), atan(1 / z) / pi (Cauchy), z >= 0.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.laws.interval import (
    ONE,
    PI,
    ZERO,
    add,
    arctangent,
    log,
    normal_tail,
    over,
    point,
    root,
    subtract,
    times,
)
from metricdp.laws.law import LineLaw
from metricdp.laws.numbers import positive, real, settle
from metricdp.noise.enclose import Bounds
from metricdp.noise.kept import exp_bounds

_HALF = Fraction(1, 2)


class LocationLaw(LineLaw, frozen=True):
    """The law of center + scale Z, Z symmetric around 0 with a density that falls outwards.

    Raises:
        ParameterError: a scale that is not positive, a number that is not finite.
    """

    center: Fraction
    scale: Fraction

    def __post_init__(self) -> None:
        settle(self, center=real(self.center, "center"), scale=positive(self.scale, "scale"))

    def _beyond(self, z: Fraction) -> Bounds:
        """P(Z >= z), z >= 0."""
        raise NotImplementedError

    def _height(self, z: Fraction) -> Bounds:
        """The density of Z at z >= 0."""
        raise NotImplementedError

    def _standard(self, x: Any) -> Fraction:
        return (real(x, "x") - self.center) / self.scale

    def tail(self, x: Any) -> Bounds:
        """P(X >= x)."""
        z = self._standard(x)
        return self._beyond(z) if z >= 0 else subtract(ONE, self._beyond(-z))

    def cdf(self, x: Any) -> Bounds:
        """P(X <= x)."""
        return self.tail(2 * self.center - real(x, "x"))

    def density(self, x: Any) -> Bounds:
        """The density at x."""
        return over(self._height(abs(self._standard(x))), point(self.scale))

    def between(self, first: Any, last: Any) -> Bounds:
        """P(first <= X <= last), relatively accurate for narrow intervals and far out."""
        a, b = self._standard(first), self._standard(last)
        if b <= a:
            return ZERO
        if a < 0 < b:
            return subtract(ONE, add(self._beyond(-a), self._beyond(b)))
        near, far = (a, b) if a >= 0 else (-b, -a)
        low, high = subtract(self._beyond(near), self._beyond(far))
        # The density falls outwards: width times its values at the ends are bounds as well.
        inner, outer = self._height(near), self._height(far)
        width = far - near
        return max(low, width * outer[0]), min(high, width * inner[1])


class LaplaceLaw(LocationLaw, frozen=True):
    """Density e**(-|x - center| / scale) / (2 scale)."""

    def _beyond(self, z: Fraction) -> Bounds:
        return times(exp_bounds(-z, 192), point(_HALF))

    def _height(self, z: Fraction) -> Bounds:
        return times(exp_bounds(-z, 192), point(_HALF))

    def log_ratio(self, other: Any, x: Any) -> Bounds:
        """ln of the ratio of the densities at x; exact (equal ends) at one scale."""
        if isinstance(other, LaplaceLaw) and other.scale == self.scale:
            return point(abs(other._standard(x)) - abs(self._standard(x)))
        return super().log_ratio(other, x)


class GaussianLaw(LocationLaw, frozen=True):
    """Normal, of mean `center` and standard deviation `scale`."""

    def _beyond(self, z: Fraction) -> Bounds:
        return normal_tail(z)

    def _height(self, z: Fraction) -> Bounds:
        return over(exp_bounds(-z * z / 2, 192), root(times(point(2), PI)))

    def log_ratio(self, other: Any, x: Any) -> Bounds:
        """ln of the ratio of the densities at x; exact (equal ends) at one scale."""
        if not isinstance(other, GaussianLaw):
            return super().log_ratio(other, x)
        difference = (other._standard(x) ** 2 - self._standard(x) ** 2) / 2
        if other.scale == self.scale:
            return point(difference)
        low, high = log(point(other.scale / self.scale))
        return difference + low, difference + high


class CauchyLaw(LocationLaw, frozen=True):
    """Density 1 / (pi scale (1 + ((x - center) / scale)**2))."""

    def _beyond(self, z: Fraction) -> Bounds:
        if z >= 1:
            return over(arctangent(1 / z), PI)
        return subtract(point(_HALF), over(arctangent(z), PI))

    def _height(self, z: Fraction) -> Bounds:
        return over(point(1 / (1 + z * z)), PI)

    def log_ratio(self, other: Any, x: Any) -> Bounds:
        """ln of the ratio of the densities at x."""
        if not isinstance(other, CauchyLaw):
            return super().log_ratio(other, x)
        heights = (1 + other._standard(x) ** 2) / (1 + self._standard(x) ** 2)
        return log(point(heights * other.scale / self.scale))
