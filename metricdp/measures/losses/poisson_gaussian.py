"""The loss law of Gaussian noise on a Poisson sample, one row removed or added."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil, erfc, inf, log, log1p, pi, sqrt
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.measures.losses.balls import Ball, ball, ends, precision
from metricdp.measures.losses.decay import UniformParts
from metricdp.measures.losses.gaussian import GaussianLoss
from metricdp.measures.losses.loss import Cells, Loss
from metricdp.measures.losses.mixture_powers import mixture_powers
from metricdp.measures.losses.plain import PlainLoss
from metricdp.measures.losses.sampled_cells import MixtureLoss, checked_rate

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Cells on which a density is bounded from below.
_MOST_CELLS = 1500


class PoissonGaussianLoss(PlainLoss, msgspec.Struct, frozen=True):
    """The pair of Q = N(0, 1) and Q' = (1 - q) N(0, 1) + q N(u, 1).

    A row that is sampled with probability q moves the statistic by u standard deviations.  Data
    with the row against data without it ("removed") is the pair (Q', Q), the reverse ("added")
    the pair (Q, Q').  Dominating in each direction (Zhu, Dong, Wang 2022, Theorem 11).  With
    B = dQ'/dQ, M(z) = E_Q[B^(z + 1)] when removed and E_Q[B^(-z)] when added.

    Attributes:
        ratio: u > 0.
        rate: q in (0, 1).
        added: the direction.
        cut: X, where the moments leave off: the law is multiplied by g(x) = Phi(2 (X - x)), and
            what that takes away counts as unknown, at worst an infinite loss.  Far beyond X
            masses are negligible, but high moments are not.  Cells are of the whole law.

    Raises:
        ParameterError: a parameter outside its range.
    """

    ratio: Fraction
    rate: Fraction
    added: bool = False
    cut: float = inf

    def __post_init__(self) -> None:
        if not self.ratio > 0:
            raise ParameterError(f"is {self.ratio}, must be positive", place="ratio")
        checked_rate(self.rate)

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """0: mutually absolutely continuous; with a cut, at most what it takes away."""
        return Fraction(0), self._cut_away

    @property
    def largest(self) -> tuple[Fraction, Fraction] | None:
        """Removed: unbounded.  Added: -ln(1 - q), approached."""
        return self._cells_loss().largest

    @property
    def places(self) -> tuple[float, ...]:
        """None: a density."""
        return ()

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
        far = max(a, 0.0) * u
        bucket = int(min(far, (far + 4 * self.cut) / 5) / 4) + 1
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
        found = mixture_powers(self.ratio, self.rate, self.power(c), step, count, self.cut)
        return [moment.conjugate() for moment in found] if self.added else found

    def log_decay(self, c: float, t: float) -> float:
        """From the density of ln B under the tilted law."""
        return _uniform_parts(self, c).log_decay(t)

    def cells(self, edges: NDArray[Any]) -> Cells:
        """Cells of the normal laws with other edges."""
        return self._cells_loss().cells(edges)

    def reversed(self) -> PoissonGaussianLoss:
        """The other direction."""
        return PoissonGaussianLoss(self.ratio, self.rate, not self.added)

    @property
    def _cut_away(self) -> Fraction:
        """An upper bound of E_P[1 - g]: with Z normal, P(x + Z / 2 > X) for x under P."""
        if self.cut == inf:
            return Fraction(0)
        with precision(64):
            root, cut = (2 * (1 + ball(0.25))).sqrt(), ball(self.cut)
            q = ball(0 if self.added else self.rate)
            away = (1 - q) * (cut / root).erfc() + q * ((cut - ball(self.ratio)) / root).erfc()
            return min(Fraction(1), ends(away / 2)[1])

    def _cells_loss(self) -> Loss:
        forward = MixtureLoss(GaussianLoss(self.ratio), self.rate)
        return forward.reversed() if self.added else forward


def log_ratios(loss: PoissonGaussianLoss, x: NDArray[Any]) -> NDArray[Any]:
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
    if loss.cut < inf:
        log_weights -= 2 * np.maximum(x - loss.cut, 0.0) ** 2
    with np.errstate(over="ignore"):
        excess = q * np.expm1(np.minimum(u * x - u * u / 2, 700.0))
    return log_weights, log_ratios(loss, x), excess


def _log_cut(x: float) -> float:
    """ln Phi(-2x)."""
    value = erfc(sqrt(2) * x) / 2
    return log(value) if value > 1e-300 else -inf


@lru_cache(maxsize=64)
def _uniform_parts(loss: PoissonGaussianLoss, c: float) -> UniformParts:
    """Of the law of ln B tilted by e^(c L), a lower bound of its density on cells.

    In x the tilted density is e^g(x) / (sqrt(2 pi) M(c)), g = a ln B - x^2 / 2, and ln B has the
    slope u p(x), p = q r / B increasing.  g'' = a u^2 p (1 - p) - 1 <= k := max(a, 0) u^2 / 4 - 1,
    so on a cell of width w, g is at least its lesser end less max(k, 0) w^2 / 8.
    """
    import numpy as np

    u, q, a = float(loss.ratio), float(loss.rate), loss.power(c)
    with precision(48):
        log_moment = float(loss.on_line(c, 0.0, 1)[0].real.log().upper())
    end = min(max(a, 0.0) * u, loss.cut) + 7
    width = max(min(0.0625, 0.25 / u), (end + 7) / _MOST_CELLS)
    below, above = ceil(7 / width), ceil(end / width)
    x = width * np.arange(-below, above + 1)
    logs = log_ratios(loss, x)
    exponents = a * logs - x * x / 2
    # Positions from a reference point: ln(B(x) / B(0)), where differences keep their digits.
    with np.errstate(over="ignore"):
        # 0 where the exponential overflows: then these cells are left out below.
        start = q / (q + (1 - q) * np.exp(u * u / 2))
    near = np.log1p(start * np.expm1(np.minimum(u * x, 30.0)))
    places = np.where(u * x < 30, near, logs - logs[below])
    dip = max(max(a, 0.0) * u * u / 4 - 1, 0.0) * width * width / 8
    log_slope = np.log(u * q) + u * x - u * u / 2 - logs
    least = np.minimum(exponents[1:], exponents[:-1]) - dip
    if loss.cut < inf:
        # g falls: least at the right end.
        least += [_log_cut(edge - loss.cut) for edge in x[1:]]
    with np.errstate(over="ignore", under="ignore"):
        density = np.exp(least - 0.5 * log(2 * pi) - log_moment - log_slope[1:])
    largest = np.maximum(np.abs(places[1:]), np.abs(places[:-1]))
    # Left out: widths that rounding may change by more than 1e-10 of themselves, and densities
    # whose exponent is too large for that accuracy.
    sound = (np.diff(places) > 3e-6 * largest) & np.isfinite(density)
    sound &= np.abs(exponents[1:]) + np.abs(x[1:] * x[1:]) < 1e5
    return UniformParts(places, np.where(sound, density, 0.0))
