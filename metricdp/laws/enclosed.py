"""Laws on finitely many outcomes with irrational probabilities, as enclosures."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.laws.interval import ZERO, add, log, over
from metricdp.laws.law import Law
from metricdp.laws.numbers import settle, told
from metricdp.laws.outcomes import checked, gathered, shown
from metricdp.laws.weights import by_label
from metricdp.noise.enclose import Bounds


class EnclosedLaw(msgspec.Struct, frozen=True, eq=False):
    """An enclosure (low, high) of the probability of each outcome.

    Equal laws have the same enclosures; a law on the same outcomes with wider ones is another.

    Raises:
        ParameterError: an enclosure that is empty or below 0, or of which no probabilities of
            sum 1 can be taken; an outcome that cannot be hashed.
    """

    probability: Mapping[Hashable, Bounds]

    def __post_init__(self) -> None:
        given: Any = by_label(self.probability, "probability")
        pairs: Any = given.items() if isinstance(given, Mapping) else [(None, None)]
        if not all(isinstance(mass, tuple | list) and len(mass) == 2 for _, mass in pairs):
            raise ParameterError(
                f"a {type(given).__name__} has no pair (low, high) for every outcome",
                place="probability",
                remedy="give {outcome: (low, high)}, or FiniteLaw({outcome: probability})",
            )
        found = {
            checked(k, "probability"): (max(low, Fraction(0)), min(high, Fraction(1)))
            for k, (low, high) in pairs
        }
        wrong = next((k for k, (low, high) in found.items() if low > high), None)
        if wrong is not None:
            raise ParameterError(f"no probability of {wrong!r} is possible", place="probability")
        low, high = add(*found.values())
        if not low <= 1 <= high:
            raise ParameterError(
                f"the probabilities sum to {told(low)} or more and {told(high)} or less, "
                "and not to 1",
                place="probability",
            )
        settle(self, probability={k: mass for k, mass in found.items() if mass[1]})

    def support(self) -> tuple[Hashable, ...]:
        """Outcomes whose probability may be positive."""
        return tuple(self.probability)

    def pmf(self, outcome: Hashable) -> Bounds:
        """P(X = outcome)."""
        return self.probability.get(outcome, ZERO)

    def log_ratio(self, other: Law, outcome: Hashable) -> Bounds:
        """ln P(outcome) / Q(outcome).

        Raises:
            ParameterError: a probability that cannot be told from 0.
        """
        p, q = self.pmf(outcome), other.pmf(outcome)
        if not p[0] or not q[0]:
            raise ParameterError(
                f"the probability of {outcome!r} cannot be told from 0", place="log_ratio"
            )
        return log(over(p, q))

    def push(self, function: Callable[[Any], Any]) -> EnclosedLaw:
        """The law of function(X): post-processing; errors as for `FiniteLaw.push`."""
        pairs = ((function(k), mass) for k, mass in self.probability.items())
        return EnclosedLaw(gathered(pairs, add, "push"))

    def event(self, predicate: Callable[[Any], Any]) -> Bounds:
        """P(predicate(X)): the masses inside, or 1 less those outside, whichever is narrower."""
        inside = [mass for k, mass in self.probability.items() if predicate(k)]
        outside = [mass for k, mass in self.probability.items() if not predicate(k)]
        low, high = add(*inside)
        rest = add(*outside)
        return max(low, 1 - rest[1]), min(high, 1 - rest[0])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EnclosedLaw):
            return NotImplemented
        return self.probability == other.probability

    def __hash__(self) -> int:
        return hash(frozenset(self.probability.items()))

    def __repr__(self) -> str:
        return shown("EnclosedLaw", self.probability, lambda b: f"{float((b[0] + b[1]) / 2):.6g}")
