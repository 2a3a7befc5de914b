"""Renyi curves as data: how far two output laws are at every order alpha > 1.

`divergence(alpha)` encloses the largest Renyi divergence of order alpha over pairs of inputs that
the mechanism may receive: the lower end is attained by some pair wherever the docstring of the
class says "exact".  Curves of independent steps, chosen adaptively, add at equal order
(Mironov 2017, Proposition 1).  Orders are rationals; numbers are rounded outward.

A curve knows what it implies: a pure epsilon, a rho, and the laws of privacy losses that dominate
its family, also between inputs that are several steps of a path apart.  Randomized response
dominates every pure epsilon (Kairouz, Oh, Viswanath 2015, Theorem 3.4); a path of k such steps has
the power of the k-fold iterate of one (Dong, Roth, Su 2022, Theorem 2.14), which is that against
discrete Laplace noise of scale 1 / epsilon that moves by k.

Curves along paths of laws rest on the weak triangle inequality.  For p > 1,
D_alpha(P, Q) <= (p alpha - 1)/(p (alpha - 1)) D_(p alpha)(P, M) + D_((p alpha - 1)/(p - 1))(M, Q).
Source: Hoelder; Mironov (2017), Proposition 11.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import log2

import msgspec

from metricdp.accounting.losses.atomic import ResponseLoss
from metricdp.accounting.losses.bounded_range import BoundedRangeLoss
from metricdp.accounting.losses.discrete_gaussian import DiscreteGaussianLoss
from metricdp.accounting.losses.discrete_laplace import DiscreteLaplaceLoss
from metricdp.accounting.losses.gaussian import GaussianLoss
from metricdp.accounting.losses.laplace import LaplaceLoss
from metricdp.accounting.losses.loss import Parts
from metricdp.accounting.rounded import exp_down, exp_up, ln_down, ln_up, root_up, short, short_up
from metricdp.errors import ParameterError
from metricdp.noise.enclose import Bounds

#: Discrete Laplace noise that moves further, or whose grid is finer, counts as continuous noise.
_MOST_TICKS = 1000
_FINE = Fraction(1, 100)
#: What a mechanism on a grid of 2^40 or more steps per scale may take as `LaplaceCurve.step`.
FINE_STEP = Fraction(1, 1 << 40)

#: Divergences that are kept: several rules ask the same curves at the same orders.
_KEPT = 1 << 12


class Curve(msgspec.Struct, frozen=True):
    """A Renyi curve."""

    @property
    def largest(self) -> Fraction | None:
        """The largest order with a bound; None: every order has one."""
        return None

    def divergence(self, alpha: Fraction) -> Bounds:
        """Lower and upper bound of D_alpha.  ParameterError: alpha <= 1 or above `largest`."""
        raise NotImplementedError

    @property
    def pure_epsilon(self) -> Fraction | None:
        """An epsilon with delta = 0, or None."""
        return None

    @property
    def zcdp_rho(self) -> Fraction | None:
        """A rho with D_alpha <= rho alpha at every order, rounded up, or None."""
        return None

    @property
    def gaussian_rho(self) -> Fraction | None:
        """rho, if the curve is that of Gaussian noise whose profile is known."""
        return None

    def losses(self, rows: int = 1) -> Parts | None:
        """Laws of privacy losses that dominate a mechanism with this curve, or None.

        Args:
            rows: of how many steps the path between the two inputs is; >= 1.
        """
        epsilon = self.pure_epsilon
        if not epsilon:
            return None if epsilon is None else ()
        if rows == 1:
            return ((ResponseLoss(epsilon), 1),)
        return ((DiscreteLaplaceLoss(1 / epsilon, rows), 1),)


class LinearCurve(Curve, frozen=True):
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

    @property
    def pure_epsilon(self) -> Fraction | None:
        return None if self.rho else Fraction(0)

    @property
    def zcdp_rho(self) -> Fraction | None:
        return self.rho

    @property
    def gaussian_rho(self) -> Fraction | None:
        return None if self.rho else Fraction(0)


class GaussianCurve(LinearCurve, frozen=True):
    """Gaussian noise with rho = u^2 / 2, where u = movement in L2 / standard deviation.

    Attributes:
        fine: the noise is continuous, and may be rounded afterwards: its profile is then that of a
            Gaussian (`accounting.gaussian`).
    """

    fine: bool = True

    @property
    def gaussian_rho(self) -> Fraction | None:
        return self.rho if self.fine or not self.rho else None

    def losses(self, rows: int = 1) -> Parts | None:
        """The Gaussian pair; noise moves `rows` times as far."""
        if not self.fine or not self.rho:
            return LinearCurve.losses(self, rows)
        return ((GaussianLoss(short_up(root_up(2 * self.rho * rows * rows))), 1),)


class DiscreteGaussianCurve(GaussianCurve, frozen=True):
    """Discrete Gaussian noise on whole numbers, of which `numbers` move by at most `ticks`.

    Attributes:
        sigma: exact, > 0; rho is at least numbers ticks^2 / (2 sigma^2).
        ticks: a whole number >= 1.
        numbers: how many of them move; >= 1.
        alone: there is one number only, so that what moves further moves in it.
    """

    fine: bool = False
    sigma: Fraction = Fraction(1)
    ticks: int = 1
    alone: bool = False
    numbers: int = 1

    def losses(self, rows: int = 1) -> Parts | None:
        """The pair of one number that moves by `ticks`, once for each that does; several numbers
        may share a longer path.

        Half-lines are the best tests of discrete Gaussian noise (it is log-concave), so moving
        further never costs less; a vector of whole numbers that moves by 1 in L2 moves in one
        entry.
        """
        if rows > 1 and not self.alone:
            return LinearCurve.losses(self, rows)
        return ((DiscreteGaussianLoss(self.sigma, self.ticks * rows), self.numbers),)


class TruncatedCurve(Curve, frozen=True):
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


class ResponseCurve(Curve, frozen=True):
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
        return _of_response(self.epsilon, self.choices, checked_order(self, alpha))

    @property
    def pure_epsilon(self) -> Fraction | None:
        return self.epsilon

    @property
    def zcdp_rho(self) -> Fraction | None:
        return response_rho(self.epsilon)

    def losses(self, rows: int = 1) -> Parts | None:
        """Its own pair; along a path, that of a pure epsilon."""
        if rows > 1 or not self.epsilon:
            return Curve.losses(self, rows)
        return ((ResponseLoss(self.epsilon, self.choices), 1),)


class PureCurve(ResponseCurve, frozen=True):
    """Any epsilon-DP mechanism: each such pair of laws is a post-processing of two answers.

    Exact for the worst case.  Source: Kairouz, Oh, Viswanath (2015), Theorem 3.4; Bun and Steinke
    (2016), Proposition 3.3 for the resulting rho.
    """

    def losses(self, rows: int = 1) -> Parts | None:
        """The pair of two answers; see the module."""
        return Curve.losses(self, rows)


class RangeCurve(Curve, frozen=True):
    """ln dP/dQ ranges over an interval of length epsilon, as for the exponential mechanism.

    D_alpha <= alpha epsilon^2 / 8 (Cesar and Rogers 2021, Lemma 3.2), and bounded range implies
    epsilon-DP (Dong, Durfee, Rogers 2020, section 2), which is the less at large orders.

    Attributes:
        epsilon: >= 0.
    """

    epsilon: Fraction

    def divergence(self, alpha: Fraction) -> Bounds:
        high = PureCurve(self.epsilon).divergence(alpha)[1]
        return Fraction(0), min(high, alpha * self.epsilon**2 / 8)

    @property
    def pure_epsilon(self) -> Fraction | None:
        return self.epsilon

    @property
    def zcdp_rho(self) -> Fraction | None:
        return min(response_rho(self.epsilon), short_up(self.epsilon * self.epsilon / 8))

    def losses(self, rows: int = 1) -> Parts | None:
        """The truncated exponential pair of this range; ranges add along a path."""
        return ((BoundedRangeLoss(self.epsilon * rows), 1),) if self.epsilon else ()


class LaplaceCurve(Curve, frozen=True):
    """Laplace noise, continuous or on a grid, when its argument moves by `epsilon` scales; exact.

    With b = 2 alpha - 1, m = epsilon and s = step, summing P^alpha Q^(1 - alpha) left of both
    centres, between them and right of both gives, for P discrete Laplace on a grid,
      exp((alpha - 1) D) = (1/2 + c) e^((alpha - 1) m) + (1/2 - c) e^(-alpha m),
      c = tanh(s/2) coth(b s/2) / 2, tending to 1 / (2 b) for s -> 0 (the continuous law).
    tanh(x) / tanh(b x) grows with x for b > 1 and e^((alpha - 1) m) is the larger power, so the
    value grows with s: a step rounded up keeps the bound sound.  Movement is in L1; one entry that
    carries all of it is the worst vector, as D is convex in m and 0 at m = 0.  `PureCurve` is
    s = m.  Source of the continuous form: Mironov (2017), Proposition 6.

    Attributes:
        epsilon: movement / scale, >= 0.
        step: grid step / scale, or anything above it; 0 for the continuous law.
    """

    epsilon: Fraction
    step: Fraction = FINE_STEP

    def divergence(self, alpha: Fraction) -> Bounds:
        return _of_laplace(self.epsilon, self.step, checked_order(self, alpha))

    @property
    def pure_epsilon(self) -> Fraction | None:
        return self.epsilon

    @property
    def zcdp_rho(self) -> Fraction | None:
        return response_rho(self.epsilon)

    def losses(self, rows: int = 1) -> Parts | None:
        """The pair of one number that carries all of the movement, where the grid is fine.

        A vector that moves by m in L1, in scales, is dominated by the scalar pair at m.  Proof: the
        entries move one after another, along laws P_0, ..., P_k; with f_a the trade-off function of
        the scalar pair at a, T(P_{i-1}, P_i) = f_{a_i}, and a trade-off along two steps is at least
        g(1 - f) (Dong, Roth, Su 2022, Lemma A.5).  Scalar pairs are told apart best by half-lines,
        as the density is log-concave: f_a(x) = F(F^-1(1 - x) - a), and so
        f_b(1 - f_a(x)) = f_{a+b}(x).

        Noise is drawn on grids.  Discrete Laplace noise of step s (in scales) that moves by m = k s
        has a trade-off function with vertices (a, b): a b = e^-(m + s) / (1 + e^-s)^2 = e^-m' / 4
        between the centres, with m' = m + 2 ln cosh(s/2) <= m + s^2/4, and b = 1 - e^m a or
        a = 1 - e^m b outside them.  All lie on or above the convex curve of continuous noise that
        moves by m', and so do their chords; an entry that moves pays s^2/4 <= m s/4, so
        m (1 + s/4) is enough for a vector.
        """
        moved = self.epsilon * rows
        if not moved or self.step > _FINE:
            return ((ResponseLoss(moved), 1),) if moved else ()
        return ((LaplaceLoss(short_up(moved * (1 + self.step / 4))), 1),)


class DiscreteLaplaceCurve(LaplaceCurve, frozen=True):
    """Discrete Laplace noise on whole numbers that move by at most `ticks` in L1.

    Attributes:
        step: 1 / scale, or anything above it; epsilon is at least ticks / scale.
        ticks: a whole number >= 1.
    """

    ticks: int = 1

    def losses(self, rows: int = 1) -> Parts | None:
        """The pair of one number that moves by all of it.

        On whole numbers the trade-off of k steps is the k-fold iterate of that of one (see the
        module), so that a vector that moves by k in L1 is dominated by one number that does.
        """
        ticks = self.ticks * rows
        if not self.epsilon or ticks > _MOST_TICKS:
            return LaplaceCurve.losses(self, rows)
        return ((DiscreteLaplaceLoss(1 / self.step, ticks), 1),)


@lru_cache(maxsize=_KEPT)
def _of_response(e: Fraction, choices: int, alpha: Fraction) -> Bounds:
    """See `ResponseCurve`."""
    others, ends = choices - 2, []
    for near, far, ln in ((exp_down, exp_up, ln_down), (exp_up, exp_down, ln_up)):
        top = 1 + near(-(2 * alpha - 1) * e) + others * near(-alpha * e)
        ends.append(e + ln(top / (1 + (others + 1) * far(-e))) / (alpha - 1))
    # A sum of rounded terms may fall outside what every pure bound allows.
    return short((max(Fraction(0), ends[0]), max(Fraction(0), min(e, ends[1]))))


@lru_cache(maxsize=_KEPT)
def _of_laplace(m: Fraction, step: Fraction, alpha: Fraction) -> Bounds:
    """See `LaplaceCurve`."""
    b = 2 * alpha - 1
    halves = _half_coth(b, min(step, m))
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


class ComposedCurve(Curve, frozen=True):
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

    @property
    def pure_epsilon(self) -> Fraction | None:
        return _total([(curve.pure_epsilon, count) for curve, count in self.parts])

    @property
    def zcdp_rho(self) -> Fraction | None:
        return _total([(curve.zcdp_rho, count) for curve, count in self.parts])

    def losses(self, rows: int = 1) -> Parts | None:
        """The laws of all parts."""
        found = [(curve.losses(rows), count) for curve, count in self.parts]
        if any(laws is None for laws, _ in found):
            return None
        return tuple((loss, n * count) for laws, count in found for loss, n in laws or ())


class LeastCurve(Curve, frozen=True):
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

    @property
    def pure_epsilon(self) -> Fraction | None:
        return _least([curve.pure_epsilon for curve in self.bounds])

    @property
    def zcdp_rho(self) -> Fraction | None:
        return _least([curve.zcdp_rho for curve in self.bounds])


class WorstCurve(Curve, frozen=True):
    """One of several mechanisms, chosen by public or released values: the largest holds."""

    options: tuple[Curve, ...]

    @property
    def largest(self) -> Fraction | None:
        found = [x for x in (curve.largest for curve in self.options) if x is not None]
        return min(found) if found else None

    def divergence(self, alpha: Fraction) -> Bounds:
        ends = [curve.divergence(alpha) for curve in self.options]
        return max(low for low, _ in ends), max(high for _, high in ends)

    @property
    def pure_epsilon(self) -> Fraction | None:
        return _largest([curve.pure_epsilon for curve in self.options])

    @property
    def zcdp_rho(self) -> Fraction | None:
        return _largest([curve.zcdp_rho for curve in self.options])


def checked_order(curve: Curve, alpha: Fraction) -> Fraction:
    """alpha, if the curve has it.  ParameterError otherwise."""
    most = curve.largest
    if alpha <= 1 or (most is not None and alpha > most):
        limit = "" if most is None else f" and at most {most}"
        raise ParameterError(f"{alpha} is no order here: it must be above 1{limit}", place="alpha")
    return alpha


class Grouped(Curve, frozen=True):
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


class Through(Curve, frozen=True):
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


def response_rho(epsilon: Fraction) -> Fraction:
    """epsilon tanh(epsilon / 2), rounded up: rho and expected loss of randomized response."""
    growth = exp_up(epsilon)
    return short_up(epsilon * (growth - 1) / (growth + 1))


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
