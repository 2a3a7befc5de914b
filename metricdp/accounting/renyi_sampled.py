"""Renyi curves of mechanisms on a secret random sample of the rows.

Both are computed at integer orders.  Between two of them the upper end interpolates
(alpha - 1) D_alpha, which is convex in alpha, and the lower end is D at the integer below, since D
grows with alpha.  All terms are positive, so decimals with directed rounding give the ends; their
exponents do not overflow.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import comb

from metricdp.accounting.renyi import Curve, LaplaceCurve, checked_order
from metricdp.accounting.rounded import exp_down, exp_up, ln_up, short_down, short_up
from metricdp.errors import ParameterError
from metricdp.noise.enclose import Bounds
from metricdp.noise.kept import exp_decimal

_DIGITS = 40
#: Terms this far below the largest one are rounded up to it.
_FAINT = Fraction(-400)
_DOWN = Context(_DIGITS, ROUND_FLOOR, MIN_EMIN, MAX_EMAX, traps=[])
_UP = Context(_DIGITS, ROUND_CEILING, MIN_EMIN, MAX_EMAX, traps=[])
#: Sums have as many terms as the order.
LARGEST_ORDER = 1 << 11
#: The terms of `WithoutReplacementCurve` cost more.
LARGEST_ORDER_GENERAL = 1 << 8


class PoissonGaussian(Curve, frozen=True):
    """Gaussian noise on a Poisson sample, one row added or removed; exact at integer orders.

    D_alpha = ln(sum_k C(alpha, k) (1 - q)^(alpha - k) q^k e^((k^2 - k) u^2 / 2)) / (alpha - 1); the
    direction mixture-first is the larger one.  Discrete Gaussian noise obeys the same formula: it
    enters through the moments e^((k - 1) k u^2 / 2), equal for integer movements, and reflection
    about the midpoint of the centres is a symmetry of the grid too.
    Source: Mironov, Talwar, Zhang (2019), Theorems 4 and 5, section 3.3.

    Attributes:
        rate: probability that a row is in the sample, in [0, 1].
        ratio: movement of the sampled statistic by one row, in L2, / standard deviation; >= 0.
    """

    rate: Fraction
    ratio: Fraction

    @property
    def largest(self) -> Fraction | None:
        return Fraction(LARGEST_ORDER)

    def divergence(self, alpha: Fraction) -> Bounds:
        return _interpolated(checked_order(self, alpha), self._cumulant)

    def _cumulant(self, order: int) -> Bounds:
        return _poisson_gaussian(self.rate, self.ratio, order)


class PoissonResponse(Curve, frozen=True):
    """Any epsilon-DP mechanism on a Poisson sample, one row added or removed; exact.

    With M the law without the row, P1 that with it and u = dP1/dM, the sample with the row has
    density 1 - q + q u over M.  u lies in [e^-epsilon, e^epsilon] and has mean 1 under M, and the
    moments of the two directions, E_M (1 - q + q u)^alpha and E_M (1 - q + q u)^(1 - alpha), are
    those of convex functions of u, which are largest when u takes the two ends only:
    u = e^epsilon with chance w = 1 / (1 + e^epsilon), randomized response.  The first direction is
    the larger one (`PoissonLaplace`):
      exp((alpha - 1) D) = w (1 - q + q e^epsilon)^alpha + (1 - w) (1 - q + q e^-epsilon)^alpha.

    Attributes:
        rate: probability that a row is in the sample, in [0, 1].
        epsilon: of the base, for one row of the sample added or removed; >= 0.
    """

    rate: Fraction
    epsilon: Fraction

    def divergence(self, alpha: Fraction) -> Bounds:
        checked_order(self, alpha)
        low, high = exp_down(self.epsilon), exp_up(self.epsilon)
        up = alpha * ln_up(1 + self.rate * (high - 1))
        down = alpha * ln_up(1 - self.rate * (1 - 1 / low))
        # Over the larger term, so that no number grows out of bounds.
        rest = high / (1 + high) * exp_up(max(down - up, _FAINT))
        return Fraction(0), short_up((up + ln_up(1 / (1 + low) + rest)) / (alpha - 1))


class PoissonLaplace(Curve, frozen=True):
    """Laplace noise on a Poisson sample, one row added or removed; exact at integer orders.

    In terms of u = dP1/dM (see `PoissonResponse`), for integers alpha,
      exp((alpha - 1) D) = E_M (1 - q + q u)^alpha
                         = sum_k C(alpha, k) (1 - q)^(alpha - k) q^k e^((k - 1) D_k),
    with D_k the base's own curve.  The other direction is no larger.  Proof: reflection about the
    midpoint of the two centres exchanges M and P1, so u has under P1 the law that 1/u has under M,
    and 2 E_M f(u) = E_M (f(u) + u f(1/u)).  With a = 1 - q + q u, b = 1 - q + q/u and
    h(x) = x^alpha - x^(1 - alpha) it is enough that h(a) + u h(b) >= 0 for u >= 1 (for u < 1 the
    two change places).  h(x) = 2 sqrt(x) sinh(c ln x) with c = alpha - 1/2; with A = ln a and
    B = -ln b this is sqrt(a) sinh(c A) >= u sqrt(b) sinh(c B).  A >= B, because
    a b = 1 + q (1 - q) (u + 1/u - 2); so sinh(c A) / sinh(c B) grows with c, and at c = 1/2 the two
    sides are equal: (a - 1) / 2 = q (u - 1) / 2 = u (1 - b) / 2.
    Source of the theorem: Mironov, Talwar, Zhang (2019), Theorem 5.

    Attributes:
        rate: probability that a row is in the sample, in [0, 1].
        base: curve of the noise, for one row of the sample added or removed.
    """

    rate: Fraction
    base: LaplaceCurve

    @property
    def largest(self) -> Fraction | None:
        return Fraction(LARGEST_ORDER_GENERAL)

    def divergence(self, alpha: Fraction) -> Bounds:
        checked_order(self, alpha)
        return Fraction(0), _interpolated(alpha, lambda order: _poisson_laplace(self, order))[1]


class WithoutReplacementCurve(Curve, frozen=True):
    """Any mechanism on m of n rows drawn without replacement, one row replaced; a bound.

    With e(j) the base's curve, q = m / n and E = e^(e(oo)) - 1 if the base is pure,
    exp((alpha - 1) D) <= 1 + q^2 C(alpha, 2) min(4 (e^e(2) - 1), e^e(2) min(2, E^2))
    + sum_{j >= 3} q^j C(alpha, j) e^((j - 1) e(j)) min(2, E^j), and D is at most the base's own
    (joint quasi-convexity: an undisturbed sample costs nothing).
    Source: Wang, Balle, Kasiviswanathan (2019), Theorem 9.

    Attributes:
        rate: m / n, in [0, 1].
        base: curve of the mechanism when one row of its m rows is replaced.
        pure: epsilon of the base, if it has one.
    """

    rate: Fraction
    base: Curve
    pure: Fraction | None = None

    @property
    def largest(self) -> Fraction | None:
        most = self.base.largest
        limit = Fraction(LARGEST_ORDER_GENERAL)
        return limit if most is None else min(most, limit)

    def divergence(self, alpha: Fraction) -> Bounds:
        checked_order(self, alpha)
        high = _interpolated(alpha, lambda order: _without_replacement(self, order))[1]
        # No lower end is known: the bound is not tight.
        return Fraction(0), min(high, self.base.divergence(alpha)[1])


class WithReplacementCurve(Curve, frozen=True):
    """zCDP noise on draws with replacement of which at most `most` hit the row that is replaced.

    The sample holds k copies of the row with probability b_k = C(m, k) n^-k (1 - 1/n)^(m - k), and
    P^alpha Q^(1 - alpha) is jointly convex: with rho k^2 for k replaced rows,
    exp((alpha - 1) D) <= sum_{k <= most} b_k e^(alpha (alpha - 1) rho k^2) / sum_{k <= most} b_k,
    given that k <= most.  A bound; the law that k > `most` is to be charged to delta (`missed`).

    Attributes:
        rho: zCDP of the base for one replaced row of its sample.
        draws: m.
        rows: n; for k replaced rows, n / k: a draw hits one of them with probability k / n.
        most: at least 0.
    """

    rho: Fraction
    draws: int
    rows: Fraction
    most: int

    @property
    def largest(self) -> Fraction | None:
        return None

    @property
    def missed(self) -> Fraction:
        """Probability of more than `most` copies."""
        return 1 - sum(self._weights(), Fraction(0))

    def divergence(self, alpha: Fraction) -> Bounds:
        slope = checked_order(self, alpha) * (alpha - 1) * self.rho
        weights, kept = _short_copies(self.draws, self.rows, self.most)
        # Over the largest term, so that no number grows out of bounds.
        top = slope * (len(weights) - 1) ** 2
        terms = (w * exp_up(max(slope * k * k - top, _FAINT)) for k, w in enumerate(weights))
        return Fraction(0), (top + ln_up(sum(terms, Fraction(0)) / kept)) / (alpha - 1)

    def _weights(self) -> list[Fraction]:
        return _copies(self.draws, self.rows, self.most)


@lru_cache(maxsize=64)
def _short_copies(draws: int, rows: Fraction, most: int) -> tuple[list[Fraction], Fraction]:
    """The weights rounded up, and their sum rounded down."""
    weights = _copies(draws, rows, most)
    kept = Fraction(1) if most >= draws else short_down(sum(weights, Fraction(0)))
    return [short_up(w) for w in weights], kept


@lru_cache(maxsize=64)
def _copies(draws: int, rows: Fraction, most: int) -> list[Fraction]:
    hit = 1 / Fraction(rows)
    return [comb(draws, k) * hit**k * (1 - hit) ** (draws - k) for k in range(min(draws, most) + 1)]


def _interpolated(alpha: Fraction, cumulant: Callable[[int], Bounds]) -> Bounds:
    """Bounds of D_alpha from bounds of (k - 1) D_k at the integers around alpha."""
    below = int(alpha)
    low, high = cumulant(below) if below > 1 else (Fraction(0), Fraction(0))
    if alpha == below:
        return low / (below - 1), high / (below - 1)
    weight = alpha - below
    above = (1 - weight) * high + weight * cumulant(below + 1)[1]
    return (low / (below - 1) if below > 1 else low), above / (alpha - 1)


@lru_cache(maxsize=4096)
def _poisson_gaussian(rate: Fraction, ratio: Fraction, order: int) -> Bounds:
    """Bounds of (order - 1) D_order."""
    if not 0 <= rate <= 1 or ratio < 0:
        raise ParameterError("needs 0 <= rate <= 1 and ratio >= 0", place="sampled Gaussian")
    if not rate or not ratio:
        return Fraction(0), Fraction(0)
    if rate == 1:
        value = order * (order - 1) * ratio * ratio / 2
        return value, value
    low = _log_sum(rate, ratio, order, _DOWN)
    high = _log_sum(rate, ratio, order, _UP)
    return max(Fraction(0), low), high


def _log_sum(rate: Fraction, ratio: Fraction, order: int, way: Context) -> Fraction:
    """ln of the sum over k, all roundings in the direction of the context."""
    down = way is _DOWN
    rest = 1 - rate
    odds = way.divide(*_quotient(rate / rest))
    grow = way.exp(way.divide(*_quotient(ratio * ratio)))
    grow = way.next_minus(grow) if down else way.next_plus(grow)
    term = way.power(way.divide(*_quotient(rest)), order)
    # `power` with an integer exponent is correct to one unit only.
    term = way.next_minus(term) if down else way.next_plus(term)
    power, total = Decimal(1), term
    for k in range(order):
        # From k to k + 1: C gains (order - k) / (k + 1), (k^2 - k) / 2 gains k.
        term = way.multiply(way.divide(way.multiply(term, order - k), Decimal(k + 1)), odds)
        term = way.multiply(term, power)
        power = way.multiply(power, grow)
        total = way.add(total, term)
    log = way.ln(total)
    return Fraction(way.next_minus(log) if down else way.next_plus(log))


def _quotient(x: Fraction) -> tuple[Decimal, Decimal]:
    return Decimal(x.numerator), Decimal(x.denominator)


@lru_cache(maxsize=1024)
def _poisson_laplace(curve: PoissonLaplace, order: int) -> Bounds:
    """(0, upper bound of (order - 1) D_order)."""
    if not 0 <= curve.rate <= 1:
        raise ParameterError("needs 0 <= rate <= 1", place="sampled Laplace")
    if curve.rate == 1:
        return Fraction(0), (order - 1) * curve.base.divergence(Fraction(order))[1]
    rest = 1 - curve.rate
    odds = _UP.divide(*_quotient(curve.rate / rest))
    # `power` with an integer exponent is correct to one unit only.
    term = _UP.next_plus(_UP.power(_UP.divide(*_quotient(rest)), order))
    total = term
    for k in range(1, order + 1):
        term = _UP.multiply(_UP.divide(_UP.multiply(term, order - k + 1), Decimal(k)), odds)
        power = (k - 1) * curve.base.divergence(Fraction(k))[1] if k > 1 else Fraction(0)
        total = _UP.add(total, _UP.multiply(term, exp_decimal(power, _DIGITS)[1]))
    return Fraction(0), Fraction(_UP.next_plus(_UP.ln(total)))


@lru_cache(maxsize=1024)
def _without_replacement(curve: WithoutReplacementCurve, order: int) -> Bounds:
    """(0, upper bound of (order - 1) D_order)."""
    if not 0 <= curve.rate <= 1:
        raise ParameterError("needs 0 <= rate <= 1", place="sample without replacement")
    total = term = Decimal(1)
    rate = _UP.divide(*_quotient(curve.rate))
    for j in range(1, order + 1):
        # C(order, j) rate^j
        term = _UP.multiply(_UP.divide(_UP.multiply(term, order - j + 1), Decimal(j)), rate)
        if j > 1:
            total = _UP.add(total, _UP.multiply(term, _moment(curve.base, curve.pure, j)))
    return Fraction(0), Fraction(_UP.next_plus(_UP.ln(total)))


@lru_cache(maxsize=4096)
def _moment(base: Curve, pure: Fraction | None, j: int) -> Decimal:
    """The factor of C(order, j) rate^j in the theorem, rounded up."""
    power = exp_decimal((j - 1) * base.divergence(Fraction(j))[1], _DIGITS)[1]
    spread = Decimal(2)
    if pure is not None:
        # (e^pure - 1)^j, with e^pure - 1 rounded up; decimal's power is good to one unit.
        gap = _UP.subtract(exp_decimal(pure, _DIGITS)[1], Decimal(1))
        spread = min(spread, _UP.next_plus(_UP.power(gap, j)))
    found = _UP.multiply(power, spread)
    if j > 2:
        return found
    return min(found, _UP.multiply(Decimal(4), _UP.subtract(power, Decimal(1))))
