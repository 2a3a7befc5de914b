"""Laplace noise: density proportional to exp(-|z| / b), rounded to a public grid afterwards."""

from __future__ import annotations

from fractions import Fraction
from math import exp
from typing import TYPE_CHECKING, Any, ClassVar

from metricdp.expr import Expr, decimal_up
from metricdp.expr import exp as expr_exp
from metricdp.families.added import Rounded
from metricdp.families.family import Extra
from metricdp.families.tails import two_sided

if TYPE_CHECKING:
    from metricdp.accounting.renyi import Curve
    from metricdp.families.spent import SpentNoise
    from metricdp.noise import BitSource


def log_ratio(scale: Fraction, first: Fraction, second: Fraction, output: Fraction) -> Fraction:
    """(|o - second| - |o - first|) / b: at most the movement over b, which it attains where the
    output lies beyond the first input as seen from the second; on the integers, too."""
    return (abs(output - second) - abs(output - first)) / scale


class LaplaceNoise(Rounded, frozen=True):
    """Continuous Laplace noise of a scale."""

    name: str = "laplace"
    parameter: ClassVar[str] = "scale"
    norm: ClassVar[str] = "L1"
    is_pure: ClassVar[bool] = True

    def plus(self, x: Any, scale: Fraction, extra: Extra, source: BitSource) -> Any:
        """See `noise.rounded.laplace`."""
        from metricdp.noise import laplace

        return laplace(x, scale, source)

    def ticks(self, x: Any, scale: Fraction, extra: Extra, exponent: int, source: BitSource) -> Any:
        """See `noise.rounded.laplace_ticks`."""
        from metricdp.noise import laplace_ticks

        return laplace_ticks(x, scale, exponent, source)

    def law_around(self, x: Fraction, scale: Fraction, extra: Extra) -> Any:
        """A `RoundedLaplaceLaw`."""
        from metricdp.laws import RoundedLaplaceLaw

        return RoundedLaplaceLaw(x, scale)

    def interval(self, scale: Fraction, extra: Extra, alpha: Fraction) -> float:
        """scale * ln(1 / alpha)."""
        from metricdp.noise import laplace_interval

        return laplace_interval(scale, alpha)

    def words(self, scale: Fraction, extra: Extra) -> str:
        """ "Laplace, scale 3"."""
        return f"Laplace, scale {decimal_up(scale)}"

    def zcdp(self, cost: Expr) -> Expr:
        """m - 1 + e^-m at the cost m, the Kullback-Leibler divergence: convex in m, so one number
        with all of the movement is worst.  Integer noise costs a little more than that."""
        return cost - 1 + expr_exp(-cost)

    def pure_curve(self, epsilon: Fraction, spent: SpentNoise) -> Curve:
        """Of noise on a fine grid."""
        from metricdp.accounting.renyi import FINE_STEP, LaplaceCurve

        return LaplaceCurve(epsilon, FINE_STEP)

    def log_ratio(
        self, scale: Fraction, extra: Extra, first: Fraction, second: Fraction, output: Fraction
    ) -> Fraction:
        """See `log_ratio`."""
        return log_ratio(scale, first, second, output)

    def largest_loss(self, scale: Fraction, extra: Extra, step: Fraction) -> Fraction:
        """The step in scales."""
        return abs(step) / scale

    def below(self, c: Fraction) -> Fraction:
        """P(Z < c)."""
        return two_sided(c, lambda far: exp(-far) / 2)


LAPLACE = LaplaceNoise()
