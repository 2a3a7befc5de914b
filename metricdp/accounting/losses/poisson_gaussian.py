"""The loss law of Gaussian noise on a Poisson sample, one row removed or added.

Powers of a Gaussian mixture ratio under a normal law: E[B(X)^(a + i y)], X ~ N(0, 1).

B(x) = 1 - q + q e^(u x - u^2 / 2), the ratio of (1 - q) N(0, 1) + q N(u, 1) to N(0, 1).

Quadrature.  g(x) = phi(x) B(x)^(a + i y) is analytic where |Im x| < pi / u.  The trapezoid rule
with nodes j s errs by at most 2 N / (e^(2 pi A / s) - 1), where A < pi / u and N bounds the
integral of |g(x + iv)| over x for |v| <= A (Trefethen, Weideman 2014, "The exponentially
convergent trapezoidal rule", Theorem 5.1).  On that line |phi(x + iv)| <= phi(x) e^(A^2 / 2);
|arg B| <= u A, because B adds a positive number to one of argument u v; and
    B(x) cos(u A / 2) <= |B(x + iv)| <= B(x),
because |1 - q + q r e^(i w)|^2 = B^2 - 2 (1 - q) q r (1 - cos w) and (1 - q) q r <= B^2 / 4.  So
with E = E[B^a] one may take N = e^(A^2 / 2 + |y| u A) E for a >= 0, and cos(u A / 2)^a times that
for a < 0.  At y = 0 the same bound closes on itself: E <= S / (1 - eta), S the sum.

Truncation.  ln B has a slope in (0, u), increasing.  To the right of x > a u the terms fall at
least by e^(-s x + max(a, 0) u s) each; to the left of x < 0 at least by
e^(s x + max(-a, 0) s u p), with u p the slope at x.

Soft cut.  g(x) = Phi((X - x) / tau) is an integral of normal densities in x, so
|g(x + iv)| <= e^(v^2 / (2 tau^2)) g(x): N has that factor more, and E is E[B^a g].  ln g is
concave and falls, so the ratio of two values at the first points left out bounds all later ones.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import ceil, cos, erfc, exp, inf, isqrt, log, log1p, pi, sqrt
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.accounting.losses.balls import Ball, ball, ends, flint, power_sums, precision
from metricdp.accounting.losses.decay import UniformParts
from metricdp.accounting.losses.gaussian import GaussianLoss
from metricdp.accounting.losses.loss import CellMasses, Loss, PlainLoss
from metricdp.accounting.losses.sampled_cells import MixtureLoss, checked_rate
from metricdp.errors import ParameterError, UncertifiedError

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: Cells on which a density is bounded from below.
_MOST_CELLS = 1500
#: Points of one sum in doubles, a hundred megabytes.
_MOST_SUMMED = 1 << 22


class PoissonGaussianLoss(PlainLoss, msgspec.Struct, frozen=True):
    """The pair of Q = N(0, 1) and Q' = (1 - q) N(0, 1) + q N(u, 1).

    A row that is sampled with probability q moves the statistic by u standard deviations.  Data
    with the row against data without it ("removed") is the pair (Q', Q), the reverse ("added")
    the pair (Q, Q').  Dominating in each direction (Zhu, Dong, Wang 2022, Theorem 11).  With
    B = dQ'/dQ, M(z) = E_Q[B^(z + 1)] when removed and E_Q[B^(-z)] when added.

    Attributes:
        ratio: u > 0.
        rate: q in (0, 1).
        added: the direction.
        cut: X, where the moments leave off: the law is multiplied by g(x) = Phi(2 (X - x)), and
            what that takes away counts as unknown, at worst an infinite loss.  Far beyond X
            masses are negligible, but high moments are not.  Cells are of the whole law.

    Raises:
        ParameterError: a parameter outside its range.
    """

    ratio: Fraction
    rate: Fraction
    added: bool = False
    cut: float = inf

    def __post_init__(self) -> None:
        if not self.ratio > 0:
            raise ParameterError(f"is {self.ratio}, must be positive", place="ratio")
        checked_rate(self.rate)

    @property
    def infinite(self) -> tuple[Fraction, Fraction]:
        """0: mutually absolutely continuous; with a cut, at most what it takes away."""
        return Fraction(0), self._cut_away

    @property
    def largest(self) -> tuple[Fraction, Fraction] | None:
        """Removed: unbounded.  Added: -ln(1 - q), approached."""
        return self._cells_loss().largest

    @property
    def places(self) -> tuple[float, ...]:
        """None: a density."""
        return ()

    @property
    def most_tilt(self) -> float:
        """Beyond this c the quadrature takes thousands of points."""
        u = float(self.ratio)
        return (60 / u) ** 2 if self.added else 200 / u

    def power(self, c: float) -> float:
        """The power of B at z = c."""
        return -c if self.added else c + 1

    def log_moment(self, c: float) -> float:
        """ln M(c), from a sum on equidistant points."""
        import numpy as np

        a = self.power(c)
        u = float(self.ratio)
        far = max(a, 0.0) * u
        bucket = int(min(far, (far + 4 * self.cut) / 5) / 4) + 1
        log_weights, logs, excess = _points(self, bucket)
        exponents = a * logs
        if exponents.max() > 300:
            exponents += log_weights
            top = float(exponents.max())
            return top + log(float(np.exp(exponents - top).sum()))
        weights = np.exp(log_weights)
        # E[B] = 1, so E[B^a] - 1 = E[B^a - 1 - a (B - 1)]: no cancellation in the sum.
        return log1p(float(np.dot(weights, np.expm1(exponents) - a * excess)))

    def on_line(self, c: float, step: Ball, count: int) -> list[Ball]:
        """M(c + i k step) by a trapezoid rule with an enclosed error."""
        found = mixture_powers(self.ratio, self.rate, self.power(c), step, count, self.cut)
        return [moment.conjugate() for moment in found] if self.added else found

    def log_decay(self, c: float, t: float) -> float:
        """From the density of ln B under the tilted law."""
        return _uniform_parts(self, c).log_decay(t)

    def cells(self, edges: NDArray[Any]) -> CellMasses:
        """Cells of the normal laws with other edges."""
        return self._cells_loss().cells(edges)

    def reversed(self) -> PoissonGaussianLoss:
        """The other direction."""
        return PoissonGaussianLoss(self.ratio, self.rate, not self.added)

    @property
    def _cut_away(self) -> Fraction:
        """An upper bound of E_P[1 - g]: with Z normal, P(x + Z / 2 > X) for x under P."""
        if self.cut == inf:
            return Fraction(0)
        with precision(64):
            root, cut = (2 * (1 + ball(0.25))).sqrt(), ball(self.cut)
            q = ball(0 if self.added else self.rate)
            away = (1 - q) * (cut / root).erfc() + q * ((cut - ball(self.ratio)) / root).erfc()
            return min(Fraction(1), ends(away / 2)[1])

    def _cells_loss(self) -> Loss:
        forward = MixtureLoss(GaussianLoss(self.ratio), self.rate)
        return forward.reversed() if self.added else forward


def log_ratios(loss: PoissonGaussianLoss, x: NDArray[Any]) -> NDArray[Any]:
    """ln B at x."""
    import numpy as np

    u, q = float(loss.ratio), float(loss.rate)
    power = u * x - u * u / 2
    return np.where(
        power > 0,
        np.logaddexp(power + np.log(q), np.log1p(-q)),
        np.log1p(q * np.expm1(np.minimum(power, 0.0))),
    )


@lru_cache(maxsize=64)
def _points(
    loss: PoissonGaussianLoss, bucket: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """ln of weights, ln B and B - 1, on points for powers up to 4 bucket / u.

    Raises:
        UncertifiedError: these are too many points.
    """
    import numpy as np

    u, q = float(loss.ratio), float(loss.rate)
    spacing = min(0.2, 0.25 / u)
    if (4 * bucket + 18) / spacing > _MOST_SUMMED:
        raise UncertifiedError(f"the noise is {1 / u:.1g} of what one row moves")
    x = np.arange(-9.0, 4 * bucket + 9.0, spacing)
    log_weights = np.log(spacing) - x * x / 2 - np.log(2 * np.pi) / 2
    if loss.cut < inf:
        log_weights -= 2 * np.maximum(x - loss.cut, 0.0) ** 2
    with np.errstate(over="ignore"):
        excess = q * np.expm1(np.minimum(u * x - u * u / 2, 700.0))
    return log_weights, log_ratios(loss, x), excess


def _log_cut(x: float) -> float:
    """ln Phi(-2x)."""
    value = erfc(sqrt(2) * x) / 2
    return log(value) if value > 1e-300 else -inf


@lru_cache(maxsize=64)
def _uniform_parts(loss: PoissonGaussianLoss, c: float) -> UniformParts:
    """Of the law of ln B tilted by e^(c L), a lower bound of its density on cells.

    In x the tilted density is e^g(x) / (sqrt(2 pi) M(c)), g = a ln B - x^2 / 2, and ln B has the
    slope u p(x), p = q r / B increasing.  g'' = a u^2 p (1 - p) - 1 <= k := max(a, 0) u^2 / 4 - 1,
    so on a cell of width w, g is at least its lesser end less max(k, 0) w^2 / 8.
    """
    import numpy as np

    u, q, a = float(loss.ratio), float(loss.rate), loss.power(c)
    with precision(48):
        log_moment = float(loss.on_line(c, 0.0, 1)[0].real.log().upper())
    end = min(max(a, 0.0) * u, loss.cut) + 7
    width = max(min(0.0625, 0.25 / u), (end + 7) / _MOST_CELLS)
    below, above = ceil(7 / width), ceil(end / width)
    x = width * np.arange(-below, above + 1)
    logs = log_ratios(loss, x)
    exponents = a * logs - x * x / 2
    # Positions from a reference point: ln(B(x) / B(0)), where differences keep their digits.
    with np.errstate(over="ignore"):
        # 0 where the exponential overflows: then these cells are left out below.
        start = q / (q + (1 - q) * np.exp(u * u / 2))
    near = np.log1p(start * np.expm1(np.minimum(u * x, 30.0)))
    places = np.where(u * x < 30, near, logs - logs[below])
    dip = max(max(a, 0.0) * u * u / 4 - 1, 0.0) * width * width / 8
    log_slope = np.log(u * q) + u * x - u * u / 2 - logs
    least = np.minimum(exponents[1:], exponents[:-1]) - dip
    if loss.cut < inf:
        # g falls: least at the right end.
        least += [_log_cut(edge - loss.cut) for edge in x[1:]]
    with np.errstate(over="ignore", under="ignore"):
        density = np.exp(least - 0.5 * log(2 * pi) - log_moment - log_slope[1:])
    largest = np.maximum(np.abs(places[1:]), np.abs(places[:-1]))
    # Left out: widths that rounding may change by more than 1e-10 of themselves, and densities
    # whose exponent is too large for that accuracy.
    sound = (np.diff(places) > 3e-6 * largest) & np.isfinite(density)
    sound &= np.abs(exponents[1:]) + np.abs(x[1:] * x[1:]) < 1e5
    return UniformParts(places, np.where(sound, density, 0.0))


#: Powers of points that are formed before a request is refused: about a quarter of a second.
_MOST_POWERS = 200_000
#: Bits of the precision that errors of the rule need not reach.
_ROUNDED = 8


def mixture_powers(
    ratio: Fraction, rate: Fraction, a: float, step: Ball, count: int, cut: float = inf
) -> list[Ball]:
    """Enclosures of E[B^(a + i k step) g] for k = 0, ..., count - 1.

    Args:
        ratio: u > 0.
        rate: q in (0, 1).
        a: any double.
        step: a double or real ball, >= 0.
        cut: X of the soft cut g; g = 1 for inf.

    Raises:
        UncertifiedError: the request takes too many points.
    """
    module = flint()
    u, q, tilt, high = ball(ratio), ball(rate), ball(a), ball(step)
    # Roundings of some hundred terms, and what sums over nodes lose, take the other bits.
    wanted = max(module.ctx.prec - _ROUNDED, _ROUNDED) * log(2)
    reach, spacing = _rule(float(ratio), a, float(high.upper()) * (count - 1), wanted, cut < inf)
    first, last = _range(float(ratio), float(rate), a, spacing, wanted, cut)
    if (last - first) * (2 * isqrt(count) + 5) > _MOST_POWERS:
        raise UncertifiedError(
            f"{count} moments of order {a:.3g} of a sampled Gaussian with ratio"
            f" {float(ratio):.3g} take {last - first} points",
            remedy="ask the discretised engine",
        )
    s = ball(spacing)
    scale = s / (2 * module.arb.pi()).sqrt()
    weights, ratios = [], []
    for j in range(first, last + 1):
        x, log_ratio = _node(u, q, s, j)
        weight = scale * (tilt * log_ratio - x * x / 2).exp()
        weights.append(module.acb(weight if cut == inf else weight * soft_cut(x, cut)))
        ratios.append(module.acb(0, high * log_ratio).exp())
    sums = power_sums(weights, ratios, count)
    tails = scale * (_right(u, q, tilt, s, last + 1, cut) + _left(u, q, tilt, s, first - 1))
    share = _share(u, tilt, ball(reach), s, cut < inf)
    whole = (sums[0].real + tails) / (1 - share)
    turn = (high * u * ball(reach)).exp()
    found, size = [], share * whole
    for total in sums:
        radius = (size + tails).upper()
        found.append(total + module.acb(module.arb(0, radius), module.arb(0, radius)))
        size *= turn
    return found


def soft_cut(x: Ball, cut: float) -> Ball:
    """g(x) = Phi((X - x) / tau), tau = 1/2."""
    return ((x - ball(cut)) * ball(2).sqrt()).erfc() / 2


def _rule(u: float, a: float, height: float, wanted: float, cut: bool) -> tuple[float, float]:
    """A strip A and the largest step s whose error is e^-wanted at y = height."""
    best = (0.0, 0.0)
    limit = min(3.0 / u, 2 * sqrt(2 * wanted))
    for k in range(1, 33):
        reach = limit * k / 32
        cost = reach * reach * (2.5 if cut else 0.5) + height * u * reach + wanted
        if a < 0:
            cost += a * log(cos(u * reach / 2))
        spacing = 2 * pi * reach / cost
        best = max(best, (spacing, reach))
    return best[1], best[0]


def _range(u: float, q: float, a: float, s: float, wanted: float, cut: float) -> tuple[int, int]:
    """First and last node: terms beyond are below e^-wanted of the largest."""

    def term(j: int) -> float:
        x = j * s
        power = u * x - u * u / 2
        grown = (
            power + log(q) + log1p((1 - q) / q * exp(-power))
            if power > 0
            else log1p(q * (exp(power) - 1))
        )
        return a * grown - x * x / 2 - (2 * (x - cut) ** 2 if x > cut else 0.0)

    far = max(a, 0.0) * u
    if far > cut:
        # Where the slope a u - x - 4 (x - X) is 0.
        far = (far + 4 * cut) / 5
    peak = max(term(0), term(round(far / s)))
    stride = max(1, int(0.2 / s))
    first, last = 0, max(0, round(far / s))
    while term(first) > peak - wanted:
        first -= stride
    while term(last) > peak - wanted:
        last += stride
    return first, last


def _node(u: Ball, q: Ball, s: Ball, j: int) -> tuple[Ball, Ball]:
    """x = j s and ln B(x)."""
    x = s * j
    return x, (1 - q + q * (u * x - u * u / 2).exp()).log()


def _right(u: Ball, q: Ball, a: Ball, s: Ball, j: int, cut: float) -> Ball:
    """Bound of the sum of phi(x) sqrt(2 pi) B(x)^a g(x) over the nodes from j > 0 on."""
    x, log_ratio = _node(u, q, s, j)
    fall = -s * x + (a * u * s if a > 0 else 0)
    here = ball(1)
    if cut < inf:
        here = soft_cut(x, cut)
        fall += (soft_cut(x + s, cut) / here).log()
    return here * (a * log_ratio - x * x / 2).exp() / _below_one(fall)


def _left(u: Ball, q: Ball, a: Ball, s: Ball, j: int) -> Ball:
    """The same over the nodes up to j < 0."""
    x, log_ratio = _node(u, q, s, j)
    slope = u * q * (u * x - u * u / 2 - log_ratio).exp()
    fall = s * x + (-a * slope * s if a < 0 else 0)
    return (a * log_ratio - x * x / 2).exp() / _below_one(fall)


def _below_one(log_factor: Ball) -> Ball:
    """1 - e^log_factor, where the terms fall; infinite bounds otherwise."""
    return -log_factor.expm1() if log_factor < 0 else ball(0)


def _share(u: Ball, a: Ball, reach: Ball, s: Ball, cut: bool) -> Ball:
    """eta: the relative error of the rule at y = 0."""
    square = reach * reach * (5 if cut else 1) / 2
    bound = 2 * square.exp() / (2 * flint().arb.pi() * reach / s).expm1()
    if a < 0:
        bound *= ((u * reach / 2).cos().log() * a).exp()
    return bound
