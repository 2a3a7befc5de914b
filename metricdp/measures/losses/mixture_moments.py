"""Moments of pairs of Gaussian mixtures on a line: E_P[e^(z L)] by a trapezoid rule.

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
from math import cos, isqrt, log, pi, sqrt
from typing import TYPE_CHECKING, Any

from metricdp.errors import UncertifiedError
from metricdp.measures.losses.balls import Ball, ball, flint
from metricdp.measures.losses.lines import power_sums
from metricdp.measures.losses.mixture_logs import Mixture, farthest

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
