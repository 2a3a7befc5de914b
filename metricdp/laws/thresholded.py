"""Laws of noisy counts and values of which only large ones are released, for keys nobody listed.

Every key has independent Laplace or normal noise, rounded to a public grid, and is released where
the rounded value is more than half a step above the threshold.  So the released keys have exact
probabilities, and given its release a key has the law of its noise, cut off below.

Two such laws are compared key by key.  Where noise is Laplace and the threshold is above both
values, the ratio is one number on all that is released; a key that only one law has is lumped as
well, as the other never shows it.  For one key whose values are larger the ratio is monotone, so
the best event at epsilon is found in lumps that are cut where the ratio crosses it.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from itertools import product
from math import ceil
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.laws.discrete import DiscreteLaplaceLaw
from metricdp.laws.finite import EnclosedLaw
from metricdp.laws.grid import GridLaw
from metricdp.laws.interval import ONE, ZERO, add, log, outward, over, subtract, times
from metricdp.laws.mixture import ProductLaw
from metricdp.laws.numbers import next_whole, positive, real, settle
from metricdp.laws.rounded import RoundedGaussianLaw, RoundedLaplaceLaw, RoundedLaw, crossing
from metricdp.noise.enclose import Bounds
from metricdp.noise.rounded_scalar import step_exponent

_HALF = Fraction(1, 2)
#: Keys whose sets are listed.
MOST_KEYS = 12
#: In place of an epsilon: lumps for the largest ratio, which monotone ratios have at an end.
LARGEST = "largest"
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


class TruncatedLaw(msgspec.Struct, frozen=True):
    """A law on the integers, given that the number is `least` or more."""

    law: RoundedLaw
    least: int

    def support(self) -> None:
        """All integers from `least` on."""
        return

    def pmf(self, outcome: Any) -> Bounds:
        """P(X = outcome)."""
        return self._given(self.law.pmf(outcome)) if real(outcome, "x") >= self.least else ZERO

    def tail(self, k: Any) -> Bounds:
        """P(X >= k)."""
        return self._given(self.law.tail(max(self.least, next_whole(k))))

    def cdf(self, k: Any) -> Bounds:
        """P(X <= k)."""
        return self.between(self.least, k)

    def between(self, first: Any, last: Any) -> Bounds:
        """P(first <= X <= last)."""
        return self._given(self.law.between(max(self.least, next_whole(first)), last))

    def log_ratio(self, other: Any, outcome: Any) -> Bounds:
        """ln P(outcome) / Q(outcome); both positive."""
        return log(over(self.pmf(outcome), other.pmf(outcome)))

    def _given(self, mass: Bounds) -> Bounds:
        low, high = over(mass, self.law.tail(self.least))
        return low, min(Fraction(1), high)


class ThresholdedNumbersLaw(msgspec.Struct, frozen=True):
    """Noise of `scale` on every value that is not 0; released where it is at least `threshold`.

    An outcome is the frozen set of pairs (key, value), values on the grid, before they become
    doubles.

    Raises:
        ParameterError: a scale that is not positive, a number that is not finite.
    """

    values: Mapping[Hashable, Fraction]
    scale: Fraction
    threshold: Fraction
    normal: bool = False

    def __post_init__(self) -> None:
        exact = {key: real(value, "values") for key, value in self.values.items()}
        settle(
            self,
            values={key: value for key, value in exact.items() if value},
            scale=positive(self.scale, "scale"),
            threshold=real(self.threshold, "threshold"),
        )

    @property
    def step(self) -> Fraction:
        """Of the public grid."""
        return Fraction(2) ** step_exponent(self.scale)

    @property
    def least(self) -> int:
        """The least released value, in steps: half a step above the threshold or more."""
        return ceil(self.threshold / self.step + _HALF)

    def noisy(self, key: Hashable) -> RoundedLaw:
        """The law of a key's noisy value, in steps.  ParameterError for a key that is not there."""
        if key not in self.values:
            raise ParameterError("there is no such key", place="key", remedy="one of `values`")
        kind = RoundedGaussianLaw if self.normal else RoundedLaplaceLaw
        return kind(self.values[key] / self.step, self.scale / self.step)

    def seen(self, key: Hashable) -> Bounds:
        """P(the key is released); 0 for a key that is not there."""
        return self.noisy(key).tail(self.least) if key in self.values else ZERO

    def keys(self) -> EnclosedLaw:
        """The law of the set of released keys.

        Raises:
            ParameterError: more keys than `MOST_KEYS`.
        """
        if len(self.values) > MOST_KEYS:
            raise ParameterError(
                f"{len(self.values)} keys have too many sets",
                place="keys",
                remedy=f"ask for seen(key), or for at most {MOST_KEYS} keys",
            )
        chances = {key: self.seen(key) for key in self.values}
        found: dict[Hashable, Bounds] = {}
        for chosen in product((False, True), repeat=len(chances)):
            mass = ONE
            for there, seen in zip(chosen, chances.values(), strict=True):
                mass = outward(times(mass, seen if there else subtract(ONE, seen)), 1024)
            found[frozenset(k for k, there in zip(chances, chosen, strict=True) if there)] = mass
        return EnclosedLaw(found)

    def value(self, key: Hashable) -> GridLaw:
        """The law of a key's value, given that it is released."""
        return GridLaw(TruncatedLaw(self.noisy(key), self.least), self.step)

    def support(self) -> None:
        """None: no finite set."""
        return

    def pmf(self, outcome: Any) -> Bounds:
        """P(X = outcome): keys that are not there must be absent; 0 for what is no outcome."""
        pairs = outcome if isinstance(outcome, frozenset) else None
        if pairs is None or any(not isinstance(p, tuple) or len(p) != 2 for p in pairs):
            return ZERO
        released = dict(pairs)
        if len(released) != len(pairs) or not released.keys() <= self.values.keys():
            return ZERO
        mass = ONE
        for key in self.values:
            place = real(released[key], "value") / self.step if key in released else None
            if place is None:
                part = subtract(ONE, self.seen(key))
            elif place.denominator != 1 or place < self.least:
                return ZERO
            else:
                part = self.noisy(key).pmf(int(place))
            mass = outward(times(mass, part), 1024)
        return mass

    def log_ratio(self, other: Any, outcome: Any) -> Bounds:
        """ln P(outcome) / Q(outcome); both positive."""
        return log(over(self.pmf(outcome), other.pmf(outcome)))


