"""Laws on finitely many outcomes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction

import msgspec

from metricdp.errors import ParameterError
from metricdp.laws.interval import ONE, ZERO, add, log, over, point
from metricdp.laws.law import Law
from metricdp.noise.enclose import Bounds, exp_bounds


class FiniteLaw(msgspec.Struct, frozen=True):
    """Rational probabilities by outcome: nonnegative, of sum 1 (ParameterError otherwise)."""

    probability: Mapping[Hashable, Fraction]

    def __post_init__(self) -> None:
        values = self.probability.values()
        if any(p < 0 for p in values) or sum(values) != 1:
            raise ParameterError("must be nonnegative and sum to 1", place="probability")

    def support(self) -> tuple[Hashable, ...]:
        """Outcomes of positive probability."""
        return tuple(k for k, p in self.probability.items() if p)

    def pmf(self, outcome: Hashable) -> Bounds:
        """P(X = outcome), exact."""
        return point(self.probability.get(outcome, Fraction(0)))

    def log_ratio(self, other: Law, outcome: Hashable) -> Bounds:
        """ln P(outcome) / Q(outcome); both positive."""
        return log(over(self.pmf(outcome), other.pmf(outcome)))


class RandomizedResponseLaw(msgspec.Struct, frozen=True):
    """Randomized response on 0 .. k - 1 that keeps `index` with weight e**epsilon : 1."""

    index: int
    k: int
    epsilon: Fraction

    def __post_init__(self) -> None:
        if self.epsilon < 0 or not 0 <= self.index < self.k:
            raise ParameterError("needs epsilon >= 0 and 0 <= index < k", place="law")

    def support(self) -> tuple[int, ...]:
        """0 .. k - 1."""
        return tuple(range(self.k))

    def pmf(self, outcome: int) -> Bounds:
        """P(X = outcome)."""
        if not 0 <= outcome < self.k:
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
