"""Randomized response on k answers, with weights e**epsilon and 1."""

from __future__ import annotations

from fractions import Fraction

import msgspec

from metricdp.errors import ParameterError
from metricdp.laws.interval import ONE, ZERO, add, log, over, point
from metricdp.laws.law import Law
from metricdp.laws.numbers import real, settle
from metricdp.noise.enclose import Bounds, exp_bounds


class RandomizedResponseLaw(msgspec.Struct, frozen=True):
    """Randomized response on 0 .. k - 1 that keeps `index` with weight e**epsilon : 1."""

    index: int
    k: int
    epsilon: Fraction

    def __post_init__(self) -> None:
        settle(self, epsilon=real(self.epsilon, "epsilon"))
        if self.epsilon < 0 or not 0 <= self.index < self.k:
            raise ParameterError("needs epsilon >= 0 and 0 <= index < k", place="law")

    def support(self) -> tuple[int, ...]:
        """0 .. k - 1."""
        return tuple(range(self.k))

    def pmf(self, outcome: int) -> Bounds:
        """P(X = outcome)."""
        if outcome not in range(self.k):
            return ZERO
        small = exp_bounds(-self.epsilon)
        total = add(ONE, ((self.k - 1) * small[0], (self.k - 1) * small[1]))
        return over(ONE if outcome == self.index else small, total)

    def log_ratio(self, other: Law, outcome: int) -> Bounds:
        """ln P(outcome) / Q(outcome); exact between laws of one epsilon and k."""
        match other:
            case RandomizedResponseLaw(index=index, k=self.k, epsilon=self.epsilon):
                return point(self.epsilon * ((outcome == self.index) - (outcome == index)))
        return log(over(self.pmf(outcome), other.pmf(outcome)))