def by_key(
    p: ThresholdedNumbersLaw, q: ThresholdedNumbersLaw, at: Fraction | str | None = None
) -> tuple[ProductLaw, ProductLaw] | None:
    """Both as laws of lumps, one entry per key that differs; None where lumps would lose something.

    Args:
        at: the epsilon of a hockey stick or `LARGEST`, for which lumps may be coarser; None: lumps
            on which the ratio is constant.
    """
    if (p.scale, p.threshold, p.normal) != (q.scale, q.threshold, q.normal):
        return None
    keys = [k for k in {**p.values, **q.values} if p.values.get(k) != q.values.get(k)]
    entries = []
    for key in keys:
        cuts = _cuts(p, q, key, at, len(keys) == 1)
        if cuts is None:
            return None
        entries.append((_lumps(p, key, cuts), _lumps(q, key, cuts)))
    left, right = (ProductLaw(tuple(entry[i] for entry in entries)) for i in (0, 1))
    return left, right


def _cuts(p: Any, q: Any, key: Hashable, at: Any, alone: bool) -> list[int] | None:
    """Where the lumps of released values begin."""
    least = p.least
    if key not in p.values or key not in q.values:
        return [least]
    a, b = p.noisy(key), q.noisy(key)
    if not p.normal and least - _HALF >= max(a.center, b.center):
        return [least]
    if at == LARGEST:
        top = max(least, ceil(max(a.center, b.center) + _HALF))
        # Normal noise has no largest ratio above; below the threshold is the largest one.
        return None if p.normal and a.center > b.center else sorted({least, top})
    if at is None or not alone:
        return None
    crossed = crossing(a, b, at)
    inner = [] if crossed is None else [crossed, crossed + 1]
    return sorted({least, *(k for k in inner if k > least)})


def _lumps(law: ThresholdedNumbersLaw, key: Hashable, cuts: list[int]) -> EnclosedLaw:
    """Absent, or released in one of the lumps."""
    if key not in law.values:
        return EnclosedLaw({f"{key!r} absent": ONE})
    noisy = law.noisy(key)
    found: dict[Hashable, Bounds] = {f"{key!r} absent": subtract(ONE, law.seen(key))}
    for first, last in zip(cuts, [*cuts[1:], None], strict=True):
        mass = noisy.tail(first) if last is None else noisy.between(first, last - 1)
        found[f"{key!r} from {float(first * law.step):.12g}"] = add(mass)
    return EnclosedLaw(found)
