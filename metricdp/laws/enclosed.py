"""Laws on finitely many outcomes with irrational probabilities, as enclosures."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

import msgspec

from metricdp.laws.interval import ZERO, log, over
from metricdp.laws.law import Law
from metricdp.noise.enclose import Bounds


class EnclosedLaw(msgspec.Struct, frozen=True):
    """An enclosure of the probability of each outcome; all of them positive."""

    probability: Mapping[Hashable, Bounds]

    def support(self) -> tuple[Hashable, ...]:
        """Outcomes of positive probability."""
        return tuple(self.probability)

    def pmf(self, outcome: Hashable) -> Bounds:
        """P(X = outcome)."""
        return self.probability.get(outcome, ZERO)

    def log_ratio(self, other: Law, outcome: Hashable) -> Bounds:
        """ln P(outcome) / Q(outcome); both positive."""
        return log(over(self.pmf(outcome), other.pmf(outcome)))
