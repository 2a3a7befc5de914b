"""What samples say about a law that is not known: counts, and statements at a confidence.

An empirical law is no law of a mechanism: frequencies are no probabilities, and a distance between
two of them bounds nothing.  The band and the intervals hold with the stated probability over the
samples, which are independent draws of one law.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.laws.binomial import proportion_at_least, proportion_at_most
from metricdp.laws.finite import FiniteLaw
from metricdp.laws.interval import log, over, point, root
from metricdp.laws.numbers import real, share
from metricdp.laws.outcomes import by_axis, gathered, has_labels
from metricdp.noise.enclose import Bounds


class EmpiricalLaw(msgspec.Struct, frozen=True, dict=True, eq=False):
    """Independent samples of one law.

    Attributes:
        samples: in the order in which they were drawn; a NumPy array of one axis is taken as
            Python numbers.

    Raises:
        ParameterError: no samples; a sample that is NaN or cannot be hashed; samples that are equal
            for Python and look different.
    """

    samples: tuple[Any, ...]

    def __post_init__(self) -> None:
        given: Any = self.samples
        _rows(given)
        if hasattr(given, "tolist"):
            given = given.tolist()
        if not isinstance(given, Iterable):
            raise ParameterError(f"{type(given).__name__} has no samples", place="samples")
        msgspec.structs.force_setattr(self, "samples", tuple(given))
        if not self.samples:
            raise ParameterError("there are none", place="samples", remedy="draw one or more")
        assert self.counts

    @cached_property
    def counts(self) -> Counter[Hashable]:
        """How often each outcome was drawn."""
        pairs = ((x, 1) for x in self.samples)
        return Counter(gathered(pairs, lambda a, b: a + b, "samples"))

    @cached_property
    def _sorted(self) -> list[Fraction]:
        return sorted(real(x, "samples") for x in self.samples)

    def __len__(self) -> int:
        return len(self.samples)

    @property
    def frequencies(self) -> FiniteLaw:
        """The finite law of a sample picked at random: exact, and no law of the mechanism."""
        return FiniteLaw.counts(self.counts)

    def cdf(self, x: Any) -> Fraction:
        """The share of samples <= x; samples are numbers (ParameterError otherwise)."""
        return Fraction(bisect_right(self._sorted, real(x, "x")), len(self))

    def tail(self, x: Any) -> Fraction:
        """The share of samples >= x; samples are numbers (ParameterError otherwise)."""
        return 1 - Fraction(bisect_left(self._sorted, real(x, "x")), len(self))

    def radius(self, confidence: Any) -> Fraction:
        """r with P(|cdf(x) - P(X <= x)| <= r for all x) >= confidence, rounded up.

        r = sqrt(ln(2 / (1 - confidence)) / (2 n)): Dvoretzky, Kiefer and Wolfowitz (1956) with
        the constant of Massart (Annals of Probability 18, 1990).

        Raises:
            ParameterError: confidence outside (0, 1).
        """
        alpha = _alpha(confidence)
        spread = log(point(2 / alpha))
        found = root(over(spread, point(2 * len(self))))[1]
        return min(Fraction(1), found)

    def band(self, x: Any, confidence: Any) -> Bounds:
        """Bounds of P(X <= x) that hold for all x together with this confidence; see `radius`."""
        here, r = self.cdf(x), self.radius(confidence)
        return max(Fraction(0), here - r), min(Fraction(1), here + r)

    def interval(self, event: Callable[[Any], Any], confidence: Any) -> Bounds:
        """Bounds of the probability of an event that was chosen without looking at the samples.

        Clopper and Pearson's interval (Biometrika 26, 1934): each side is wrong with probability
        at most (1 - confidence) / 2.  Rounded outwards.

        Args:
            event: a function of an outcome, true inside.

        Raises:
            ParameterError: confidence outside (0, 1); an event that is no function.
        """
        if not callable(event):
            raise ParameterError(
                f"a {type(event).__name__} is no function of an outcome",
                place="event",
                remedy="lambda x: x == 2 is the event that the outcome is 2",
            )
        alpha = _alpha(confidence) / 2
        hits = sum(times for outcome, times in self.counts.items() if event(outcome))
        n = len(self)
        return proportion_at_least(hits, n, alpha), proportion_at_most(hits, n, alpha)

    def __repr__(self) -> str:
        return f"EmpiricalLaw({len(self)} samples, {len(self.counts)} outcomes)"


def _rows(given: Any) -> None:
    """ParameterError for counts by outcome: their outcomes, or counts, would be taken for samples.

    The labels of a table of samples are numbers of rows and say nothing; other labels, and the
    names that pandas gives to counts, are those of a table of counts.
    """
    table = has_labels(given)
    counts = table and (
        getattr(given, "name", None) in ("count", "proportion")
        or not all(hasattr(label, "__index__") for label in given.index)
    )
    if isinstance(given, Mapping) or counts:
        raise ParameterError(
            f"a {type(given).__name__} with labels may be counts by outcome, and not samples",
            place="samples",
            remedy="give the samples one by one: values.tolist() of a table of them, "
            "Counter(counts).elements() of counts",
        )
    if table or hasattr(given, "columns") or getattr(given, "ndim", 1) != 1:
        by_axis(given, "samples")


def _alpha(confidence: Any) -> Fraction:
    value = share(confidence, "confidence")
    if not 0 < value < 1:
        raise ParameterError(
            "lies between 0 and 1", place="confidence", remedy="confidence=0.95, or 1 - 1e-6"
        )
    return 1 - value
