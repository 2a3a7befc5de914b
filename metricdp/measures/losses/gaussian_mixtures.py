"""The loss law of two Gaussian mixtures on a line, whose shifts go in opposite directions.

    P = sum a_i N(s_i, 1),   Q = sum c_j N(-t_j, 1),   s_i, t_j >= 0.

These are the worst laws of rows that are sampled by chance, each of which moves a Gaussian
statistic (`accounting.sampled_groups` has the proof).  L = ln dP/dQ increases with x, and the pair
(Q, P) is, mirrored, that of the two mixtures exchanged.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import inf, log, pi, sqrt
from typing import TYPE_CHECKING, Any

from metricdp.measures.losses.balls import Ball, precision
from metricdp.measures.losses.decay import UniformParts
from metricdp.measures.losses.loss import Cells
from metricdp.measures.losses.mixture_logs import Columns, farthest, mixture_logs
from metricdp.measures.losses.mixture_moments import mixture_moments
from metricdp.measures.losses.mixture_pair import MixturePair
from metricdp.measures.losses.monotone_cells import placed
from metricdp.measures.losses.plain import PlainLoss
from metricdp.measures.rounded import ln_down, ln_up

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Beyond this many standard deviations from every centre masses are below 1e-290.
_FAR = 40.0
#: Cells on which a density is bounded from below.
_MOST_CELLS = 1500


class GaussianMixtureLoss(PlainLoss, MixturePair, frozen=True, dict=True):
    """See the module; shifts are in standard deviations."""

    @property
    def span(self) -> tuple[float, float]:
        """Moments are finite everywhere; beyond this the quadrature takes thousands of points."""
        return -inf, 200 / max(farthest(self.first), farthest(self.second))

    @property
    def largest(self) -> tuple[Fraction, Fraction] | None:
        """Unbounded, unless P does not move and Q has a part that does not: then -ln of it."""
        still = sum((w for w, t in self.second if not t), Fraction(0))
        if max(s for _, s in self.first) or not still:
            return None
        return -ln_up(still), -ln_down(still)

    def log_moment(self, c: float) -> float:
        """ln M(c), from a sum on equidistant points."""
        import numpy as np

        most = 1
        while most < abs(c):
            most *= 2
        start, gain = _points(self, most)
        exponents = start + c * gain
        top = float(exponents.max())
        return top + log(float(np.exp(exponents - top).sum()))

    def on_line(self, c: float, step: Ball, count: int) -> list[Ball]:
        """M(c + i k step) by a trapezoid rule with an enclosed error."""
        return mixture_moments(self.first, self.second, self._log_density, c, step, count)

    def log_decay(self, c: float, t: float) -> float:
        """From the density of L under the tilted law."""
        return _uniform_parts(self, c).log_decay(t)

    def cells(self, edges: NDArray[Any]) -> Cells:
        """Masses of normal laws between the x with L(x) = edge."""
        import numpy as np

        from metricdp.measures.losses.normal_cells import cells_between

        span = farthest(self.first) + farthest(self.second)
        low, high = -farthest(self.second) - _FAR, farthest(self.first) + _FAR
        x, doubt = placed(self.along, edges, low, high)
        p, q = (
            np.sum([float(w) * cells_between(x, sign * float(s)) for w, s in mixture], axis=0)
            for mixture, sign in ((self.first, 1), (self.second, -1))
        )
        most = np.minimum(np.abs(np.append(x[:1], x)) + span, _FAR + span) + 1
        return Cells(p, q, 1.2e-13 + 1e-15 * most * (most + span) + doubt)

    def _log_density(self, c: float, x: NDArray[Any]) -> NDArray[Any]:
        """ln of the density of x under P times e^(c L), but for sqrt(2 pi)."""
        one, two = self.logs(self.doubles[0], x)[0], self.logs(self.doubles[1], -x)[0]
        found: NDArray[Any] = (1 + c) * one - c * two - x * x / 2
        return found

    @staticmethod
    def logs(mixture: Columns, x: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """See `MixturePair`."""
        shifts = mixture.shifts
        return mixture_logs(mixture, shifts * (x - shifts / 2), shifts)


@lru_cache(maxsize=64)
def _points(loss: GaussianMixtureLoss, most: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """ln of P-masses, and losses, on points for tilts up to `most` in modulus."""
    import numpy as np

    s, t = farthest(loss.first), farthest(loss.second)
    width = min(0.2, 0.25 / max(s, t))
    x = np.arange(-(most + 1) * max(s, t) - 9, (most + 1) * (s + t) + 9, width)
    one, two = loss.logs(loss.doubles[0], x)[0], loss.logs(loss.doubles[1], -x)[0]
    return one - x * x / 2 + log(width / sqrt(2 * pi)), one - two


@lru_cache(maxsize=64)
def _uniform_parts(loss: GaussianMixtureLoss, c: float) -> UniformParts:
    """Of the law of L tilted by e^(c L), a lower bound of its density on cells of x.

    With h = (1 + c) ln A - c ln C - x^2 / 2 the tilted density of x is e^h / (sqrt(2 pi) M(c)).
    Variances of shifts in [0, S] are at most S^2 / 4, so h'' <= k := (1 + c)_+ S^2 / 4
    + (-c)_+ T^2 / 4 - 1, and on a cell of width w, h is at least its lesser end less k_+ w^2 / 8.
    The slope of L is at most that of ln A at the right end plus that of -ln C at the left end.
    """
    import numpy as np

    with precision(64):
        log_moment = float(loss.on_line(c, 0.0, 1)[0].real.log().upper())
    s, t = farthest(loss.first), farthest(loss.second)
    low = -max(-1 - c, 0.0) * s - max(-c, 0.0) * t - 7
    high = max(1 + c, 0.0) * s + max(c, 0.0) * t + 7
    width = max(min(0.0625, 0.25 / max(s, t)), (high - low) / _MOST_CELLS)
    x = np.arange(low, high + width, width)
    one, up, size_one = loss.logs(loss.doubles[0], x)
    two, down, size_two = loss.logs(loss.doubles[1], -x)
    exponents = (1 + c) * one - c * two - x * x / 2
    bend = max(1 + c, 0.0) * s * s / 4 + max(-c, 0.0) * t * t / 4 - 1
    dip = max(bend, 0.0) * (width * (1 + 1e-9)) ** 2 / 8
    least = np.minimum(exponents[1:], exponents[:-1]) - dip
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        density = np.exp(least - 0.5 * log(2 * pi) - log_moment) / (up[1:] + down[:-1])
    places = one - two
    rounded = 4e-16 * (size_one + size_two + np.abs(one) + np.abs(two))
    # Left out: widths that rounding may change by more than 1e-11 of themselves, and densities
    # whose exponent is too large for that accuracy.
    sound = np.diff(places) > 1e11 * (rounded[1:] + rounded[:-1])
    sound &= np.isfinite(density) & (np.abs(exponents[1:]) + x[1:] * x[1:] < 1e5)
    sound &= (1 + abs(c)) * (rounded[1:] + rounded[:-1]) < 1e-12
    return UniformParts(places, np.where(sound, density, 0.0))
