"""Gaussian noise: a normal number of standard deviation sigma, rounded to a public grid."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import erfc, sqrt
from typing import TYPE_CHECKING, Any, ClassVar

from metricdp.expr import decimal_up
from metricdp.families.added import Rounded
from metricdp.families.family import Extra
from metricdp.families.tails import two_sided

if TYPE_CHECKING:
    from metricdp.accounting.renyi import Curve
    from metricdp.families.spent import SpentNoise
    from metricdp.noise import BitSource


class GaussianNoise(Rounded, frozen=True):
    """Normal noise; its events state `sigma`, or the target `epsilon`, `delta` and `bound`."""

    name: str = "gaussian"
    parameter: ClassVar[str] = "sigma"
    norm: ClassVar[str] = "L2"
    has_mu: ClassVar[bool] = True
    by_rho: ClassVar[bool] = True

    def request(
        self, noise: Mapping[str, Fraction], lower: Callable[[str], Fraction]
    ) -> tuple[Fraction, dict[str, Any]]:
        """The standard deviation that is stated, or the least one for the target."""
        if self.parameter not in noise and {"epsilon", "delta", "bound"} <= noise.keys():
            from metricdp.accounting.gaussian import analytic_sigma

            sigma = analytic_sigma(lower("epsilon"), lower("delta"))
            return noise["bound"] * sigma, {}
        return super().request(noise, lower)

    def plus(self, x: Any, scale: Fraction, extra: Extra, source: BitSource) -> Any:
        """See `noise.rounded.gaussian`."""
        from metricdp.noise import gaussian

        return gaussian(x, scale, source)

    def ticks(self, x: Any, scale: Fraction, extra: Extra, exponent: int, source: BitSource) -> Any:
        """See `noise.rounded.gaussian_ticks`."""
        from metricdp.noise import gaussian_ticks

        return gaussian_ticks(x, scale, exponent, source)

    def law_around(self, x: Fraction, scale: Fraction, extra: Extra) -> Any:
        """A `RoundedGaussianLaw`."""
        from metricdp.laws import RoundedGaussianLaw

        return RoundedGaussianLaw(x, scale)

    def interval(self, scale: Fraction, extra: Extra, alpha: Fraction) -> float:
        """A quantile of the normal law."""
        from metricdp.noise import gaussian_interval

        return gaussian_interval(scale, alpha)

    def words(self, scale: Fraction, extra: Extra) -> str:
        """ "normal, standard deviation 3"."""
        return f"normal, standard deviation {decimal_up(scale)}"

    def rho_curve(self, rho: Fraction, spent: SpentNoise) -> Curve:
        """Of Gaussian noise."""
        from metricdp.accounting.renyi import GaussianCurve

        return GaussianCurve(rho)

    def noise_curve(self, spent: SpentNoise) -> Curve | None:
        """Of the standard deviation, rounded down; None: it is not known."""
        from metricdp.accounting.gaussian import analytic_sigma
        from metricdp.accounting.renyi import GaussianCurve
        from metricdp.accounting.rounded import short_up

        sigma = spent.lower(self.parameter)
        epsilon, delta = spent.exact("epsilon"), spent.exact("delta")
        if epsilon is not None and delta is not None:
            sigma = spent.lower("bound") * analytic_sigma(epsilon, delta)
        if not sigma:
            return None
        ratio = spent.moved / sigma
        return GaussianCurve(short_up(ratio * ratio / 2))

    def rho(self, scale: Fraction, extra: Extra, step: Fraction) -> Fraction:
        """step^2 / (2 sigma^2) (Bun and Steinke 2016, Lemma 2.5)."""
        return (step / scale) ** 2 / 2

    def below(self, c: Fraction) -> Fraction:
        """P(Z < c)."""
        return two_sided(c, lambda far: erfc(far / sqrt(2)) / 2)


GAUSSIAN = GaussianNoise()
