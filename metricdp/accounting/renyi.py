"""Renyi curves as data: how far two output laws are at every order alpha > 1.

`divergence(alpha)` encloses the largest Renyi divergence of order alpha over pairs of inputs that
the mechanism may receive: the lower end is attained by some pair wherever the docstring of the
class says "exact".  Curves of independent steps, chosen adaptively, add at equal order
(Mironov 2017, Proposition 1).  Orders are rationals; numbers are rounded outward.

Renyi curves along paths of laws: bounds by the weak triangle inequality.

For p > 1, D_alpha(P, Q) <= (p alpha - 1)/(p (alpha - 1)) D_(p alpha)(P, M)
+ D_((p alpha - 1)/(p - 1))(M, Q).  Source: Hoelder; Mironov (2017), Proposition 11.

What a Renyi curve implies under other measures: pure epsilon and rho, where it has them.
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from math import log2
from typing import Protocol

import msgspec

from metricdp.accounting.rounded import exp_down, exp_up, ln_down, ln_up, short, short_up
from metricdp.errors import ParameterError
from metricdp.noise.enclose import Bounds

#: What a mechanism on a grid of 2^40 or more steps per scale may take as `Laplace.step`.
FINE_STEP = Fraction(1, 1 << 40)


class Curve(Hashable, Protocol):
    """A Renyi curve."""

    @property
    def largest(self) -> Fraction | None:
        """The largest order with a bound; None: every order has one."""

    def divergence(self, alpha: Fraction) -> Bounds:
        """Lower and upper bound of D_alpha.  ParameterError: alpha <= 1 or above `largest`."""


class _EveryOrder(msgspec.Struct, frozen=True):
    @property
    def largest(self) -> Fraction | None:
        return None


class Linear(_EveryOrder, frozen=True):
    """D_alpha <= rho alpha: rho-zCDP (Bun and Steinke 2016, Definition 1.1).

    Exact for Gaussian noise with rho = u^2 / 2, u = movement in L2 / standard deviation (their
    Lemma 2.4), and for discrete Gaussian noise at integer orders (Canonne, Kamath, Steinke 2020).

    Attributes:
        rho: >= 0.
    """

    rho: Fraction

    def divergence(self, alpha: Fraction) -> Bounds:
        value = checked_order(self, alpha) * self.rho
        return value, value


class Gaussian(Linear, frozen=True):
    """Gaussian noise with rho = u^2 / 2, where u = movement in L2 / standard deviation.

    Attributes:
        fine: the noise is continuous, and may be rounded afterwards: its profile is then that of a
            Gaussian (`accounting.gaussian`).
    """

    fine: bool = True


class DiscreteGaussian(Gaussian, frozen=True):
    """Discrete Gaussian noise on whole numbers, of which one moves by at most `ticks`.

    Attributes:
        sigma: exact, > 0; rho is at least ticks^2 / (2 sigma^2).
        ticks: a whole number >= 1.
        alone: there is one number only, so that what moves further moves in it.
    """

    fine: bool = False
    sigma: Fraction = Fraction(1)
    ticks: int = 1
    alone: bool = False


class Truncated(msgspec.Struct, frozen=True):
    """D_alpha <= rho alpha for alpha < omega: (rho, omega)-tCDP (Bun et al. 2018, Definition 1).

    The order omega itself is included: D_alpha is continuous from the left in alpha.

    Attributes:
        rho: >= 0.
        omega: > 1.
    """

    rho: Fraction
    omega: Fraction

    @property
    def largest(self) -> Fraction | None:
        return self.omega

    def divergence(self, alpha: Fraction) -> Bounds:
        value = checked_order(self, alpha) * self.rho
        return value, value


class Response(_EveryOrder, frozen=True):
    """Randomized response with odds e^epsilon to 1 among `choices` answers; exact.

    With b = 2 alpha - 1, exp((alpha - 1) D) is e^((alpha - 1) epsilon) times
    (1 + e^(-b epsilon) + (choices - 2) e^(-alpha epsilon)) / (1 + (choices - 1) e^-epsilon):
    the sum of P^alpha Q^(1 - alpha) over the answers.

    Attributes:
        epsilon: >= 0.
        choices: at least 2.
    """

    epsilon: Fraction
    choices: int = 2

    def divergence(self, alpha: Fraction) -> Bounds:
        checked_order(self, alpha)
        e, others = self.epsilon, self.choices - 2
        ends = []
        for near, far, ln in ((exp_down, exp_up, ln_down), (exp_up, exp_down, ln_up)):
            top = 1 + near(-(2 * alpha - 1) * e) + others * near(-alpha * e)
            ends.append(e + ln(top / (1 + (others + 1) * far(-e))) / (alpha - 1))
        # A sum of rounded terms may fall outside what every pure bound allows.
        return short((max(Fraction(0), ends[0]), max(Fraction(0), min(e, ends[1]))))


class Pure(Response, frozen=True):
    """Any epsilon-DP mechanism: each such pair of laws is a post-processing of two answers.

    Exact for the worst case.  Source: Kairouz, Oh, Viswanath (2015), Theorem 3.4; Bun and Steinke
    (2016), Proposition 3.3 for the resulting rho.
    """


class Range(_EveryOrder, frozen=True):
    """ln dP/dQ ranges over an interval of length epsilon, as for the exponential mechanism.

    D_alpha <= alpha epsilon^2 / 8 (Cesar and Rogers 2021, Lemma 3.2), and bounded range implies
    epsilon-DP (Dong, Durfee, Rogers 2020, section 2), which is the less at large orders.

    Attributes:
        epsilon: >= 0.
    """

    epsilon: Fraction

    def divergence(self, alpha: Fraction) -> Bounds:
        high = Pure(self.epsilon).divergence(alpha)[1]
        return Fraction(0), min(high, alpha * self.epsilon**2 / 8)


class Laplace(_EveryOrder, frozen=True):
    """Laplace noise, continuous or on a grid, when its argument moves by `epsilon` scales; exact.

    With b = 2 alpha - 1, m = epsilon and s = step, summing P^alpha Q^(1 - alpha) left of both
    centres, between them and right of both gives, for P discrete Laplace on a grid,
      exp((alpha - 1) D) = (1/2 + c) e^((alpha - 1) m) + (1/2 - c) e^(-alpha m),
      c = tanh(s/2) coth(b s/2) / 2, tending to 1 / (2 b) for s -> 0 (the continuous law).
    tanh(x) / tanh(b x) grows with x for b > 1 and e^((alpha - 1) m) is the larger power, so the
    value grows with s: a step rounded up keeps the bound sound.  Movement is in L1; one entry that
    carries all of it is the worst vector, as D is convex in m and 0 at m = 0.  `Pure` is s = m.
    Source of the continuous form: Mironov (2017), Proposition 6.

    Attributes:
        epsilon: movement / scale, >= 0.
        step: grid step / scale, or anything above it; 0 for the continuous law.
    """

    epsilon: Fraction
    step: Fraction = FINE_STEP

    def divergence(self, alpha: Fraction) -> Bounds:
        b = 2 * checked_order(self, alpha) - 1
        m = self.epsilon
        halves = _half_coth(b, min(self.step, m))
        # x + (1 - x) t grows with x for t <= 1.
        low, high = (Fraction(1, 2) + c for c in halves)
        bottom = ln_down(low + (1 - low) * exp_down(-b * m))
        top = ln_up(high + (1 - high) * exp_up(-b * m))
        return short(
            (
                max(Fraction(0), m + bottom / (alpha - 1)),
                max(Fraction(0), min(m, m + top / (alpha - 1))),
            )
        )


class DiscreteLaplace(Laplace, frozen=True):
    """Discrete Laplace noise on whole numbers that move by at most `ticks` in L1.

    Attributes:
        step: 1 / scale, or anything above it; epsilon is at least ticks / scale.
        ticks: a whole number >= 1.
    """

    ticks: int = 1


def _half_coth(b: Fraction, s: Fraction) -> Bounds:
    """Bounds of tanh(s/2) coth(b s/2) / 2, at most 1/2."""
    if not s:
        return 1 / (2 * b), 1 / (2 * b)
    near, far = (exp_down(-s), exp_up(-s)), (exp_down(-b * s), exp_up(-b * s))
    low = (1 - near[1]) / (1 + near[1]) * (1 + far[0]) / (1 - far[0]) / 2
    if far[1] >= 1:
        return max(Fraction(0), low), Fraction(1, 2)
    high = (1 - near[0]) / (1 + near[0]) * (1 + far[1]) / (1 - far[1]) / 2
    return max(1 / (2 * b), low), min(Fraction(1, 2), high)


class Composed(msgspec.Struct, frozen=True):
    """The sum of curves, each taken `count` times.

    Attributes:
        parts: pairs (curve, count).
    """

    parts: tuple[tuple[Curve, int], ...]

    @property
    def largest(self) -> Fraction | None:
        found = [x for x in (curve.largest for curve, _ in self.parts) if x is not None]
        return min(found) if found else None

    def divergence(self, alpha: Fraction) -> Bounds:
        low = high = Fraction(0)
        for curve, count in self.parts:
            part = curve.divergence(alpha)
            low, high = low + count * part[0], high + count * part[1]
        return low, high


class Least(msgspec.Struct, frozen=True):
    """Several bounds of one mechanism: the least holds at every order."""

    bounds: tuple[Curve, ...]

    @property
    def largest(self) -> Fraction | None:
        found = [curve.largest for curve in self.bounds]
        known = [x for x in found if x is not None]
        return max(known) if len(known) == len(found) else None

    def divergence(self, alpha: Fraction) -> Bounds:
        checked_order(self, alpha)
        ends = [
            curve.divergence(alpha)[1]
            for curve in self.bounds
            if curve.largest is None or alpha <= curve.largest
        ]
        return Fraction(0), min(ends)


class Worst(msgspec.Struct, frozen=True):
    """One of several mechanisms, chosen by public or released values: the largest holds."""

    options: tuple[Curve, ...]

    @property
    def largest(self) -> Fraction | None:
        found = [x for x in (curve.largest for curve in self.options) if x is not None]
        return min(found) if found else None

    def divergence(self, alpha: Fraction) -> Bounds:
        ends = [curve.divergence(alpha) for curve in self.options]
        return max(low for low, _ in ends), max(high for _, high in ends)


def checked_order(curve: Curve, alpha: Fraction) -> Fraction:
    """alpha, if the curve has it.  ParameterError otherwise."""
    most = curve.largest
    if alpha <= 1 or (most is not None and alpha > most):
        limit = "" if most is None else f" and at most {most}"
        raise ParameterError(f"{alpha} is no order here: it must be above 1{limit}", place="alpha")
    return alpha


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


def pure_epsilon(curve: Curve) -> Fraction | None:
    """epsilon with delta = 0, or None."""
    match curve:
        case Response(epsilon=epsilon) | Laplace(epsilon=epsilon) | Range(epsilon=epsilon):
            return epsilon
        case Linear(rho=rho) if not rho:
            return Fraction(0)
        case Composed(parts=parts):
            return _total([(pure_epsilon(part), count) for part, count in parts])
        case Worst(options=options):
            return _largest([pure_epsilon(option) for option in options])
        case Least(bounds=bounds):
            return _least([pure_epsilon(bound) for bound in bounds])
    return None


def zcdp_rho(curve: Curve) -> Fraction | None:
    """A rho with D_alpha <= rho alpha at every order, rounded up, or None."""
    match curve:
        case Linear(rho=rho):
            return rho
        case Response(epsilon=epsilon) | Laplace(epsilon=epsilon):
            return response_rho(epsilon)
        case Range(epsilon=epsilon):
            return min(response_rho(epsilon), short_up(epsilon * epsilon / 8))
        case Composed(parts=parts):
            return _total([(zcdp_rho(part), count) for part, count in parts])
        case Worst(options=options):
            return _largest([zcdp_rho(option) for option in options])
        case Least(bounds=bounds):
            return _least([zcdp_rho(bound) for bound in bounds])
    return None


def response_rho(epsilon: Fraction) -> Fraction:
    """epsilon tanh(epsilon / 2), rounded up: rho and expected loss of randomized response."""
    growth = exp_up(epsilon)
    return short_up(epsilon * (growth - 1) / (growth + 1))


def gaussian_rho(curve: Curve) -> Fraction | None:
    """rho, if the curve is that of Gaussian noise whose profile is known."""
    if isinstance(curve, Gaussian) and curve.fine:
        return curve.rho
    return Fraction(0) if isinstance(curve, Linear) and not curve.rho else None


def _total(parts: list[tuple[Fraction | None, int]]) -> Fraction | None:
    total = Fraction(0)
    for value, count in parts:
        if value is None:
            return None
        total += count * value
    return total


def _largest(values: list[Fraction | None]) -> Fraction | None:
    known = [x for x in values if x is not None]
    return max(known) if len(known) == len(values) else None


def _least(values: list[Fraction | None]) -> Fraction | None:
    known = [x for x in values if x is not None]
    return min(known) if known else None
