"""The loss law of Laplace noise on one number: two atoms and a density between them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import exp, expm1, log, log1p, pi
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.accounting.losses.atomic import turned
from metricdp.accounting.losses.balls import Ball, ball, flint
from metricdp.accounting.losses.decay import LARGEST_TILT, UniformParts
from metricdp.accounting.losses.loss import CellMasses, PointwiseLoss
from metricdp.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: Doubles of a few operations are off by less than this share.
_DOUBT = 1e-14


class LaplaceLoss(PointwiseLoss, msgspec.Struct, frozen=True):
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
    def largest(self) -> tuple[Fraction, Fraction]:
        """m, attained."""
        return self.ratio, self.ratio

    @property
    def places(self) -> tuple[float, ...]:
        """-m and m."""
        return -float(self.ratio), float(self.ratio)

    def log_moment(self, c: float) -> float:
        """ln M(c), for c > -1/2 read off, below by the symmetry M(-1 - z) = M(z)."""
        m, c = float(self.ratio), max(c, -1 - c)
        # M = e^(cm) (1 + c e^(-(2c+1)m)/(c+1)) (c+1)/(2c+1); at c = -1/2 it is e^(-m/2) (1 + m/2).
        if c + 0.5 < 1e-6:
            return -m / 2 + log1p(m / 2)
        fall = -expm1(-(2 * c + 1) * m)
        return c * m + log(((2 * c + 1) - c * fall) / (2 * c + 1))

    def on_nodes(self, c: float, step: Ball, nodes: Sequence[int]) -> list[Ball]:
        """M(c + i k step), c not -1/2."""
        acb = flint().acb
        m, centre, width = ball(self.ratio), ball(c), ball(step)
        up, down = (centre * m).exp(), (-(centre + 1) * m).exp()
        turned, found = width * m, []
        for k in nodes:
            z = acb(centre, width * k)
            turn = acb(0, turned * k).exp()
            found.append(((z + 1) * (up * turn) + z * (down / turn)) / (2 * z + 1))
        return found

    def log_moduli(self, c: float, heights: NDArray[Any]) -> NDArray[Any]:
        """The closed form of the modulus.

        With r = e^(-(2c + 1) m), |2z + 1| e^(-cm) |M(z)| = |(z + 1) e^(iym) + r z e^(-iym)|, of
        square |z + 1|^2 + r^2 |z|^2 + 2 r ((c (c + 1) + y^2) cos 2ym + y sin 2ym).  In doubles
        that is off by a few roundings of s^2, s = |z + 1| + r |z|; an error of the angle counts
        2 r |z| |z + 1| <= s^2 / 2 times, and is at most 2ym times 1e-15 and a few roundings.
        """
        import numpy as np

        m = float(self.ratio)
        r, angle = exp(-(2 * c + 1) * m), 2 * m * heights
        far, near = np.hypot(c + 1, heights), r * np.hypot(c, heights)
        turned = (c * (c + 1) + heights * heights) * np.cos(angle) + heights * np.sin(angle)
        square = far * far + near * near + 2 * r * turned
        square = np.maximum(square, 0.0) + _DOUBT * (1 + angle) * (far + near) ** 2
        scale = (2 * c + 1) / ((c + 1 + c * r) * np.hypot(2 * c + 1, 2 * heights))
        found: NDArray[Any] = np.minimum(np.log(np.sqrt(square) * scale * (1 + _DOUBT)), 0.0)
        return found

    def log_decay(self, c: float, t: float) -> float:
        """The density falls as its uniform parts do; the atoms turn against each other.

        Of the tilted law let p and q be the masses of the atoms.  Their part of the modulus is
        |p e^(iym) + q e^(-iym)|, which falls for y m in [0, pi/2], rises up to pi, and never
        exceeds p + q.  So sup over y >= t is at most the largest of three: on [t, pi/2m], on
        [pi/2m, s] with s = 0.9 pi/m, and on [s, oo).
        """
        m = float(self.ratio)
        if abs(c) * m > LARGEST_TILT:
            return 0.0
        parts = _uniform_parts(self, c)
        total = self.log_moment(c)
        p, q = exp(c * m - total) / 2, exp(-(c + 1) * m - total) / 2
        half, late = 0.5 * pi / m, 0.9 * pi / m
        # In units of what is lost of 1, so that small losses keep their digits.
        lost = [parts.lost(max(t, late))]
        if t < late:
            lost.append(turned(p, q, late * m) + parts.lost(max(t, half)))
        if t < half:
            lost.append(turned(p, q, t * m) + parts.lost(t))
        return log1p(-min(min(lost) * (1 - 1e-9), 1 - 1e-9))

    def cells(self, edges: NDArray[Any]) -> CellMasses:
        """Differences of exponentials by expm1, and the two atoms."""
        import numpy as np

        m = float(self.ratio)
        inner = np.clip(edges, -m, m)
        starts, stops = np.concatenate(([-m], inner)), np.concatenate((inner, [m]))
        # From the heavier end of each interval: nothing overflows.
        part = -np.expm1((starts - stops) / 2) / 2
        p = np.exp((stops - m) / 2) * part
        q = np.exp(-(starts + m) / 2) * part
        high, low = np.searchsorted(edges, (m, -m), side="right")
        p[high] += 0.5
        q[high] += exp(-m) / 2
        p[low] += exp(-m) / 2
        q[low] += 0.5
        # The rounding of m moves the ends of intervals, which `CellMasses` allows.
        return CellMasses(p, q, 1e-14 * (1 + m))

    def reversed(self) -> LaplaceLoss:
        """Itself."""
        return self


@lru_cache(maxsize=64)
def _uniform_parts(loss: LaplaceLoss, c: float) -> UniformParts:
    """Of the law tilted by e^(c l): its density between the atoms is e^((c + 1/2) l - m/2) / 4."""
    import numpy as np

    m = float(loss.ratio)
    edges = np.linspace(-m, m, 65)
    exponents = (c + 0.5) * edges - m / 2 - loss.log_moment(c)
    # Monotone, so least at an end of each cell.
    least = np.minimum(exponents[1:], exponents[:-1])
    return UniformParts(edges, np.exp(np.minimum(least, 0.0)) / 4)
