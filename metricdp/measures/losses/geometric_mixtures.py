"""The loss law of two mixtures of discrete Laplace noise, whose shifts go opposite ways.

    P = sum a_i D(s_i),   Q = sum c_j D(-t_j),   whole numbers s_i, t_j >= 0,

with D(s) ~ e^(-unit |k - s|) on the integers.  These are the worst laws of rows that are sampled by
chance and read by mechanisms with a pure epsilon, `unit` (`accounting.sampled_groups` has the
proof).  Right of all shifts, and left of them, the ratio is constant: there are S + T + 1 atoms,
S and T the largest shifts.
"""

from __future__ import annotations

from fractions import Fraction

import msgspec

from metricdp.errors import ParameterError
from metricdp.measures.losses.atomic import AtomicLoss
from metricdp.measures.losses.balls import Ball, ball
from metricdp.measures.losses.laplace_mixtures import largest_loss
from metricdp.measures.losses.loss import Lattice
from metricdp.measures.losses.mixture_logs import Mixture
from metricdp.measures.losses.mixture_pair import checked_mixtures


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
