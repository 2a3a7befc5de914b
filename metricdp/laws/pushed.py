"""Push-forward: the law of a function of the outcome, for functions that have one in closed form.

Post-processing never adds to a distance between laws.  `push` takes any function of a law on
finitely many outcomes; the others take laws of numbers, also continuous ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from typing import Any

from metricdp.errors import ParameterError
from metricdp.laws.discrete import DiscreteGaussianLaw, DiscreteLaplaceLaw
from metricdp.laws.exponential import GeometricLaw
from metricdp.laws.finite import EnclosedLaw, FiniteLaw
from metricdp.laws.grid import CellsLaw, GridLaw
from metricdp.laws.interval import ONE, ZERO, add, point, subtract, times
from metricdp.laws.law import LineLaw
from metricdp.laws.mixture import MixtureLaw
from metricdp.laws.numbers import real, settle
from metricdp.laws.rounded import RoundedLaw
from metricdp.noise.enclose import Bounds

_ON_INTEGERS = (DiscreteLaplaceLaw, DiscreteGaussianLaw, RoundedLaw, GeometricLaw, CellsLaw)
#: Outcomes that a clamped law on the integers may have.
_MOST = 1 << 20


def push(law: Any, function: Callable[[Any], Any]) -> FiniteLaw | EnclosedLaw:
    """The law of function(X), X with finitely many outcomes.

    Raises:
        ParameterError: infinitely many outcomes; a value that cannot be an outcome.
    """
    if isinstance(law, FiniteLaw | EnclosedLaw):
        return law.push(function)
    support = law.support()
    if support is None:
        raise ParameterError(
            f"{type(law).__name__} has infinitely many outcomes",
            place="push",
            remedy="threshold, clamp, rounded or binned have a law for it",
        )
    return EnclosedLaw({k: law.pmf(k) for k in support}).push(function)


def threshold(law: Any, at: Any) -> FiniteLaw | EnclosedLaw:
    """The law of X >= at: outcomes True and False.

    Raises:
        ParameterError: a law without numbers for outcomes.
    """
    above = _ordered(law).tail(real(at, "at"))
    return _exactly({True: above, False: subtract(ONE, above)})


def binned(law: Any, edges: Sequence[Any]) -> FiniteLaw | EnclosedLaw:
    """The law of the number of edges at or below X: 0 below the first, len(edges) from the last.

    Raises:
        ParameterError: edges that do not increase, a law without numbers for outcomes.
    """
    ends = [real(x, "edges") for x in edges]
    if not ends or any(a >= b for a, b in pairwise(ends)):
        raise ParameterError("edges increase, and there is one or more", place="edges")
    _ordered(law)
    cells = [half_open(law, a, b) for a, b in pairwise(ends)]
    cells = [subtract(ONE, law.tail(ends[0])), *cells, law.tail(ends[-1])]
    return _exactly(dict(enumerate(cells)))


def clamp(law: Any, lower: Any, upper: Any) -> FiniteLaw | EnclosedLaw | ClampedLaw:
    """The law of X brought into [lower, upper].

    A law on finitely many outcomes for laws on integers; else a `ClampedLaw`, with atoms at the
    ends.

    Raises:
        ParameterError: lower above upper, a law without numbers for outcomes, too many outcomes.
    """
    low, high = real(lower, "lower"), real(upper, "upper")
    if low > high:
        raise ParameterError("is above upper", place="lower", remedy="choose lower <= upper")
    if isinstance(law, FiniteLaw | EnclosedLaw):
        return law.push(lambda k: min(max(real(k, "outcome"), low), high))
    _ordered(law)
    if low == high:
        return FiniteLaw.sure(low)
    if isinstance(law, LineLaw | MixtureLaw):
        return ClampedLaw(law, low, high)
    step = law.step if isinstance(law, GridLaw) else Fraction(1)
    first, last = floor(low / step) + 1, ceil(high / step) - 1
    if last - first >= _MOST:
        raise ParameterError(
            f"{last - first + 1} outcomes are too many", place="clamp", remedy="bin it first"
        )
    masses = [(low, law.cdf(low)), (high, law.tail(high))]
    masses[1:1] = [(k * step, law.pmf(k * step)) for k in range(first, last + 1)]
    # Integers stay integers, where all outcomes are.
    integers = all(x.denominator == 1 for x, _ in masses) and not isinstance(law, GridLaw)
    return _exactly({int(x) if integers else x: mass for x, mass in masses})


class ClampedLaw(LineLaw, frozen=True):
    """A law on the line brought into [low, high]: what lies outside is at the nearer end."""

    law: Any
    low: Fraction
    high: Fraction

    def __post_init__(self) -> None:
        settle(self, low=real(self.low, "low"), high=real(self.high, "high"))

    def tail(self, x: Any) -> Bounds:
        """P(X >= x)."""
        at = real(x, "x")
        if at <= self.low:
            return ONE
        found: Bounds = self.law.tail(at) if at <= self.high else ZERO
        return found

    def cdf(self, x: Any) -> Bounds:
        """P(X <= x)."""
        at = real(x, "x")
        if at >= self.high:
            return ONE
        found: Bounds = self.law.cdf(at) if at >= self.low else ZERO
        return found

    def pmf(self, x: Any) -> Bounds:
        """P(X = x): that of the ends, and of what has atoms between them."""
        at = real(x, "x")
        if not self.low < at < self.high:
            ends: dict[Fraction, Bounds] = {
                self.low: self.law.cdf(self.low),
                self.high: self.law.tail(self.high),
            }
            return ends.get(at, ZERO)
        found: Bounds = self.law.pmf(at)
        return found

    def density(self, x: Any) -> Bounds:
        """The density between the ends, where there are no atoms."""
        if not hasattr(self.law, "density"):
            raise ParameterError(f"{type(self.law).__name__} has no density", place="density")
        found: Bounds = self.law.density(x) if self.low <= real(x, "x") < self.high else ZERO
        return found


def half_open(law: Any, first: Fraction, last: Fraction) -> Bounds:
    """P(first <= X < last) of a law of numbers."""
    found: Bounds
    if hasattr(law, "cell"):
        found = law.cell(first, last)
    elif isinstance(law, MixtureLaw):
        terms = zip(law.weights, law.parts, strict=True)
        found = add(*(times(point(w), half_open(part, first, last)) for w, part in terms))
    elif isinstance(law, FiniteLaw):
        found = point(law.event(lambda k: first <= k < last))
    elif isinstance(law, GridLaw):
        found = law.law.between(ceil(first / law.step), ceil(last / law.step) - 1)
    elif isinstance(law, _ON_INTEGERS):
        found = law.between(ceil(first), ceil(last) - 1)
    else:
        raise _unordered(law)
    return max(Fraction(0), found[0]), min(Fraction(1), found[1])


def _exactly(masses: dict[Any, Bounds]) -> FiniteLaw | EnclosedLaw:
    """A finite law where every probability is known exactly."""
    if all(low == high for low, high in masses.values()):
        return FiniteLaw({k: low for k, (low, _) in masses.items()})
    return EnclosedLaw(masses)


def _ordered(law: Any) -> Any:
    if not isinstance(law, (LineLaw, FiniteLaw, GridLaw, MixtureLaw, *_ON_INTEGERS)):
        raise _unordered(law)
    return law


def _unordered(law: Any) -> ParameterError:
    return ParameterError(
        f"{type(law).__name__} is no law of numbers", place="law", remedy="push(law, function)"
    )
