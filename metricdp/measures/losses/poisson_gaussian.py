"""The loss law of Gaussian noise on a Poisson sample, one row removed or added."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil, inf, log, log1p, pi
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.measures.losses.balls import Ball, precision
from metricdp.measures.losses.decay import UniformParts
from metricdp.measures.losses.gaussian import GaussianLoss
from metricdp.measures.losses.loss import Cells, Lattice, Loss
from metricdp.measures.losses.mixture_powers import mixture_powers
from metricdp.measures.losses.sampled_cells import MixtureLoss, checked_rate

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Cells on which a density is bounded from below.
_MOST_CELLS = 1500


class PoissonGaussianLoss(msgspec.Struct, frozen=True):
    """The pair of Q = N(0, 1) and Q' = (1 - q) N(0, 1) + q N(u, 1).

    A row that is sampled with probability q moves the statistic by u standard deviations.  Data
    with the row against data without it ("removed") is the pair (Q', Q), the reverse ("added")
    the pair (Q, Q').  Dominating in each direction (Zhu, Dong, Wang 2022, Theorem 11).  With
    B = dQ'/dQ, M(z) = E_Q[B^(z + 1)] when removed and E_Q[B^(-z)] when added.

    Attributes:
        ratio: u > 0.
        rate: q in (0, 1).
        added: the direction.

    Raises:
        ParameterError: a parameter outside its range.
    """

    ratio: Fraction
    rate: Fraction
    added: bool = False

    def __post_init__(self) -> None:
        if not self.ratio > 0:
            raise ParameterError(f"is {self.ratio}, must be positive", place="ratio")
        checked_rate(self.rate)

    @property
    def span(self) -> tuple[float, float]:
        """All of the line."""
        return -inf, inf

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """0: mutually absolutely continuous."""
        return Fraction(0), Fraction(0)

    @property
    def largest(self) -> tuple[Fraction, Fraction] | None:
        """Removed: unbounded.  Added: -ln(1 - q), approached."""
        return self._cells_loss().largest

    @property
    def lattice(self) -> Lattice | None:
        """None: a density."""
        return None

    @property
    def most_tilt(self) -> float:
        """Beyond this c the quadrature takes thousands of points."""
        u = float(self.ratio)
        return (60 / u) ** 2 if self.added else 200 / u

    def power(self, c: float) -> float:
        """The power of B at z = c."""
        return -c if self.added else c + 1

    def log_moment(self, c: float) -> float:
        """ln M(c), from a sum on equidistant points."""
        import numpy as np

        a = self.power(c)
        u = float(self.ratio)
        bucket = int(max(a, 0.0) * u / 4) + 1
        log_weights, logs, excess = _points(self, bucket)
        exponents = a * logs
        if exponents.max() > 300:
            exponents += log_weights
            top = float(exponents.max())
            return top + log(float(np.exp(exponents - top).sum()))
        weights = np.exp(log_weights)
        # E[B] = 1, so E[B^a] - 1 = E[B^a - 1 - a (B - 1)]: no cancellation in the sum.
        return log1p(float(np.dot(weights, np.expm1(exponents) - a * excess)))

    def on_line(self, c: float, step: Ball, count: int) -> list[Ball]:
        """M(c + i k step) by a trapezoid rule with an enclosed error."""
        found = mixture_powers(self.ratio, self.rate, self.power(c), step, count)
        return [moment.conjugate() for moment in found] if self.added else found

    def log_decay(self, c: float, t: float) -> float:
        """From the density of ln B under the tilted law."""
        return _uniform_parts(self, c).log_decay(t)

    def log_decay_in_period(self, c: float, t: float) -> float:
        """0: no lattice."""
        return 0.0

    def cells(self, edges: NDArray[Any]) -> Cells:
        """Cells of the normal laws with other edges."""
        return self._cells_loss().cells(edges)

    def reversed(self) -> PoissonGaussianLoss:
        """The other direction."""
        return PoissonGaussianLoss(self.ratio, self.rate, not self.added)

    def _cells_loss(self) -> Loss:
        forward = MixtureLoss(GaussianLoss(self.ratio), self.rate)
        return forward.reversed() if self.added else forward


def _logs(loss: PoissonGaussianLoss, x: NDArray[Any]) -> NDArray[Any]:
    """ln B at x."""
    import numpy as np

    u, q = float(loss.ratio), float(loss.rate)
    power = u * x - u * u / 2
    return np.where(
        power > 0,
        np.logaddexp(power + np.log(q), np.log1p(-q)),
        np.log1p(q * np.expm1(np.minimum(power, 0.0))),
    )


@lru_cache(maxsize=64)
def _points(
    loss: PoissonGaussianLoss, bucket: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """ln of weights, ln B and B - 1, on points for powers up to 4 bucket / u."""
    import numpy as np

    u, q = float(loss.ratio), float(loss.rate)
    spacing = min(0.2, 0.25 / u)
    x = np.arange(-9.0, 4 * bucket + 9.0, spacing)
    log_weights = np.log(spacing) - x * x / 2 - np.log(2 * np.pi) / 2
    with np.errstate(over="ignore"):
        excess = q * np.expm1(np.minimum(u * x - u * u / 2, 700.0))
    return log_weights, _logs(loss, x), excess


@lru_cache(maxsize=64)
def _uniform_parts(loss: PoissonGaussianLoss, c: float) -> UniformParts:
    """Of the law of ln B tilted by e^(c L), a lower bound of its density on cells.

    In x the tilted density is e^g(x) / (sqrt(2 pi) M(c)), g = a ln B - x^2 / 2, and ln B has the
    slope u p(x), p = q r / B increasing.  g'' = a u^2 p (1 - p) - 1 <= k := max(a, 0) u^2 / 4 - 1,
    so on a cell of width w, g is at least its lesser end less max(k, 0) w^2 / 8.
    """
    import numpy as np

    u, q, a = float(loss.ratio), float(loss.rate), loss.power(c)
    with precision(64):
        log_moment = float(loss.on_line(c, 0.0, 1)[0].real.log().upper())
    end = max(a, 0.0) * u + 7
    width = max(min(0.0625, 0.25 / u), (end + 7) / _MOST_CELLS)
    below, above = ceil(7 / width), ceil(end / width)
    x = width * np.arange(-below, above + 1)
    logs = _logs(loss, x)
    exponents = a * logs - x * x / 2
    # Positions from a reference point: ln(B(x) / B(0)), where differences keep their digits.
    start = q / (q + (1 - q) * np.exp(u * u / 2))
    near = np.log1p(start * np.expm1(np.minimum(u * x, 30.0)))
    places = np.where(u * x < 30, near, logs - logs[below])
    dip = max(max(a, 0.0) * u * u / 4 - 1, 0.0) * width * width / 8
    log_slope = np.log(u * q) + u * x - u * u / 2 - logs
    least = np.minimum(exponents[1:], exponents[:-1]) - dip
    with np.errstate(over="ignore", under="ignore"):
        density = np.exp(least - 0.5 * log(2 * pi) - log_moment - log_slope[1:])
    largest = np.maximum(np.abs(places[1:]), np.abs(places[:-1]))
    # Left out: widths that rounding may change by more than 1e-10 of themselves, and densities
    # whose exponent is too large for that accuracy.
    sound = (np.diff(places) > 3e-6 * largest) & np.isfinite(density)
    sound &= np.abs(exponents[1:]) + np.abs(x[1:] * x[1:]) < 1e5
    return UniformParts(places, np.where(sound, density, 0.0))
