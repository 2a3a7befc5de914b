"""Laws on the real line: what each of them answers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.laws.interval import ONE, ZERO, log, over, subtract
from metricdp.laws.numbers import described, real
from metricdp.noise.enclose import Bounds


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
