"""A solution in (epsilon, delta) made better by the accountant that `metricdp check` uses.

The accountant's numbers are no formula, so its answer is bisected from one that is known to meet
the budget; every value that is returned was itself certified.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import msgspec

from metricdp.answers.boundary import Boundary
from metricdp.answers.budget import CostTarget
from metricdp.answers.required import broken
from metricdp.check.verdicts.guarantee import FunctionGuarantee
from metricdp.errors import MetricdpError

#: Below the ten digits that are printed.
_BITS = 36
_WIDEST = 64


class Accountant(msgspec.Struct, frozen=True):
    """Certified costs of all private inputs as one parameter varies."""

    guarantee: FunctionGuarantee
    parameter: str
    values: Mapping[str, Fraction]
    distances: Mapping[str, Fraction]
    budget: CostTarget

    def costs(self, value: Fraction) -> dict[str, tuple[Fraction, str]] | None:
        """Input -> epsilon at the budget's delta and its rule; None where no rule reaches it."""
        assert self.budget.delta is not None
        env = {**self.values, self.parameter: value}
        found = {}
        try:
            far = self.guarantee.far(self.distances)
            for entry in self.guarantee.units():
                distance = far.get(entry.name)
                if distance == 0:
                    continue
                best = self.guarantee.certified(entry.name, self.budget.delta, env, distance)
                found[entry.label] = (best.epsilon, best.rule)
        except MetricdpError:
            return None
        return found

    def meets(self, value: Fraction) -> bool:
        """Whether every input stays within the budget, and every requirement holds."""
        if broken(self.guarantee, {**self.values, self.parameter: value}) is not None:
            return False
        limit, found = self.budget.epsilon, self.costs(value)
        assert limit is not None
        return found is not None and all(epsilon <= limit for epsilon, _ in found.values())

    def beyond(self, at: Boundary, whole: bool) -> Boundary | None:
        """A value farther than `at` in its direction that meets the budget too, or None."""
        rising = at.direction == "most"
        inside = (
            Fraction(at.value.__floor__() if rising else at.value.__ceil__()) if whole else at.value
        )
        factor = Fraction(2) if rising else Fraction(1, 2)
        start, outside = inside, inside * factor
        if (whole and not rising) or inside <= 0 or not self.meets(inside):
            return None
        for _ in range(_WIDEST):
            if not self.meets(outside):
                break
            inside, outside = outside, outside * factor
        else:
            return None
        while abs(outside - inside) > (1 if whole else inside / 2**_BITS):
            middle = (inside + outside) / 2
            if whole:
                middle = Fraction(middle.__floor__())
            inside, outside = (middle, outside) if self.meets(middle) else (inside, middle)
        if abs(inside - start) * 2**30 <= start:
            return None
        return Boundary(at.direction, inside, closed=False, monotone=False)
