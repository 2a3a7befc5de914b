"""Renyi curves along paths of laws: bounds by the weak triangle inequality.

For p > 1, D_alpha(P, Q) <= (p alpha - 1)/(p (alpha - 1)) D_(p alpha)(P, M)
+ D_((p alpha - 1)/(p - 1))(M, Q).  Source: Hoelder; Mironov (2017), Proposition 11.
"""

from __future__ import annotations

from fractions import Fraction
from math import log2

import msgspec

from metricdp.measures.renyi import Curve, checked_order
from metricdp.noise.enclose import Bounds


class Grouped(msgspec.Struct, frozen=True):
    """`units` steps of one curve along a path; a bound, exact for Gaussian noise.

    D_alpha <= sum_{j = 1..k} (k alpha / (k alpha - j + 1)) D_(k alpha - j + 1): the inequality of
    the module with p = 1 + (alpha - 1)(k - 1)/alpha, k - 1 times; D = rho alpha gives k^2 rho
    alpha.

    Attributes:
        step: curve of one step, in both directions.
        units: k >= 1.
    """

    step: Curve
    units: int

    @property
    def largest(self) -> Fraction | None:
        most = self.step.largest
        return None if most is None else most / self.units

    def divergence(self, alpha: Fraction) -> Bounds:
        top = self.units * checked_order(self, alpha)
        orders = (top - j for j in range(self.units))
        total = sum((top / a * self.step.divergence(a)[1] for a in orders), Fraction(0))
        return Fraction(0), total


class Through(msgspec.Struct, frozen=True):
    """A step of one curve and a step of another; a bound.

    Both paths must exist, the one that takes `first` first and the one that takes `second` first;
    then either may be used, in both directions.  p is 1 + r (alpha - 1)/alpha for any r > 0; the
    best r is about the quotient of the two movements.

    Attributes:
        first, second: curves of the two steps, in both directions.
    """

    first: Curve
    second: Curve

    @property
    def largest(self) -> Fraction | None:
        found = [x for x in (self.first.largest, self.second.largest) if x is not None]
        return min(found) / 2 if found else None

    def divergence(self, alpha: Fraction) -> Bounds:
        checked_order(self, alpha)
        ways = ((self.first, self.second), (self.second, self.first))
        return Fraction(0), min(along(one, two, alpha) for one, two in ways)


def along(one: Curve, two: Curve, alpha: Fraction) -> Fraction:
    """A bound of D_alpha(P, Q) from D(P, M) <= one and D(M, Q) <= two."""
    ratio = _ratio(one.divergence(alpha)[1], two.divergence(alpha)[1])
    for r in {ratio: None, Fraction(1): None}:
        top, second = alpha + (alpha - 1) * r, alpha * (1 + 1 / r)
        if all(c.largest is None or a <= c.largest for c, a in ((one, top), (two, second))):
            break
    first = alpha / top * (1 + r) * one.divergence(top)[1]
    return first + two.divergence(second)[1]


def _ratio(one: Fraction, two: Fraction) -> Fraction:
    """A power of 2 near the quotient of the movements, which are as square roots of divergences."""
    if one <= 0 or two <= 0:
        return Fraction(1)
    return Fraction(2) ** max(-4, min(4, round(log2(float(two / one)) / 2)))
