"""The exponential law on the line, and the geometric law on the integers: waiting times."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.laws.interval import ONE, ZERO, log, over, point, subtract
from metricdp.laws.law import LineLaw
from metricdp.laws.numbers import described, positive, real, settle, share
from metricdp.noise.enclose import Bounds
from metricdp.noise.kept import exp_bounds


class ExponentialLaw(LineLaw, frozen=True):
    """Density e**(-(x - start) / scale) / scale for x >= start.

    Raises:
        ParameterError: a scale that is not positive, a number that is not finite.
    """

    scale: Fraction
    start: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        settle(self, scale=positive(self.scale, "scale"), start=real(self.start, "start"))

    def _standard(self, x: Any) -> Fraction:
        return (real(x, "x") - self.start) / self.scale

    def tail(self, x: Any) -> Bounds:
        """P(X >= x)."""
        return exp_bounds(-max(self._standard(x), Fraction(0)), 192)

    def cdf(self, x: Any) -> Bounds:
        """P(X <= x)."""
        return self.between(self.start, x)

    def between(self, first: Any, last: Any) -> Bounds:
        """P(first <= X <= last), relatively accurate for narrow intervals and far out."""
        a, b = max(self._standard(first), Fraction(0)), self._standard(last)
        if b <= a:
            return ZERO
        near, far = exp_bounds(-a, 192), exp_bounds(-b, 192)
        low, high = subtract(near, far)
        # The density falls: width times its values at the ends are bounds as well.
        return max(low, (b - a) * far[0]), min(high, (b - a) * near[1])

    def density(self, x: Any) -> Bounds:
        """The density at x."""
        z = self._standard(x)
        return over(exp_bounds(-z, 192), point(self.scale)) if z >= 0 else ZERO


class GeometricLaw(msgspec.Struct, frozen=True):
    """P(start + k) = p (1 - p)**k, k = 0, 1, 2, ...: failures before the first success, exact.

    Raises:
        ParameterError: p outside (0, 1].
    """

    p: Fraction
    start: int = 0

    def __post_init__(self) -> None:
        chance = share(self.p, "p")
        if not 0 < chance <= 1:
            raise ParameterError("must be above 0 and at most 1", place="p")
        settle(self, p=chance)

    def support(self) -> None:
        """None: infinitely many integers."""
        return

    def pmf(self, outcome: Any) -> Bounds:
        """P(X = outcome)."""
        k = real(outcome, "outcome") - self.start
        return point(self.p * (1 - self.p) ** int(k)) if k >= 0 and k.denominator == 1 else ZERO

    def tail(self, x: Any) -> Bounds:
        """P(X >= x)."""
        return point((1 - self.p) ** max(0, ceil(real(x, "x")) - self.start))

    def cdf(self, x: Any) -> Bounds:
        """P(X <= x)."""
        return subtract(ONE, self.tail(floor(real(x, "x")) + 1))

    def between(self, first: Any, last: Any) -> Bounds:
        """P(first <= X <= last)."""
        a, b = self.tail(first)[0], self.tail(floor(real(last, "last")) + 1)[0]
        return point(max(Fraction(0), a - b))

    def log_ratio(self, other: Any, outcome: Any) -> Bounds:
        """ln P(outcome) / Q(outcome); both positive."""
        return log(over(self.pmf(outcome), other.pmf(outcome)))

    def __repr__(self) -> str:
        return described(self)
