"""What output laws can answer, on the integers and on the line too: enclosures, never floats."""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from typing import Any, Protocol

import msgspec

from metricdp.errors import ParameterError
from metricdp.laws.interval import ONE, ZERO, add, log, over, subtract
from metricdp.laws.numbers import described, real
from metricdp.noise.enclose import Bounds


class Law(Protocol):
    """A probability law on integers, or on finitely many outcomes."""

    def pmf(self, outcome: Any) -> Bounds:
        """P(X = outcome)."""

    def log_ratio(self, other: Any, outcome: Any) -> Bounds:
        """ln P(X = outcome) / Q(X = outcome); both probabilities positive."""

    def support(self) -> tuple[Hashable, ...] | None:
        """Outcomes of positive probability; None: all integers."""


#: Which function of `metricdp.laws.distances` answers for laws with densities.
_ON_LINE = {
    "max divergence": "d_dp_one_sided(p, q)",
    "hockey stick": "hockey_stick_at(p, q, factor) with factor = e**epsilon",
    "the best event": "hockey_stick_at(p, q, factor) with factor = e**epsilon, without the event",
    "the exact privacy profile": "hockey_stick_at(p, q, factor) at one factor = e**epsilon a time",
    "Renyi divergence": "renyi_divergence(p, q, alpha)",
    "zCDP bound": "zcdp(p, q)",
}


def no_closed_form(quantity: str, p: object, q: object) -> ParameterError:
    """The error for a pair of laws without a rigorous formula."""
    names = f"{type(p).__name__} and {type(q).__name__}"
    other = _ON_LINE.get(quantity) if hasattr(p, "density") and hasattr(q, "density") else None
    return ParameterError(
        f"{quantity} of {names} with these parameters is not available",
        remedy=f"on the line: metricdp.laws.distances.{other}" if other else "",
    )


def between(law: Any, center: int, first: int, last: int) -> Bounds:
    """P(first <= X <= last) of a law whose masses fall away from `center`."""
    if last < first:
        return ZERO
    if first <= center <= last:
        return subtract(ONE, add(law.cdf(first - 1), law.tail(last + 1)))
    if first > center:
        low, high = subtract(law.tail(first), law.tail(last + 1))
        near, far = law.pmf(first), law.pmf(last)
    else:
        low, high = subtract(law.cdf(last), law.cdf(first - 1))
        near, far = law.pmf(last), law.pmf(first)
    # The masses fall outwards: their number times those at the ends are bounds as well.
    size = last - first + 1
    return max(Fraction(0), low, size * far[0]), min(high, size * near[1])


class LineLaw(msgspec.Struct, frozen=True):
    """A law on the real line.  Points are rationals; a float is the rational that it denotes.

    `density` is that of the part of the law without atoms; `pmf` has the atoms.
    """

    def support(self) -> None:
        """None: no finite set."""
        return

    def tail(self, x: Any) -> Bounds:
        """P(X >= x)."""
        raise NotImplementedError

    def cdf(self, x: Any) -> Bounds:
        """P(X <= x)."""
        raise NotImplementedError

    def density(self, x: Any) -> Bounds:
        """The density at x, from the right where it jumps."""
        raise NotImplementedError

    def pmf(self, x: Any) -> Bounds:
        """P(X = x)."""
        real(x, "x")
        return ZERO

    def between(self, first: Any, last: Any) -> Bounds:
        """P(first <= X <= last); 0 where last < first."""
        low, high = real(first, "first"), real(last, "last")
        if high < low:
            return ZERO
        found = subtract(self.cdf(high), subtract(ONE, self.tail(low)))
        return max(Fraction(0), found[0]), min(Fraction(1), found[1])

    def cell(self, first: Any, last: Any) -> Bounds:
        """P(first <= X < last)."""
        low, high = real(first, "first"), real(last, "last")
        if high <= low:
            return ZERO
        whole, end = self.between(low, high), self.pmf(high)
        return max(Fraction(0), whole[0] - end[1]), max(Fraction(0), whole[1] - end[0])

    def log_ratio(self, other: Any, x: Any) -> Bounds:
        """ln of the ratio of the densities at x.

        Raises:
            ParameterError: a density that is 0, or cannot be told from 0.
        """
        p, q = self.density(x), other.density(x)
        if not p[0] or not q[0]:
            raise ParameterError("a density is 0, or cannot be told from 0", place="log_ratio")
        return log(over(p, q))

    def __repr__(self) -> str:
        return described(self)
