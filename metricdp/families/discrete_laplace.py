"""Discrete Laplace noise: P(k) proportional to exp(-|k| / b) on the integers."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from metricdp.expr import decimal_up
from metricdp.families.added import Whole
from metricdp.families.family import Extra
from metricdp.families.laplace import log_ratio

if TYPE_CHECKING:
    from metricdp.accounting.renyi import Curve
    from metricdp.families.spent import SpentNoise
    from metricdp.noise import BitSource


class DiscreteLaplaceNoise(Whole, frozen=True):
    """Two-sided geometric noise of a scale."""

    name: str = "discrete_laplace"
    parameter: ClassVar[str] = "scale"
    norm: ClassVar[str] = "L1"
    is_pure: ClassVar[bool] = True

    def noise(self, scale: Fraction, extra: Extra, size: int, source: BitSource) -> Any:
        """See `noise.discrete_laplace`."""
        from metricdp.noise import discrete_laplace

        if size == 1:
            return [discrete_laplace(scale, None, source)]
        return discrete_laplace(scale, size, source)

    def law_around(self, x: Fraction, scale: Fraction, extra: Extra) -> Any:
        """A `DiscreteLaplaceLaw`."""
        from metricdp.laws import DiscreteLaplaceLaw

        return DiscreteLaplaceLaw(int(x), scale)

    def interval(self, scale: Fraction, extra: Extra, alpha: Fraction) -> float:
        """The least whole number beyond which the noise lies with probability at most alpha."""
        from metricdp.noise import discrete_laplace_interval, double_up

        return double_up(discrete_laplace_interval(scale, alpha))

    def words(self, scale: Fraction, extra: Extra) -> str:
        """ "discrete Laplace, scale 3"."""
        return f"discrete Laplace, scale {decimal_up(scale)}"

    def pure_curve(self, epsilon: Fraction, spent: SpentNoise) -> Curve:
        """Of noise on whole numbers, where these move by whole numbers."""
        from metricdp.accounting.renyi import DiscreteLaplaceCurve, LaplaceCurve, PureCurve

        scale, moved = spent.lower("scale"), spent.moved
        if scale <= 0:
            return PureCurve(epsilon)
        if moved.denominator != 1:
            return LaplaceCurve(epsilon, 1 / scale)
        return DiscreteLaplaceCurve(epsilon, 1 / scale, int(moved))

    def log_ratio(
        self, scale: Fraction, extra: Extra, first: Fraction, second: Fraction, output: Fraction
    ) -> Fraction:
        """As for Laplace noise."""
        return log_ratio(scale, first, second, output)

    def largest_loss(self, scale: Fraction, extra: Extra, step: Fraction) -> Fraction:
        """The step in scales."""
        return abs(step) / scale


DISCRETE_LAPLACE = DiscreteLaplaceNoise()
