"""The law of noisy counts of which only large ones are released, for keys that nobody listed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import msgspec

from metricdp.laws.discrete_laplace import DiscreteLaplaceLaw
from metricdp.laws.interval import ONE, ZERO, log, over, subtract, times
from metricdp.noise.enclose import Bounds

#: Every released value above the threshold is one outcome: that loses nothing of any ratio, as
#: both laws fall by one factor beyond both centres when the threshold is above them.
MORE = "more"


class ThresholdedLaw(msgspec.Struct, frozen=True):
    """Discrete Laplace noise of `scale` on every count; released where it is at least `threshold`.

    An outcome is the frozen set of pairs (key, value), value `threshold` or `MORE`.
    """

    counts: Mapping[Hashable, int]
    scale: Fraction
    threshold: int

    def support(self) -> tuple[frozenset[Any], ...]:
        """Every set of released keys with their values."""
        parts = [(None, (k, self.threshold), (k, MORE)) for k in self.counts]
        return tuple(frozenset(p for p in choice if p) for choice in product(*parts))

    def pmf(self, outcome: frozenset[Any]) -> Bounds:
        """Product over the keys; 0 for a key that is not there."""
        released = dict(outcome)
        if not released.keys() <= self.counts.keys():
            return ZERO
        chance = ONE
        for key, count in self.counts.items():
            law = DiscreteLaplaceLaw(int(count), self.scale)
            above = law.tail(self.threshold + 1)
            if key not in released:
                part = subtract(ONE, law.tail(self.threshold))
            else:
                part = above if released[key] == MORE else law.pmf(self.threshold)
            chance = times(chance, part)
        return chance

    def log_ratio(self, other: Any, outcome: Any) -> Bounds:
        """ln P(outcome) / Q(outcome); both positive."""
        return log(over(self.pmf(outcome), other.pmf(outcome)))
