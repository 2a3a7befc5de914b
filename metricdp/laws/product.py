"""The joint law of independent outputs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import product
from typing import Any

import msgspec

from metricdp.laws.interval import ONE, ZERO, add, log, over, significant, times
from metricdp.laws.law import Law
from metricdp.noise.enclose import Bounds


class ProductLaw(msgspec.Struct, frozen=True):
    """Independent laws side by side; outcomes are tuples with one entry per law."""

    parts: tuple[Law, ...]

    def support(self) -> tuple[Hashable, ...] | None:
        """Tuples of outcomes; None when a part has all integers."""
        supports = [part.support() for part in self.parts]
        if any(s is None for s in supports):
            return None
        return tuple(product(*(s for s in supports if s is not None)))

    def pmf(self, outcome: Sequence[Any]) -> Bounds:
        """Product of the parts' probabilities; 0 for what is no entry per part."""
        if not isinstance(outcome, tuple | list) or len(outcome) != len(self.parts):
            return ZERO
        result = ONE
        for part, entry in zip(self.parts, outcome, strict=True):
            result = significant(times(result, part.pmf(entry)), 1024)
        return result

    def log_ratio(self, other: Any, outcome: Sequence[Any]) -> Bounds:
        """Sum of the parts' log ratios; of another kind of law, the ratio of the probabilities."""
        if not isinstance(other, ProductLaw) or len(other.parts) != len(self.parts):
            return log(over(self.pmf(outcome), other.pmf(outcome)))
        pairs = zip(self.parts, other.parts, outcome, strict=True)
        return add(*(p.log_ratio(q, entry) for p, q, entry in pairs))
