"""The loss law of a pair of finite laws with rational probabilities."""

from __future__ import annotations

from fractions import Fraction

import msgspec

from metricdp.errors import ParameterError
from metricdp.measures.losses.atomic import AtomicLoss
from metricdp.measures.losses.balls import Ball, ball
from metricdp.measures.losses.loss import Lattice
from metricdp.noise.enclose import ln_bounds


class FiniteLoss(AtomicLoss, msgspec.Struct, frozen=True, dict=True):
    """P and Q on one finite set of outcomes.

    Attributes:
        outcomes: (P, Q) probability of each outcome; each column sums to 1.

    Raises:
        ParameterError: no outcome, a negative probability, or a column that does not sum to 1.
    """

    outcomes: tuple[tuple[Fraction, Fraction], ...]

    def __post_init__(self) -> None:
        if any(p < 0 or q < 0 for p, q in self.outcomes):
            raise ParameterError("a probability is negative", place="outcomes")
        for name, column in zip("PQ", zip(*self.outcomes, strict=True), strict=False):
            if sum(column) != 1:
                raise ParameterError(
                    f"the probabilities of {name} sum to {sum(column)}, not 1",
                    place="outcomes",
                    remedy="write them as fractions that sum to 1 exactly",
                )
        if not self.outcomes:
            raise ParameterError("there is no outcome", place="outcomes")

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """The P-mass where Q is 0."""
        leak = sum((p for p, q in self.outcomes if not q), Fraction(0))
        return leak, leak

    @property
    def largest(self) -> tuple[Fraction, Fraction]:
        """The logarithm of the largest ratio."""
        return ln_bounds(max(self._ratios(), default=Fraction(1)))

    @property
    def lattice(self) -> Lattice | None:
        """Logarithms of rationals are irrational but for ln 1 = 0."""
        return Lattice(Fraction(0), Fraction(1)) if self._ratios().keys() <= {1} else None

    def _ratios(self) -> dict[Fraction, Fraction]:
        """P / Q -> P-mass of the outcomes with that ratio."""
        masses: dict[Fraction, Fraction] = {}
        for p, q in self.outcomes:
            if p and q:
                masses[p / q] = masses.get(p / q, Fraction(0)) + p
        return masses

    def atoms(self) -> list[tuple[Ball, Ball]]:
        """Outcomes of one ratio are one atom."""
        return [(ball(ratio).log(), ball(p)) for ratio, p in self._ratios().items()]

    def reversed(self) -> FiniteLoss:
        """Columns exchanged."""
        return FiniteLoss(tuple((q, p) for p, q in self.outcomes))
