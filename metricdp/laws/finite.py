"""Laws on finitely many outcomes: of rational, of randomized response, and of enclosed masses."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import reduce
from itertools import product
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.laws.interval import ONE, ZERO, add, log, over, point
from metricdp.laws.law import Law
from metricdp.laws.numbers import real, settle, share, told
from metricdp.laws.outcomes import by_label, checked, gathered, shown
from metricdp.noise.enclose import Bounds
from metricdp.noise.kept import exp_bounds


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
