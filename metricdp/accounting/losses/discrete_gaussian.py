"""The loss law of discrete Gaussian noise on the integers."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, isqrt, log, log1p, pi
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.accounting.losses.balls import Ball, ball, flint, precision
from metricdp.accounting.losses.loss import CellMasses, Lattice, PlainLoss
from metricdp.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: Losses up to half of this.
_FARTHEST = 10**15
#: Atoms of the discrete Gaussian's loss that are made for cells.
_MOST_ATOMS = 1 << 22


class DiscreteGaussianLoss(PlainLoss, msgspec.Struct, frozen=True):
    """Noise with P(k) proportional to e^(-k^2 / (2 sigma^2)) on the integers, moved by d.

    The loss at k is (d^2 - 2 k d) / (2 sigma^2).  With s = sigma^2 and theta(x) the sum of
    e^(-(k + x)^2 / (2 s)) over the integers, M(z) = e^(z (z + 1) d^2 / (2 s)) theta(z d) / theta(0)
    (complete the square).  In terms of Jacobi's third theta function that is
    e^(z d^2 / (2 s)) theta_3(i z d / (2 pi s)) / theta_3(0) with tau = i / (2 pi s).

    Attributes:
        scale: sigma, > 0.
        movement: d, an integer >= 1.

    Raises:
        ParameterError: a parameter outside its range.
    """

    scale: Fraction
    movement: int = 1

    def __post_init__(self) -> None:
        if not self.scale > 0:
            raise ParameterError(f"is {self.scale}, must be positive", place="scale")
        checked_movement(self.movement, 10**12)
        if self.scale > _FARTHEST:
            raise _too_many(self.scale)
        if self.movement**2 > _FARTHEST * self.scale**2:
            raise ParameterError(
                "losses are beyond the range of doubles",
                place="scale",
                remedy="choose a larger noise scale; such a release protects nothing",
            )

    @property
    def largest(self) -> None:
        """None: unbounded."""
        return

    @property
    def lattice(self) -> Lattice:
        """Offset d^2 / (2 sigma^2), step d / sigma^2."""
        square = self.scale * self.scale
        return Lattice(self.movement**2 / (2 * square), self.movement / square)

    def log_moment(self, c: float) -> float:
        """ln M(c)."""
        s2, d = float(self.scale) ** 2, self.movement
        return c * (c + 1) * d * d / (2 * s2) + _log_theta(s2, c * d) - _log_theta(s2, 0.0)

    def on_line(self, c: float, step: Ball, count: int) -> list[Ball]:
        """M(c + i k step), by Jacobi's theta function."""
        module = flint()
        square, d = ball(self.scale * self.scale), self.movement
        pi_ball = module.arb.pi()
        tau = module.acb(0, 1 / (2 * pi_ball * square))
        turn = module.acb(0, d / (2 * pi_ball * square))
        centre, width = ball(c), ball(step)
        whole = module.acb(0).modular_theta(tau)[2]
        found = []
        for k in range(count):
            z = module.acb(centre, width * k)
            scale = (z * (d * d) / (2 * square)).exp()
            found.append(scale * (turn * z).modular_theta(tau)[2] / whole)
        return found

    def log_decay(self, c: float, t: float) -> float:
        """0: periodic."""
        return 0.0

    def log_decay_in_period(self, c: float, t: float) -> float:
        """Gaussian within half a period.

        By Poisson summation theta(x) = sqrt(2 pi s) sum of e^(-2 pi^2 s n^2 + 2 pi i n x) over the
        integers, s = sigma^2.  With w = d y, |M(c + iy)| / M(c) is at most f(w) / (2 - g), where
        f(w) = sum of e^(-(w - 2 pi s n)^2 / (2 s)) and g = sum of e^(-2 pi^2 s n^2).  f is a heat
        kernel on a circle of length 2 pi s, so it falls on half of it (each factor of Jacobi's
        product does).
        """
        s2, w = float(self.scale) ** 2, self.movement * t
        if s2 < 0.25 or not t > 0:
            return 0.0
        w = min(w, pi * s2)
        others = sum(
            exp(-(2 * pi * n * (pi * s2 * n - w))) + exp(-(2 * pi * n * (pi * s2 * n + w)))
            for n in (1, 2, 3, 4)
        )
        # Terms with n = 5 and beyond are below 1e-40, and so is their sum.
        kernel = sum(2 * exp(-2 * pi * pi * s2 * n * n) for n in (1, 2, 3, 4)) + 1e-40
        return min(0.0, -w * w / (2 * s2) * (1 - 1e-13) + log1p(others + 1e-15) - log1p(-kernel))

    def cells(self, edges: NDArray[Any]) -> CellMasses:
        """Sums of atoms from the far ends inwards."""
        import numpy as np

        k, p, q = _atoms(self)
        s2, d = self.scale * self.scale, float(self.movement)
        # Two products of small integers and one division: the double nearest to the loss.
        losses = (d * d - 2 * k * d) * s2.denominator / (2 * s2.numerator)
        where = np.searchsorted(edges, losses, side="right")
        return CellMasses(
            np.bincount(where, p, len(edges) + 1), np.bincount(where, q, len(edges) + 1), 1e-11
        )

    def reversed(self) -> DiscreteGaussianLoss:
        """Itself, by symmetry."""
        return self


def checked_movement(movement: int, most: int) -> None:
    """ParameterError unless movement is an integer from 1 to most."""
    if not isinstance(movement, int) or isinstance(movement, bool) or not 1 <= movement <= most:
        raise ParameterError(
            f"is {movement!r}, must be an integer from 1 to {most}",
            place="movement",
            remedy="integer noise is for integer statistics; round first and pay for the rounding",
        )


def _too_many(scale: Fraction) -> ParameterError:
    return ParameterError(
        f"the discrete Gaussian with sigma = {float(scale):.6g} has too many atoms",
        place="scale",
        remedy="choose a smaller scale, or use the continuous Gaussian's guarantee",
    )


def _log_theta(s2: float, shift: float) -> float:
    """ln of the sum over k of e^(-(k - shift)^2 / (2 s2)), in doubles; all of it may underflow."""
    if s2 > 4:
        return log(2 * pi * s2) / 2
    centre, reach = round(shift), 8 * ceil(s2**0.5) + 2
    nearest = (centre - shift) ** 2
    others = sum(
        exp((nearest - (k - shift) ** 2) / (2 * s2))
        for k in range(centre - reach, centre + reach + 1)
    )
    return log(others) - nearest / (2 * s2)


@lru_cache(maxsize=4)
def _atoms(loss: DiscreteGaussianLoss) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """(k, P-mass, Q-mass) where either mass is above 1e-290.

    Exponents are below 700 and rounded, so the masses' relative errors are below 1e-12.
    """
    import numpy as np

    s2, d = loss.scale * loss.scale, loss.movement
    reach = isqrt(int(1340 * s2)) + 2
    if 2 * reach + d > _MOST_ATOMS:
        raise _too_many(loss.scale)
    with precision(96):
        theta = (
            flint().acb(0).modular_theta(flint().acb(0, 1 / (2 * flint().arb.pi() * ball(s2))))[2]
        )
        whole = float(theta.real.mid())
    k = np.arange(-reach, reach + d + 1, dtype=float)
    near, far = -k * k / (2 * float(s2)), -((k - d) ** 2) / (2 * float(s2))
    return k, np.exp(near) / whole, np.exp(far) / whole
