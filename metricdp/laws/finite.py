"""Laws on finitely many outcomes with rational probabilities."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.laws.interval import log, over, point
from metricdp.laws.law import Law
from metricdp.laws.numbers import real, settle, share, told
from metricdp.laws.outcomes import checked, gathered, shown
from metricdp.laws.randomized import RandomizedResponseLaw
from metricdp.laws.weights import by_label
from metricdp.noise.enclose import Bounds

__all__ = ["FiniteLaw", "RandomizedResponseLaw"]


class FiniteLaw(msgspec.Struct, frozen=True, eq=False, repr_omit_defaults=True):
    """Rational probabilities by outcome; everything about it is exact.

    Args:
        probability: outcome -> probability, or the probabilities of 0, 1, 2, ... in order (a row of
            a stochastic matrix).  A table of one axis that names its values (a pandas Series) keeps
            its names.  Numbers are the decimals that were typed, so 0.1 is 1/10.

    Laws are equal when every outcome has the same probability under both; outcomes of probability
    0 do not count.

    Raises:
        ParameterError: a probability that is negative or no number, or a sum that is not 1; an
            outcome that cannot be hashed, or a label that occurs twice; a table of several axes.
    """

    probability: Mapping[Hashable, Fraction]

    def __post_init__(self) -> None:
        found = _masses(self.probability, "probability")
        total = sum(found.values(), Fraction(0))
        if total != 1:
            raise ParameterError(
                f"the probabilities sum to {told(total)}, and not to 1",
                place="probability",
                remedy="FiniteLaw.counts(weights) divides by the sum",
            )
        settle(self, probability=found)

    @classmethod
    def counts(cls, weights: Mapping[Any, Any] | Sequence[Any]) -> FiniteLaw:
        """Probabilities in proportion to weights, by outcome or in order; exact.

        Raises:
            ParameterError: as for `FiniteLaw`; all weights 0.
        """
        found = _masses(weights, "weights")
        total = sum(found.values(), Fraction(0))
        if not total:
            raise ParameterError("the weights sum to 0", place="weights", remedy="give one above 0")
        return cls({outcome: weight / total for outcome, weight in found.items()})

    @classmethod
    def uniform(cls, outcomes: Iterable[Hashable]) -> FiniteLaw:
        """Equal probabilities; an outcome that is given twice has twice the probability.

        Raises:
            ParameterError: no list of outcomes, or an empty one; one that cannot be hashed.
        """
        if not isinstance(outcomes, Iterable):
            raise ParameterError(
                f"a {type(outcomes).__name__} is no list of outcomes",
                place="outcomes",
                remedy="give a list; range(n) has the n outcomes 0, 1, ..., n - 1",
            )
        pairs = [(outcome, Fraction(1)) for outcome in outcomes]
        return cls.counts(gathered(pairs, lambda a, b: a + b, "outcomes"))

    @classmethod
    def sure(cls, outcome: Hashable) -> FiniteLaw:
        """Probability 1 for one outcome; ParameterError for one that cannot be hashed."""
        return cls({checked(outcome, "outcome"): Fraction(1)})

    def support(self) -> tuple[Hashable, ...]:
        """Outcomes of positive probability."""
        return tuple(k for k, p in self.probability.items() if p)

    def __getitem__(self, outcome: Hashable) -> Fraction:
        """P(X = outcome), exact; 0 for what is no outcome."""
        return self.probability.get(outcome, Fraction(0))

    def pmf(self, outcome: Hashable) -> Bounds:
        """P(X = outcome), exact."""
        return point(self[outcome])

    def log_ratio(self, other: Law, outcome: Hashable) -> Bounds:
        """ln P(outcome) / Q(outcome); both positive."""
        return log(over(self.pmf(outcome), other.pmf(outcome)))

    def push(self, function: Callable[[Any], Any]) -> FiniteLaw:
        """The law of function(X): post-processing.

        Raises:
            ParameterError: a value that cannot be an outcome, or two that are equal for Python and
                look different (1 and True).
        """
        pairs = ((function(k), p) for k, p in self.probability.items() if p)
        return FiniteLaw(gathered(pairs, lambda a, b: a + b, "push"))

    def mix(self, other: FiniteLaw, weight: Any) -> FiniteLaw:
        """The law of X with probability 1 - weight and of `other` with probability weight.

        Raises:
            ParameterError: a weight outside [0, 1].
        """
        w = _weight(weight)
        pairs = [(k, (1 - w) * p) for k, p in self.probability.items() if p]
        pairs += [(k, w * p) for k, p in other.probability.items() if p]
        return FiniteLaw(gathered(pairs, lambda a, b: a + b, "mix"))

    def product(self, *others: FiniteLaw) -> FiniteLaw:
        """The joint law with independent others; outcomes are tuples with one entry per law."""
        laws = [[(k, law[k]) for k in law.support()] for law in (self, *others)]
        joint = (tuple(zip(*choice, strict=True)) for choice in product(*laws))
        return FiniteLaw({k: reduce(lambda a, b: a * b, ps) for k, ps in joint})

    def event(self, predicate: Callable[[Any], Any]) -> Fraction:
        """P(predicate(X)), exact."""
        return sum((self[k] for k in self.support() if predicate(k)), Fraction(0))

    def expect(self, function: Callable[[Any], Any] = lambda outcome: outcome) -> Fraction:
        """The mean of function(X), exact; a float is the rational that it denotes.

        Raises:
            ParameterError: a value that is no finite number.
        """
        values = ((self[k], function(k)) for k in self.support())
        return sum((p * _number(value, "expect") for p, value in values), Fraction(0))

    def cdf(self, x: Any) -> Bounds:
        """P(X <= x), exact; the outcomes are numbers (ParameterError otherwise)."""
        at = real(x, "x")
        return point(self.event(lambda k: _number(k, "cdf") <= at))

    def tail(self, x: Any) -> Bounds:
        """P(X >= x), exact; the outcomes are numbers (ParameterError otherwise)."""
        at = real(x, "x")
        return point(self.event(lambda k: _number(k, "tail") >= at))

    def between(self, first: Any, last: Any) -> Bounds:
        """P(first <= X <= last), exact; the outcomes are numbers (ParameterError otherwise)."""
        low, high = real(first, "first"), real(last, "last")
        return point(self.event(lambda k: low <= _number(k, "between") <= high))

    # Without it `law[0]`, `law[1]`, ... would be taken for entries, and there is no last one.
    __iter__ = None

    def __len__(self) -> int:
        return len(self.support())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FiniteLaw):
            return NotImplemented
        return self._positive() == other._positive()

    def __hash__(self) -> int:
        return hash(frozenset(self._positive().items()))

    def __repr__(self) -> str:
        return shown("FiniteLaw", self.probability, told)

    def _positive(self) -> dict[Hashable, Fraction]:
        return {k: p for k, p in self.probability.items() if p}


def _masses(given: Any, place: str) -> dict[Hashable, Fraction]:
    given = by_label(given, place)
    if not isinstance(given, Mapping):
        # A law answers `law[0]`, `law[1]`, ... without end.
        if not hasattr(given, "__getitem__") or isinstance(given, str) or hasattr(given, "pmf"):
            raise ParameterError(
                f"{type(given).__name__} gives no probabilities",
                place=place,
                remedy="give a dictionary {outcome: probability}, or a list of probabilities",
            )
        given = dict(enumerate(given))
    found = {checked(k, place): share(p, place) for k, p in given.items()}
    wrong = next((k for k, p in found.items() if p < 0), None)
    if any(p < 0 for p in found.values()):
        raise ParameterError(f"the weight of {wrong!r} is {told(found[wrong])}", place=place)
    return found


def _weight(value: Any) -> Fraction:
    weight = share(value, "weight")
    if not 0 <= weight <= 1:
        raise ParameterError(f"{told(weight)} is no share", place="weight", remedy="0 to 1")
    return weight


def _number(value: Any, place: str) -> Fraction:
    return Fraction(value) if isinstance(value, bool) else real(value, place)
