"""The loss law of Gaussian noise: L is normal with mean u^2/2 and variance u^2 under P.

Masses of the standard normal law on intervals, as doubles of small relative error.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import erf, erfc, inf, pi, sqrt
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.accounting.losses.balls import Ball, ball, flint
from metricdp.accounting.losses.loss import CellMasses, Loss, PointwiseLoss
from metricdp.accounting.rounded import root_up
from metricdp.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: Factor that moves a bound computed in doubles to the safe side.
_SAFE = 1 - 1e-13


class NormalLoss(PointwiseLoss):
    """L is normal with mean v/2 and variance v under P: M(z) = exp(z (z + 1) v / 2)."""

    @property
    def squared(self) -> Fraction:
        """v."""
        raise NotImplementedError

    @property
    def root(self) -> float:
        """The square root of v, within two roundings."""
        raise NotImplementedError

    @property
    def largest(self) -> None:
        """None: unbounded."""
        return

    @property
    def places(self) -> tuple[float, ...]:
        """None: a density."""
        return ()

    def log_moment(self, c: float) -> float:
        """ln M(c)."""
        return c * (c + 1) * self.root**2 / 2

    def on_nodes(self, c: float, step: Ball, nodes: Sequence[int]) -> list[Ball]:
        """M(c + iy): exp((c (c + 1) - y^2) v / 2) turned by y (2c + 1) v / 2."""
        half = ball(self.squared / 2)
        centre, width = ball(c), ball(step)
        first = (centre * (centre + 1) * half).exp()
        turn = (2 * centre + 1) * half * width
        fall = width * width * half
        acb = flint().acb
        return [first * acb(-fall * (k * k), turn * k).exp() for k in nodes]

    def log_moduli(self, c: float, heights: NDArray[Any]) -> NDArray[Any]:
        """-v y^2 / 2, exactly."""
        found: NDArray[Any] = (-0.5 * _SAFE * self.root**2) * heights * heights
        return found

    def log_decay(self, c: float, t: float) -> float:
        """-v t^2 / 2, exactly the modulus, which falls."""
        return -0.5 * self.root**2 * t * t * _SAFE

    def cells(self, edges: NDArray[Any]) -> CellMasses:
        """Masses of N(u^2/2, u^2) and N(-u^2/2, u^2)."""
        import numpy as np

        u = self.root
        starts = np.concatenate(([-inf], edges))
        widths = np.concatenate(([inf], np.diff(edges), [inf])) / u
        p = normal_masses(starts / u - u / 2, widths)
        q = normal_masses(starts / u + u / 2, widths)
        # The first cell is the lower tail, whose upper end is what matters.
        first = float(-edges[0] / u)
        p[0] = upper_tail(first + u / 2)
        q[0] = upper_tail(first - u / 2)
        # |d ln phi| = |x| |dx|, with |dx| at most 4 roundings of |x| + u, besides the rule's error.
        ends: Any = np.concatenate((edges[:1], edges)) / u
        bounded = np.where(np.isfinite(widths), widths, 0.0)
        farthest = np.minimum(np.abs(ends) + bounded + u, 38.0 + u) + 1
        narrow = widths * np.maximum(1.0, farthest) <= 0.3
        return CellMasses(p, q, np.where(narrow, 2e-14, 1e-13) + 1e-15 * farthest * (farthest + u))

    def reversed(self) -> Loss:
        """Itself."""
        return self


class GaussianLoss(NormalLoss, msgspec.Struct, frozen=True):
    """P = N(u, 1), Q = N(0, 1): v = u^2.

    Dominating for noise N(0, s^2) on every entry and an input that moves by u s in L2 (Dong, Roth,
    Su 2022, Theorem 2.7: rotation onto one axis).  The law of the reversed pair is the same.

    Attributes:
        ratio: u, movement / standard deviation, > 0 (ParameterError otherwise).
    """

    ratio: Fraction

    def __post_init__(self) -> None:
        if not self.ratio > 0:
            raise ParameterError(f"is {self.ratio}, must be positive", place="ratio")

    @property
    def squared(self) -> Fraction:
        """u^2."""
        return self.ratio * self.ratio

    @property
    def root(self) -> float:
        """u."""
        return float(self.ratio)


class ManyGaussiansLoss(NormalLoss, msgspec.Struct, frozen=True, dict=True):
    """Different Gaussians together: v = sum n_i u_i^2, whose root may be irrational.

    Attributes:
        total: v, > 0.
    """

    total: Fraction

    @property
    def squared(self) -> Fraction:
        """v."""
        return self.total

    @cached_property
    def root(self) -> float:
        """From above by a part in 10^30, then rounded once."""
        return float(root_up(self.total))


#: Nodes and weights of the Gauss-Legendre rule of 5 points on [-1, 1] (Abramowitz, Stegun 25.4.30).
_NODES = (-0.9061798459386640, -0.5384693101056831, 0.0, 0.5384693101056831, 0.9061798459386640)
_OUTER, _INNER = 0.2369268850561891, 0.4786286704993665
_WEIGHTS = (_OUTER, _INNER, 0.5688888888888889, _INNER, _OUTER)
#: Cells no wider than this in units of 1 / max(1, |x|) are integrated by the rule.
_NARROW = 0.3
#: Beyond this the mass is below 1e-290.
_FAR = 36.6


def normal_masses(left: NDArray[Any], width: NDArray[Any]) -> NDArray[Any]:
    """P(left <= X < left + width) for standard normal X.

    Narrow cells are integrated by the 5-point rule, whose relative error is below 1e-14 for them
    (its remainder has the factor width^10 / 5e12 times the tenth logarithmic derivative); wide
    cells are differences of erfc on the side of the nearer tail, where the smaller term is at most
    e^-0.3 of the larger.  The C library's erf and erfc are taken to be accurate to 1e-14.

    Args:
        left: left ends, shape (n,); -inf with width inf is allowed.
        width: widths > 0, shape (n,).

    Returns:
        Masses, shape (n,): relative error 1e-13 plus that of e^(-x^2/2) under rounded ends.
        Masses below 1e-290 have that absolute error.
    """
    import numpy as np

    with np.errstate(invalid="ignore", under="ignore", over="ignore"):
        right = left + width
        middle = left + width / 2
        narrow = width * np.maximum(1.0, np.abs(middle)) <= _NARROW
        out = np.zeros(len(left))
        near = narrow & (np.abs(middle) < _FAR + 1)
        if near.any():
            half, centre = width[near] / 2, middle[near]
            total = np.zeros(len(half))
            for node, weight in zip(_NODES, _WEIGHTS, strict=True):
                total += weight * np.exp(-0.5 * (centre + node * half) ** 2)
            out[near] = total * half / sqrt(2 * pi)
    wide = ~narrow & (left < _FAR) & (right > -_FAR)
    if wide.any():
        out[wide] = _wide(left[wide], right[wide])
    return out


def cells_between(x: NDArray[Any], mean: float) -> NDArray[Any]:
    """Masses of N(mean, 1) between points x that do not decrease, outer cells included."""
    import numpy as np

    gaps = np.diff(x)
    apart = np.append(gaps > 0, True)
    starts = np.append(-inf, x - mean)
    widths = np.concatenate(([inf], np.where(apart[:-1], gaps, 1.0), [inf]))
    found = normal_masses(starts, widths)
    found[1:-1][~apart[:-1]] = 0.0
    found[0] = upper_tail(float(mean - x[0]))
    return found


def upper_tail(a: float) -> float:
    """P(X >= a) for standard normal X: what `normal_masses` gives for the width inf."""
    if not a < _FAR:
        return 0.0
    near = a / sqrt(2.0)
    return 0.5 * (erfc(near) if near >= 0 else 1.0 - erf(near))


def _wide(a: NDArray[Any], b: NDArray[Any]) -> NDArray[Any]:
    """Masses of [a, b) from the side of the nearer tail, or of the middle."""
    import numpy as np

    mirrored = b <= 0
    near = np.where(mirrored, -b, a) / sqrt(2.0)
    far = np.where(mirrored, -a, b) / sqrt(2.0)
    found = np.empty(len(a))
    for law, sign, part in ((erfc, 1, near >= 0), (erf, -1, near < 0)):
        if part.any():
            first, second = (np.array([*map(law, ends[part].tolist())]) for ends in (near, far))
            found[part] = sign * (first - second)
    return 0.5 * found
