"""Discrete Gaussian noise: P(k) proportional to exp(-k^2 / (2 sigma^2)) on the integers."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from metricdp.expr import decimal_up
from metricdp.families.added import Whole
from metricdp.families.family import Extra

if TYPE_CHECKING:
    from metricdp.accounting.renyi import Curve
    from metricdp.families.spent import SpentNoise
    from metricdp.noise import BitSource


class DiscreteGaussianNoise(Whole, frozen=True):
    """Noise of a parameter sigma, which is about its standard deviation."""

    name: str = "discrete_gaussian"
    parameter: ClassVar[str] = "sigma"
    norm: ClassVar[str] = "L2"
    by_rho: ClassVar[bool] = True

    def noise(self, scale: Fraction, extra: Extra, size: int, source: BitSource) -> Any:
        """See `noise.discrete_gaussian`."""
        from metricdp.noise import discrete_gaussian

        if size == 1:
            return [discrete_gaussian(scale**2, None, source)]
        return discrete_gaussian(scale**2, size, source)

    def law_around(self, x: Fraction, scale: Fraction, extra: Extra) -> Any:
        """A `DiscreteGaussianLaw`."""
        from metricdp.laws import DiscreteGaussianLaw

        return DiscreteGaussianLaw(int(x), scale**2)

    def interval(self, scale: Fraction, extra: Extra, alpha: Fraction) -> float:
        """The least whole number beyond which the noise lies with probability at most alpha."""
        from metricdp.noise import discrete_gaussian_interval, double_up

        return double_up(discrete_gaussian_interval(scale**2, alpha))

    def words(self, scale: Fraction, extra: Extra) -> str:
        """ "discrete normal, parameter sigma 3"."""
        return f"discrete normal, parameter sigma {decimal_up(scale)}"

    def rho_curve(self, rho: Fraction, spent: SpentNoise) -> Curve:
        """Of discrete noise: on a scalar, or on a vector of which few numbers can move.

        A vector of whole numbers whose squares add up to k or less moves in at most k of them, each
        by 1, if k is at most 3: what moves in fewer is a post-processing of what moves in all k.
        """
        from metricdp.accounting.renyi import DiscreteGaussianCurve, GaussianCurve

        sigma, moved = spent.exact(self.parameter), spent.moved
        squares = int(moved * moved)
        if sigma and spent.norm == self.norm and 1 <= squares < 4:
            return DiscreteGaussianCurve(rho, sigma=sigma, numbers=squares)
        if sigma and not spent.norm and moved.denominator == 1:
            return DiscreteGaussianCurve(rho, sigma=sigma, ticks=int(moved), alone=True)
        return GaussianCurve(rho, fine=False)

    def rho(self, scale: Fraction, extra: Extra, step: Fraction) -> Fraction:
        """step^2 / (2 sigma^2), as for the continuous law (Canonne, Kamath, Steinke 2020)."""
        return (step / scale) ** 2 / 2


DISCRETE_GAUSSIAN = DiscreteGaussianNoise()
