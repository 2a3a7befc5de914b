"""The joint law of independent outputs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import product
from typing import Any

import msgspec

from metricdp.laws.interval import ONE, add, outward, times
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
        """Product of the parts' probabilities."""
        result = ONE
        for part, entry in zip(self.parts, outcome, strict=True):
            result = outward(times(result, part.pmf(entry)), 1024)
        return result

    def log_ratio(self, other: ProductLaw, outcome: Sequence[Any]) -> Bounds:
        """Sum of the parts' log ratios."""
        pairs = zip(self.parts, other.parts, outcome, strict=True)
        return add(*(p.log_ratio(q, entry) for p, q, entry in pairs))
