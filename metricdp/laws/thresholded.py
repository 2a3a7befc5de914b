"""The law of noisy counts of which only large ones are released, for keys that nobody listed."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import msgspec

from metricdp.laws.discrete_laplace import DiscreteLaplaceLaw
from metricdp.laws.interval import ONE, ZERO, log, over, subtract, times
from metricdp.laws.rounded import RoundedGaussianLaw
from metricdp.noise.enclose import Bounds

#: Every released value above the threshold is one outcome.  For Laplace noise that loses nothing of
#: any ratio, as both laws fall by one factor beyond both centres when the threshold is above them;
#: for normal noise it is post-processing, and nothing is lost of keys that only one input has.
MORE = "more"


class ThresholdedLaw(msgspec.Struct, frozen=True):
    """Noise of `scale` on every count; released where it is at least `threshold`.

    The noise is discrete Laplace, or normal and rounded to whole numbers.  An outcome is the frozen
    set of pairs (key, value), value one of `threshold`, ..., `threshold + apart`, or `MORE`.
    """

    counts: Mapping[Hashable, int]
    scale: Fraction
    threshold: int
    normal: bool = False
    apart: int = 0

    def support(self) -> tuple[frozenset[Any], ...]:
        """Every set of released keys with their values."""
        values = [*range(self.threshold, self.threshold + self.apart + 1), MORE]
        parts = [(None, *((key, value) for value in values)) for key in self.counts]
        return tuple(frozenset(p for p in choice if p) for choice in product(*parts))

    def pmf(self, outcome: Any) -> Bounds:
        """Product over the keys; 0 for a key that is not there, and for what is no outcome."""
        released = self._released(outcome)
        if released is None:
            return ZERO
        chance = ONE
        for key, count in self.counts.items():
            law: Any = (
                RoundedGaussianLaw(Fraction(count), self.scale)
                if self.normal
                else DiscreteLaplaceLaw(int(count), self.scale)
            )
            if key not in released:
                part = subtract(ONE, law.tail(self.threshold))
            elif released[key] == MORE:
                part = law.tail(self.threshold + self.apart + 1)
            else:
                part = law.pmf(released[key])
            chance = times(chance, part)
        return chance

    def _released(self, outcome: Any) -> dict[Any, Any] | None:
        """Key -> value of an outcome; None for what is none."""
        pairs = outcome if isinstance(outcome, frozenset) else ()
        if not isinstance(outcome, frozenset) or any(
            not isinstance(pair, tuple) or len(pair) != 2 for pair in pairs
        ):
            return None
        released = dict(pairs)
        known = len(released) == len(pairs) and released.keys() <= self.counts.keys()
        values = (MORE, *range(self.threshold, self.threshold + self.apart + 1))
        return released if known and all(v in values for v in released.values()) else None

    def log_ratio(self, other: Any, outcome: Any) -> Bounds:
        """ln P(outcome) / Q(outcome); both positive."""
        return log(over(self.pmf(outcome), other.pmf(outcome)))
