"""The loss law of discrete Gaussian noise on a Poisson sample, one row removed or added.

The noise P(k) ~ e^(-k^2 / (2 s)), s = sigma^2, has the loss (d^2 - 2 k d) / (2 s) at k, for which
the sampled ratio is B = 1 - q + q e^loss: removed, ln B with the mass (1 - q) Q + q P; added,
-ln B with the mass Q (Q the noise around d).  Both laws have countably many atoms.  Those with k
from -K to K + d are kept; of the others, whose P-mass and Q-mass are each at most
    2 sum over k > K of e^(-k^2 / (2 s)) <= 2 e^(-(K + 1)^2 / (2 s)) / (1 - e^(-(K + 1) / s)),
nothing is used but this bound: they may have any loss.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from metricdp.measures.losses.balls import Ball, ball, ends, flint, precision
from metricdp.measures.losses.sampled_atoms import MOST_ATOMS, PoissonAtomsLoss

#: ln of the mass that is left out is below minus this.
_LEFT = 700


class PoissonDiscreteGaussianLoss(PoissonAtomsLoss, frozen=True, dict=True):
    """Discrete Gaussian noise under Poisson samples; see the module.

    Attributes:
        base: the noise, a `DiscreteGaussianLoss`.
    """

    @property
    def size(self) -> int:
        """2 K + d + 1."""
        return 2 * self.reach + int(self.base.movement) + 1

    @property
    def reach(self) -> int:
        """K."""
        return isqrt(int(2 * _LEFT * Fraction(self.base.scale) ** 2)) + 1

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """At most what is left out; 0 where the atoms are not used."""
        if self.size > MOST_ATOMS:
            return Fraction(0), Fraction(0)
        with precision(64):
            s, k = ball(self.base.scale**2), self.reach + 1
            away = 2 * (-k * k / (2 * s)).exp() / -(-k / s).expm1()
            return Fraction(0), ends(away)[1]

    def atoms(self) -> list[tuple[Ball, Ball]]:
        """From the largest loss of a removed row down."""
        module, d, reach = flint(), self.base.movement, self.reach
        q, s = ball(self.rate), ball(self.base.scale**2)
        tau = module.acb(0, 1 / (2 * module.arb.pi() * s))
        whole = module.acb(0).modular_theta(tau)[2].real
        found = []
        for k in range(-reach, reach + d + 1):
            ratio = q * ((d * d - 2 * k * d) / (2 * s)).expm1()
            mass = (-((k - d) ** 2) / (2 * s)).exp() / whole
            loss = ratio.log1p()
            found.append((-loss, mass) if self.added else (loss, mass * (1 + ratio)))
        return found

    def reversed(self) -> PoissonDiscreteGaussianLoss:
        """The other direction."""
        return PoissonDiscreteGaussianLoss(self.base, self.rate, not self.added)
