"""The loss law of two Gaussian mixtures on a line, whose shifts go in opposite directions.

    P = sum a_i N(s_i, 1),   Q = sum c_j N(-t_j, 1),   s_i, t_j >= 0.

These are the worst laws of rows that are sampled by chance, each of which moves a Gaussian
statistic (`measures.sampled_groups` has the proof).  L = ln dP/dQ increases with x, and the pair
(Q, P) is, mirrored, that of the two mixtures exchanged.

Moments of pairs of Gaussian mixtures on a line: E_P[e^(z L)] by a trapezoid rule.

P has the density phi A, Q has phi C against the standard normal phi, with
    A(x) = sum a_i e^(s_i x - s_i^2 / 2),   C(x) = sum c_j e^(-t_j x - t_j^2 / 2),
shifts s in [0, S] and t in [0, T], so that M(z) is the integral of g = phi A^(1 + z) C^(-z), with
z = c + i y.

Quadrature.  On |Im x| <= v with S v, T v < pi neither A nor C is 0: all terms of A(x + iv) have
arguments between 0 and S v, so that arg A lies there and A(x) cos(S v / 2) <= |A(x + iv)| <= A(x);
likewise for C, with arguments of the other sign.  So with E = M(c) the integral of |g(x + iv)| over
x is at most N = e^(v^2 / 2 + |y| (S + T) v) E, times cos(T v / 2)^(-c) if c > 0 and
cos(S v / 2)^(1 + c) if c < -1.  Nodes j h err by at most 2 N / (e^(2 pi v / h) - 1) (Trefethen,
Weideman 2014, "The exponentially convergent trapezoidal rule", Theorem 5.1).  At y = 0 the same
bound closes on itself: E <= total / (1 - share).

Truncation.  ln A has a slope in [0, S] that increases, -ln C one in [0, T] that falls, both with x.
To the right of x > 0 the terms of the sum fall at least by e^(h (-x + (1 + c)_+ S + c_+ T_x)) each,
T_x the slope at x; to the left of x < 0 by e^(h (x + (-1 - c)_+ S_x + (-c)_+ T)).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import cos, inf, isqrt, log, pi, sqrt
from typing import TYPE_CHECKING, Any

from metricdp.accounting.losses.balls import Ball, ball, flint, power_sums, precision
from metricdp.accounting.losses.decay import UniformParts
from metricdp.accounting.losses.loss import CellMasses, PlainLoss
from metricdp.accounting.losses.mixtures import (
    Columns,
    Mixture,
    MixturePair,
    farthest,
    mixture_logs,
    placed,
)
from metricdp.accounting.rounded import ln_down, ln_up
from metricdp.errors import UncertifiedError

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: Beyond this many standard deviations from every centre masses are below 1e-290.
_FAR = 40.0
#: Cells on which a density is bounded from below.
_MOST_CELLS = 1500


class GaussianMixtureLoss(PlainLoss, MixturePair, frozen=True, dict=True):
    """See the module; shifts are in standard deviations."""

    @property
    def span(self) -> tuple[float, float]:
        """Moments are finite everywhere; beyond this the quadrature takes thousands of points."""
        return -inf, 200 / max(farthest(self.first), farthest(self.second))

    @property
    def largest(self) -> tuple[Fraction, Fraction] | None:
        """Unbounded, unless P does not move and Q has a part that does not: then -ln of it."""
        still = sum((w for w, t in self.second if not t), Fraction(0))
        if max(s for _, s in self.first) or not still:
            return None
        return -ln_up(still), -ln_down(still)

    def log_moment(self, c: float) -> float:
        """ln M(c), from a sum on equidistant points."""
        import numpy as np

        most = 1
        while most < abs(c):
            most *= 2
        start, gain = _points(self, most)
        exponents = start + c * gain
        top = float(exponents.max())
        return top + log(float(np.exp(exponents - top).sum()))

    def on_line(self, c: float, step: Ball, count: int) -> list[Ball]:
        """M(c + i k step) by a trapezoid rule with an enclosed error."""
        return mixture_moments(self.first, self.second, self._log_density, c, step, count)

    def log_decay(self, c: float, t: float) -> float:
        """From the density of L under the tilted law."""
        return _uniform_parts(self, c).log_decay(t)

    @property
    def ends(self) -> tuple[float, float]:
        """Beyond them the masses are nothing."""
        return -farthest(self.second) - _FAR, farthest(self.first) + _FAR

    def cells(self, edges: NDArray[Any]) -> CellMasses:
        """Masses of normal laws between the x with L(x) = edge."""
        import numpy as np

        from metricdp.accounting.losses.gaussian import cells_between

        span = farthest(self.first) + farthest(self.second)
        x, doubt = placed(self.along, edges, self.start)
        p, q = (
            np.sum([float(w) * cells_between(x, sign * float(s)) for w, s in mixture], axis=0)
            for mixture, sign in ((self.first, 1), (self.second, -1))
        )
        most = np.minimum(np.abs(np.append(x[:1], x)) + span, _FAR + span) + 1
        return CellMasses(p, q, 1.2e-13 + 1e-15 * most * (most + span) + doubt)

    def _log_density(self, c: float, x: NDArray[Any]) -> NDArray[Any]:
        """ln of the density of x under P times e^(c L), but for sqrt(2 pi)."""
        one, two = self.logs(self.doubles[0], x)[0], self.logs(self.doubles[1], -x)[0]
        found: NDArray[Any] = (1 + c) * one - c * two - x * x / 2
        return found

    @staticmethod
    def logs(mixture: Columns, x: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """See `MixturePair`."""
        shifts = mixture.shifts
        return mixture_logs(mixture, shifts * (x - shifts / 2), shifts)


@lru_cache(maxsize=64)
def _points(loss: GaussianMixtureLoss, most: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """ln of P-masses, and losses, on points for tilts up to `most` in modulus."""
    import numpy as np

    s, t = farthest(loss.first), farthest(loss.second)
    width = min(0.2, 0.25 / max(s, t))
    x: Any = np.arange(-(most + 1) * max(s, t) - 9, (most + 1) * (s + t) + 9, width)
    one, two = loss.logs(loss.doubles[0], x)[0], loss.logs(loss.doubles[1], -x)[0]
    return one - x * x / 2 + log(width / sqrt(2 * pi)), one - two


@lru_cache(maxsize=64)
def _uniform_parts(loss: GaussianMixtureLoss, c: float) -> UniformParts:
    """Of the law of L tilted by e^(c L), a lower bound of its density on cells of x.

    With h = (1 + c) ln A - c ln C - x^2 / 2 the tilted density of x is e^h / (sqrt(2 pi) M(c)).
    Variances of shifts in [0, S] are at most S^2 / 4, so h'' <= k := (1 + c)_+ S^2 / 4
    + (-c)_+ T^2 / 4 - 1, and on a cell of width w, h is at least its lesser end less k_+ w^2 / 8.
    The slope of L is at most that of ln A at the right end plus that of -ln C at the left end.
    """
    import numpy as np

    with precision(64):
        log_moment = float(loss.on_line(c, 0.0, 1)[0].real.log().upper())
    s, t = farthest(loss.first), farthest(loss.second)
    low = -max(-1 - c, 0.0) * s - max(-c, 0.0) * t - 7
    high = max(1 + c, 0.0) * s + max(c, 0.0) * t + 7
    width = max(min(0.0625, 0.25 / max(s, t)), (high - low) / _MOST_CELLS)
    x = np.arange(low, high + width, width)
    one, up, size_one = loss.logs(loss.doubles[0], x)
    two, down, size_two = loss.logs(loss.doubles[1], -x)
    exponents = (1 + c) * one - c * two - x * x / 2
    bend = max(1 + c, 0.0) * s * s / 4 + max(-c, 0.0) * t * t / 4 - 1
    dip = max(bend, 0.0) * (width * (1 + 1e-9)) ** 2 / 8
    least = np.minimum(exponents[1:], exponents[:-1]) - dip
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        density = np.exp(least - 0.5 * log(2 * pi) - log_moment) / (up[1:] + down[:-1])
    places = one - two
    rounded = 4e-16 * (size_one + size_two + np.abs(one) + np.abs(two))
    # Left out: widths that rounding may change by more than 1e-11 of themselves, and densities
    # whose exponent is too large for that accuracy.
    sound = np.diff(places) > 1e11 * (rounded[1:] + rounded[:-1])
    sound &= np.isfinite(density) & (np.abs(exponents[1:]) + x[1:] * x[1:] < 1e5)
    sound &= (1 + abs(c)) * (rounded[1:] + rounded[:-1]) < 1e-12
    return UniformParts(places, np.where(sound, density, 0.0))


#: Powers of points that are formed before a request is refused.
_MOST_POWERS = 200_000


def mixture_moments(
    first: Mixture,
    second: Mixture,
    log_density: Callable[[float, NDArray[Any]], NDArray[Any]],
    c: float,
    step: Ball | float,
    count: int,
) -> list[Ball]:
    """Enclosures of M(c + i k step) for k = 0, ..., count - 1, inside `balls.precision`.

    Args:
        first: (a_i, s_i).
        second: (c_j, t_j): the shifts are to the left.
        log_density: (c, x) -> ln of phi A^(1 + c) C^(-c) in doubles: where nodes are needed.
        c: any double.
        step: a double or real ball, >= 0.

    Raises:
        UncertifiedError: the request takes too many points.
    """
    module = flint()
    tilt, high = ball(c), ball(step)
    far = farthest(first), farthest(second)
    wanted = module.ctx.prec * log(2) + 8
    reach, spacing = _rule(far, c, float(high.upper()) * (count - 1), wanted)
    left, right = _range(lambda x: log_density(c, x), far, c, wanted)
    low, top = round(left / spacing) - 1, round(right / spacing) + 1
    if (top - low) * (2 * isqrt(count) + 5 + len(first) + len(second)) > _MOST_POWERS:
        raise UncertifiedError(
            f"{count} moments of order {c:.3g} of sampled Gaussian noise take {top - low} points",
            remedy="ask the discretised engine",
        )
    h = ball(spacing)
    scale = h / (2 * module.arb.pi()).sqrt()
    sides = _Side(first, 1), _Side(second, -1)
    weights, ratios = [], []
    for j in range(low, top + 1):
        x = h * j
        one, two = (side.log(x) for side in sides)
        weights.append(module.acb(scale * ((1 + tilt) * one - tilt * two - x * x / 2).exp()))
        ratios.append(module.acb(0, high * (one - two)).exp())
    sums = power_sums(weights, ratios, count)
    tails = scale * (_right(sides, tilt, h, top + 1) + _left(sides, tilt, h, low - 1))
    share = _share(sides, tilt, ball(reach), h)
    whole = (sums[0].real + tails) / _positive(1 - share)
    turn = (high * (sides[0].far + sides[1].far) * ball(reach)).exp()
    found, size = [], share * whole
    for total in sums:
        radius = (size + tails).upper()
        found.append(total + module.acb(module.arb(0, radius), module.arb(0, radius)))
        size *= turn
    return found


class _Side:
    """A or C in balls; `sign` is that of its shifts."""

    def __init__(self, mixture: Mixture, sign: int) -> None:
        self.parts = [(ball(w), ball(sign * s), ball(s * s / 2)) for w, s in mixture if w]
        self.far = ball(max(s for _, s in mixture))

    def terms(self, x: Ball) -> list[Ball]:
        """The terms of the sum."""
        return [w * (s * x - half).exp() for w, s, half in self.parts]

    def log(self, x: Ball) -> Ball:
        """ln A or ln C."""
        total: Ball = sum(self.terms(x), ball(0))
        return total.log()

    def slope(self, x: Ball) -> Ball:
        """The modulus of the slope of ln A or ln C."""
        terms = self.terms(x)
        moved = sum((t * s for t, (_, s, _) in zip(terms, self.parts, strict=True)), ball(0))
        return abs(moved / sum(terms, ball(0)))


def _rule(far: tuple[float, float], c: float, height: float, wanted: float) -> tuple[float, float]:
    """A strip v and the largest spacing h whose error is e^-wanted at y = height."""
    best = (0.0, 0.0)
    limit = min(3.0 / max(*far, 1e-9), 2 * sqrt(2 * wanted))
    for k in range(1, 33):
        reach = limit * k / 32
        cost = reach * reach / 2 + height * sum(far) * reach + wanted
        cost -= max(c, 0.0) * log(cos(far[1] * reach / 2))
        cost -= max(-1 - c, 0.0) * log(cos(far[0] * reach / 2))
        best = max(best, (2 * pi * reach / cost, reach))
    return best[1], best[0]


def _range(
    log_density: Callable[[NDArray[Any]], NDArray[Any]],
    far: tuple[float, float],
    c: float,
    wanted: float,
) -> tuple[float, float]:
    """Where the terms are above e^-wanted of the largest, about."""
    import numpy as np

    room = sqrt(2 * wanted) + 1
    left = -max(-1 - c, 0.0) * far[0] - max(-c, 0.0) * far[1] - room
    right = max(1 + c, 0.0) * far[0] + max(c, 0.0) * far[1] + room
    x = np.arange(left, right, 0.1)
    heights = log_density(x)
    kept = np.flatnonzero(heights > heights.max() - wanted)
    return float(x[kept[0]]) - 0.1, float(x[kept[-1]]) + 0.1


def _right(sides: tuple[_Side, _Side], c: Ball, h: Ball, j: int) -> Ball:
    """Bound of the sum of sqrt(2 pi) phi A^(1 + c) C^(-c) over the nodes from j on."""
    x = h * j
    if not x > 0:
        return flint().arb.pos_inf()
    fall = -x + _plus(1 + c) * sides[0].far + _plus(c) * sides[1].slope(x)
    return _geometric(sides, c, x, h * fall)


def _left(sides: tuple[_Side, _Side], c: Ball, h: Ball, j: int) -> Ball:
    """The same over the nodes up to j."""
    x = h * j
    if not x < 0:
        return flint().arb.pos_inf()
    fall = x + _plus(-1 - c) * sides[0].slope(x) + _plus(-c) * sides[1].far
    return _geometric(sides, c, x, h * fall)


def _geometric(sides: tuple[_Side, _Side], c: Ball, x: Ball, log_factor: Ball) -> Ball:
    if not log_factor < 0:
        return flint().arb.pos_inf()
    first = ((1 + c) * sides[0].log(x) - c * sides[1].log(x) - x * x / 2).exp()
    return first / -log_factor.expm1()


def _share(sides: tuple[_Side, _Side], c: Ball, reach: Ball, h: Ball) -> Ball:
    """The relative error of the rule at y = 0."""
    bound = 2 * (reach * reach / 2).exp() / (2 * flint().arb.pi() * reach / h).expm1()
    for side, power in ((sides[1], _plus(c)), (sides[0], _plus(-1 - c))):
        bound *= ((side.far * reach / 2).cos().log() * -power).exp()
    return bound


def _plus(x: Ball) -> Ball:
    """max(x, 0)."""
    return (x + abs(x)) / 2


def _positive(x: Ball) -> Ball:
    """x, or an empty statement where it may not be positive."""
    return x if x > 0 else flint().arb(0)
