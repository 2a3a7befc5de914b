"""The loss law of discrete Laplace (two-sided geometric) noise on the integers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import exp, expm1, log, log1p, pi, sin
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.accounting.losses.atomic import AtomicLoss, turned
from metricdp.accounting.losses.balls import Ball, ball, flint
from metricdp.accounting.losses.decay import LARGEST_TILT
from metricdp.accounting.losses.discrete_gaussian import checked_movement
from metricdp.accounting.losses.loss import CellMasses, Lattice
from metricdp.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray


_MOST_MOVEMENT = 10**6


class DiscreteLaplaceLoss(AtomicLoss, msgspec.Struct, frozen=True, dict=True):
    """Noise with P(k) proportional to e^(-|k| / scale) on the integers, moved by d.

    With a = e^(-1 / scale), P(K <= 0) = 1 / (1 + a) has loss d / scale, P(K >= d) = a^d / (1 + a)
    has -d / scale, and k in between has (d - 2k) / scale, of mass a^k (1 - a) / (1 + a).  Those in
    between add a geometric series to M(z), of ratio a e^(-2z / scale).

    Attributes:
        scale: > 0.
        movement: d, an integer from 1 to 10^6.

    Raises:
        ParameterError: a parameter outside its range.
    """

    scale: Fraction
    movement: int = 1

    def __post_init__(self) -> None:
        if not self.scale > 0:
            raise ParameterError(f"is {self.scale}, must be positive", place="scale")
        checked_movement(self.movement, _MOST_MOVEMENT)

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """0: the supports agree."""
        return Fraction(0), Fraction(0)

    @property
    def largest(self) -> tuple[Fraction, Fraction]:
        """d / scale, attained."""
        return self.movement / self.scale, self.movement / self.scale

    @property
    def lattice(self) -> Lattice:
        """Offset d / scale, step 2 / scale."""
        return Lattice(self.movement / self.scale, 2 / self.scale)

    @property
    def size(self) -> int:
        """d + 1."""
        return self.movement + 1

    def atoms(self) -> list[tuple[Ball, Ball]]:
        """From the largest loss down."""
        unit = 1 / ball(self.scale)
        a, d = (-unit).exp(), self.movement
        found = [(unit * d, 1 / (1 + a))]
        inner = (1 - a) / (1 + a)
        for k in range(1, d):
            inner = inner * a
            found.append((unit * (d - 2 * k), inner))
        return [*found, (-unit * d, a**d / (1 + a))]

    def log_moment(self, c: float) -> float:
        """ln M(c); for c < -1/2 by the symmetry M(-1 - c) = M(c)."""
        unit, d, c = float(1 / self.scale), self.movement, max(c, -1 - c)
        # Less e^(c d unit): 1, the inner atoms e^(-2 c k unit) a^k, the last one.
        rate = (1 + 2 * c) * unit
        inner = (d - 1.0) if rate < 1e-12 else expm1(-(d - 1) * rate) * exp(-rate) / expm1(-rate)
        total = 1 - expm1(-unit) * inner + exp(-d * rate)
        return c * d * unit + log(total) - log1p(exp(-unit))

    def on_nodes(self, c: float, step: Ball, nodes: Sequence[int]) -> list[Ball]:
        """M(c + i k step), c not -1/2."""
        acb, unit, d = flint().acb, 1 / ball(self.scale), self.movement
        a, centre, width = (-unit).exp(), ball(c), ball(step)
        found = []
        for k in nodes:
            turn = (acb(centre, width * k) * unit).exp()
            rate = a / (turn * turn)
            last = rate**d
            inner = (1 - a) * (rate - last) / (1 - rate)
            found.append(turn**d * (1 + inner + last) / (1 + a))
        return found

    def log_decay_in_period(self, c: float, t: float) -> float:
        """The larger of two bounds: neighbouring atoms, and the two ends with what is between.

        Second bound, for d > 2, with D = 2 d / scale the distance of the ends and p, q their tilted
        masses: |p + q e^(iyD)| falls for y D in [0, pi], rises up to 2 pi and is at most p + q; see
        `laplace.LaplaceLoss.log_decay`.  The d - 1 atoms in between have geometric masses, so
        they contain the uniform law on them with d - 1 times the least mass, of which
        |sin(n x) / (n sin x)|, x = y step / 2 and n = d - 1, is left.  That falls up to
        x = pi / n and is at most 1 / (n sin x), which falls up to pi / 2, half a period.
        """
        near = super().log_decay_in_period(c, t) if self.movement < 64 else 0.0
        unit, d = float(1 / self.scale), self.movement
        if d < 3 or not t > 0 or abs(c) * d * unit > LARGEST_TILT:
            return near
        total = self.log_moment(c)
        a = exp(-unit)
        ends = [exp(sign * c * d * unit - total) / (1 + a) for sign in (1, -1)]
        p, q = ends[0], ends[1] * exp(-d * unit)
        exponents = [-k * unit + c * (d - 2 * k) * unit - total for k in (1, d - 1)]
        mass = (d - 1) * exp(min(exponents)) * -expm1(-unit) / (1 + a)

        def inner(y: float) -> float:
            """A lower bound of what the atoms in between lose at heights from y on."""
            n, x = d - 1, min(y * unit, pi / 2)
            beyond = 1 / (n * sin(max(x, pi / n)))
            here = sin(n * x) / (n * sin(x)) if x < pi / n else 0.0
            return mass * max(0.0, 1 - max(beyond, here))

        half, late = 0.5 * pi / (d * unit), 0.9 * pi / (d * unit)
        lost = [inner(max(t, late))]
        if t < late:
            lost.append(turned(p, q, late * d * unit) + inner(max(t, half)))
        if t < half:
            lost.append(turned(p, q, t * d * unit) + inner(t))
        return min(near, log1p(-min(min(lost) * (1 - 1e-9), 1 - 1e-9)))

    def cells(self, edges: NDArray[Any]) -> CellMasses:
        """Sums of atoms; their exponents k / scale are rounded."""
        import numpy as np

        unit, d = float(1 / self.scale), self.movement
        k = np.arange(d + 1.0)
        p = np.exp(-k * unit)
        p[1:-1] *= -expm1(-unit)
        p /= 1 + exp(-unit)
        # A product of small integers and one division: the double nearest to the loss.
        losses = (d - 2 * k) * self.scale.denominator / self.scale.numerator
        where = np.searchsorted(edges, losses, side="right")
        sizes = len(edges) + 1
        error = 1e-14 + 4e-16 * min(d * unit, 700.0)
        return CellMasses(np.bincount(where, p, sizes), np.bincount(where, p[::-1], sizes), error)

    def reversed(self) -> DiscreteLaplaceLoss:
        """Itself, by symmetry."""
        return self
