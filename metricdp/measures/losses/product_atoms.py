"""The loss law of several mechanisms with finitely many losses on the same data: sums of losses.

Losses of an adaptive composition add (Zhu, Dong, Wang 2022, Theorem 10).  Composing here, before a
sample is drawn and not after, is for mechanisms that read one and the same sample.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.measures.losses.atomic import AtomicLoss
from metricdp.measures.losses.atomic_sum import shared
from metricdp.measures.losses.balls import Ball, ball

_ONE = Fraction(1)


class ProductAtomsLoss(AtomicLoss, msgspec.Struct, frozen=True, dict=True):
    """The product of independent pairs of finitely many losses.

    Attributes:
        factors: (law of atoms, copies >= 1); at least one (ParameterError otherwise).
    """

    factors: tuple[tuple[Any, int], ...]

    def __post_init__(self) -> None:
        if not self.factors or any(copies < 1 for _, copies in self.factors):
            raise ParameterError("there is no factor, or none of one", place="factors")

    @property
    def size(self) -> int:
        """The number of ways to share the copies among the atoms of each factor."""
        return atoms_of(self.factors)

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """1 - prod (1 - leak)^copies."""
        low = high = _ONE
        for loss, copies in self.factors:
            low *= (1 - loss.infinite[0]) ** copies
            high *= (1 - loss.infinite[1]) ** copies
        return 1 - low, 1 - high

    @property
    def largest(self) -> tuple[Fraction, Fraction]:
        """The sum."""
        tops = [(loss.largest, copies) for loss, copies in self.factors]
        return tuple(  # type: ignore[return-value]
            sum((copies * top[side] for top, copies in tops), Fraction(0)) for side in (0, 1)
        )

    def atoms(self) -> list[tuple[Ball, Ball]]:
        """Sums of losses, with products of masses."""
        found = [(ball(0), ball(1))]
        for loss, copies in self.factors:
            atoms = [(s, p, p) for s, p in loss.atoms()]
            power = [(s, p) for s, p, _ in shared(atoms, copies)]
            found = [(s + t, p * w) for s, p in found for t, w in power]
        return found

    def reversed(self) -> ProductAtomsLoss:
        """The factors reversed."""
        return ProductAtomsLoss(tuple((loss.reversed(), copies) for loss, copies in self.factors))


def atoms_of(factors: tuple[tuple[Any, int], ...]) -> int:
    """The number of atoms of a product."""
    found = 1
    for loss, copies in factors:
        found *= comb(copies + loss.size - 1, loss.size - 1)
    return found
