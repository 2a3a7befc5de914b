"""The loss law of two mixtures of Laplace noise on a line, whose shifts go opposite ways.

    P = sum a_i Lap(s_i, 1),   Q = sum c_j Lap(-t_j, 1),   s_i, t_j >= 0.

These are the worst laws of rows that are sampled by chance (`measures.sampled_groups` has the
proof).  Between -T and S, the largest shifts, L = ln dP/dQ increases; beyond them it is constant:
two atoms.

The loss law of two mixtures of discrete Laplace noise, whose shifts go opposite ways.

    P = sum a_i D(s_i),   Q = sum c_j D(-t_j),   whole numbers s_i, t_j >= 0,

with D(s) ~ e^(-unit |k - s|) on the integers.  These are the worst laws of rows that are sampled by
chance and read by mechanisms with a pure epsilon, `unit` (`measures.sampled_groups` has the
proof).  Right of all shifts, and left of them, the ratio is constant: there are S + T + 1 atoms,
S and T the largest shifts.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.accounting.losses.atomic import AtomicLoss
from metricdp.accounting.losses.balls import Ball, ball
from metricdp.accounting.losses.by_cells import CellsLoss
from metricdp.accounting.losses.loss import CellMasses, Lattice
from metricdp.accounting.losses.mixtures import (
    Columns,
    Mixture,
    MixturePair,
    checked_mixtures,
    farthest,
    mixture_logs,
    placed,
)
from metricdp.accounting.rounded import exp_down, exp_up, ln_down, ln_up
from metricdp.errors import ParameterError

if TYPE_CHECKING:
    from numpy.typing import NDArray


class LaplaceMixtureLoss(CellsLoss, MixturePair, frozen=True, dict=True):
    """See the module; shifts are in scales."""

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """0: the supports agree."""
        return Fraction(0), Fraction(0)

    @property
    def largest(self) -> tuple[Fraction, Fraction]:
        """Right of all shifts: ln sum a_i e^(s_i) - ln sum c_j e^(-t_j), attained."""
        return largest_loss(self.first, self.second)

    @property
    def ends(self) -> tuple[float, float]:
        """Beyond them the loss is constant."""
        return -farthest(self.second), farthest(self.first)

    def cells(self, edges: NDArray[Any]) -> CellMasses:
        """Masses of Laplace laws between the x with L(x) = edge, and the two atoms."""
        import numpy as np

        low, high = self.ends
        x, doubt = placed(self.along, edges, self.start)
        ends = self.along(np.array([low, high])).losses
        where = np.searchsorted(edges, ends, side="right")
        found = []
        for mixture, sign in ((self.first, 1), (self.second, -1)):
            masses = np.zeros(len(edges) + 1)
            for w, s in mixture:
                centre, share = sign * float(s), float(w)
                masses += share * _between(np.concatenate(([low], x, [high])) - centre)
                masses[where[0]] += share * np.exp(low - centre) / 2
                masses[where[1]] += share * np.exp(centre - high) / 2
            found.append(masses)
        p, q = found
        return CellMasses(p, q, 1e-14 * (1 + high - low) + doubt)

    @staticmethod
    def logs(mixture: Columns, x: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """See `MixturePair`."""
        import numpy as np

        shifts = mixture.shifts
        slopes = np.where((x > 0) & (x < shifts), 2.0, 0.0)
        return mixture_logs(mixture, np.clip(2 * x - shifts, -shifts, shifts), slopes)


def largest_loss(first: Mixture, second: Mixture) -> tuple[Fraction, Fraction]:
    """ln sum a_i e^(s_i) - ln sum c_j e^(-t_j), enclosed."""
    up, down = (sum((w * e(s) for w, s in first), Fraction(0)) for e in (exp_up, exp_down))
    less, more = (sum((w * e(-t) for w, t in second), Fraction(0)) for e in (exp_down, exp_up))
    return ln_down(down) - ln_up(more), ln_up(up) - ln_down(less)


def _between(x: NDArray[Any]) -> NDArray[Any]:
    """Masses of Lap(0, 1) between increasing points; nothing is subtracted."""
    import numpy as np

    left, right = x[:-1], x[1:]
    gap = -np.expm1(left - right) / 2
    across = -(np.expm1(np.minimum(left, 0.0)) + np.expm1(-np.maximum(right, 0.0))) / 2
    one_side = np.exp(-np.minimum(np.abs(left), np.abs(right))) * gap
    found: NDArray[Any] = np.where((left < 0) & (right > 0), across, one_side)
    return found


class GeometricMixtureLoss(AtomicLoss, msgspec.Struct, frozen=True, dict=True):
    """See the module.

    Attributes:
        unit: logarithm of the ratio of neighbouring masses, > 0.
        first: (a_i, s_i), weights > 0 that sum to 1 and whole shifts >= 0.
        second: (c_j, t_j), likewise.

    Raises:
        ParameterError: a parameter outside its range, or no shift above 0.
    """

    unit: Fraction
    first: Mixture
    second: Mixture

    def __post_init__(self) -> None:
        if not self.unit > 0:
            raise ParameterError(f"is {self.unit}, must be positive", place="unit")
        checked_mixtures(self.first, self.second)
        if any(s.denominator != 1 for _, s in (*self.first, *self.second)):
            raise ParameterError("a shift is no whole number", place="first")

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """0: the supports agree."""
        return Fraction(0), Fraction(0)

    @property
    def largest(self) -> tuple[Fraction, Fraction]:
        """Right of all shifts, attained."""
        first, second = (
            tuple((w, s * self.unit) for w, s in mixture) for mixture in (self.first, self.second)
        )
        return largest_loss(first, second)

    def atoms(self) -> list[tuple[Ball, Ball]]:
        """From the left."""
        a = (-ball(self.unit)).exp()
        low, high = (int(max(s for _, s in m)) for m in (self.second, self.first))
        found = []
        for k in range(-low, high + 1):
            end = k in (-low, high)
            p = sum((ball(w) * _mass(a, k - int(s), end) for w, s in self.first), ball(0))
            q = sum((ball(w) * _mass(a, k + int(t), end) for w, t in self.second), ball(0))
            found.append(((p / q).log(), p))
        return found

    def reversed(self) -> GeometricMixtureLoss:
        """The mixtures exchanged, mirrored."""
        return GeometricMixtureLoss(self.unit, self.second, self.first)


class IdleResponseLoss(AtomicLoss, msgspec.Struct, frozen=True, dict=True):
    """Randomized response with odds e^epsilon that with some probability reads nothing at all.

    Attributes:
        epsilon: > 0.
        active: the probability that it reads its input, in (0, 1]; public.

    Raises:
        ParameterError: a parameter outside its range.
    """

    epsilon: Fraction
    active: Fraction

    def __post_init__(self) -> None:
        if not self.epsilon > 0:
            raise ParameterError(f"is {self.epsilon}, must be positive", place="epsilon")
        if not 0 < self.active <= 1:
            raise ParameterError(f"is {self.active}, must be in (0, 1]", place="active")

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """0: the supports agree."""
        return Fraction(0), Fraction(0)

    @property
    def largest(self) -> tuple[Fraction, Fraction]:
        """epsilon, attained."""
        return self.epsilon, self.epsilon

    @property
    def lattice(self) -> Lattice:
        """-epsilon, 0, epsilon."""
        return Lattice(Fraction(0), self.epsilon)

    def atoms(self) -> list[tuple[Ball, Ball]]:
        """Written with e^-epsilon, so that a large epsilon does not overflow."""
        epsilon, active = ball(self.epsilon), ball(self.active)
        high = active / (1 + (-epsilon).exp())
        found = [(epsilon, high), (-epsilon, high * (-epsilon).exp())]
        return found if self.active == 1 else [*found, (ball(0), 1 - active)]

    def reversed(self) -> IdleResponseLoss:
        """Itself, by symmetry."""
        return self


def _mass(a: Ball, k: int, end: bool) -> Ball:
    """Of D(0) at k, or of everything from k on to the side where k is an end.

    At the right end all k are >= 0, at the left end <= 0.
    """
    return a ** abs(k) / (1 + a) * (1 if end else 1 - a)
