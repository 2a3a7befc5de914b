"""The loss law of Laplace noise on one number: two atoms and a density between them."""

from __future__ import annotations

from fractions import Fraction
from math import exp, expm1, inf, log, log1p
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.measures.losses.balls import Ball, ball, flint
from metricdp.measures.losses.loss import Cells, Lattice

if TYPE_CHECKING:
    from numpy.typing import NDArray


class LaplaceLoss(msgspec.Struct, frozen=True):
    """P = Laplace(0, 1), Q = Laplace(m, 1).

    Under P: an atom of mass 1/2 at m, one of mass e^-m / 2 at -m, and the density
    e^((l - m)/2) / 4 between.  So M(z) = ((z + 1) e^(z m) + z e^(-(z + 1) m)) / (2 z + 1), with a
    removable singularity at -1/2.  The law of the reversed pair is the same.

    Attributes:
        ratio: m, movement / scale, > 0 (ParameterError otherwise).
    """

    ratio: Fraction

    def __post_init__(self) -> None:
        if not self.ratio > 0:
            raise ParameterError(f"is {self.ratio}, must be positive", place="ratio")

    @property
    def span(self) -> tuple[float, float]:
        """All of the line."""
        return -inf, inf

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """0: mutually absolutely continuous."""
        return Fraction(0), Fraction(0)

    @property
    def lattice(self) -> Lattice | None:
        """None: a density."""
        return None

    def log_moment(self, c: float) -> float:
        """ln M(c), for c > -1/2 read off, below by the symmetry M(-1 - z) = M(z)."""
        m, c = float(self.ratio), max(c, -1 - c)
        # M = e^(cm) (1 + c e^(-(2c+1)m)/(c+1)) (c+1)/(2c+1); at c = -1/2 it is e^(-m/2) (1 + m/2).
        if c + 0.5 < 1e-6:
            return -m / 2 + log1p(m / 2)
        fall = -expm1(-(2 * c + 1) * m)
        return c * m + log(((2 * c + 1) - c * fall) / (2 * c + 1))

    def on_line(self, c: float, step: float, count: int) -> list[Ball]:
        """M(c + i k step), c not -1/2."""
        acb = flint().acb
        m, centre, width = ball(self.ratio), ball(c), ball(step)
        up, down = (centre * m).exp(), (-(centre + 1) * m).exp()
        found = []
        for k in range(count):
            z = acb(centre, width * k)
            turn = acb(0, width * k * m).exp()
            found.append(((z + 1) * (up * turn) + z * (down / turn)) / (2 * z + 1))
        return found

    def log_decay(self, c: float, t: float) -> float:
        """The atoms do not fall, and the density's part falls as a sinc on slices of (-m, m)."""
        from metricdp.measures.losses.decay import log_decay_of_pieces

        m = float(self.ratio)
        pieces = 16
        length = 2 * m / pieces
        total, slices = self.log_moment(c), []
        for j in range(pieces):
            left = -m + j * length
            # The tilted density e^((c + 1/2) l - m/2) / 4 is monotone: least at an end.
            least = min((c + 0.5) * left, (c + 0.5) * (left + length)) - m / 2
            slices.append((length, length * exp(min(least - total, 0.0)) / 4))
        return log_decay_of_pieces(slices, t)

    def cells(self, edges: NDArray[Any]) -> Cells:
        """Differences of exponentials by expm1, and the two atoms."""
        import numpy as np

        m = float(self.ratio)
        inner = np.clip(edges, -m, m)
        starts, stops = np.concatenate(([-m], inner)), np.concatenate((inner, [m]))
        grow = np.expm1((stops - starts) / 2) / 2
        p = np.exp((starts - m) / 2) * grow
        q = np.exp(-(stops + m) / 2) * grow
        high, low = np.searchsorted(edges, (m, -m), side="right")
        p[high] += 0.5
        q[high] += exp(-m) / 2
        p[low] += exp(-m) / 2
        q[low] += 0.5
        # Where +-m lies on an edge, the rounding of m is an error of the neighbouring width.
        least = float(np.diff(edges).min()) if len(edges) > 1 else 1.0
        return Cells(p, q, 1e-14 * (1 + m) + 2.3e-16 * m / least)

    def reversed(self) -> LaplaceLoss:
        """Itself."""
        return self
