"""Where to put the contour: the saddle point of the integrand on the real line, in doubles.

With psi(c) = sum n_i ln M_i(c), the integrand at c > 0 is exp(psi(c) - c eps) / (c (c + 1)), and
its least value over c is at eps = psi'(c) - 1/c - 1/(c + 1), which increases with c.  The integral
is near that value over sqrt(2 pi psi2), psi2 the second derivative of the exponent (the saddle
point approximation, Daniels 1954).  Nothing that is proved rests on this module: every
c > 0 gives a valid enclosure, a good one gives a narrow enclosure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, isfinite, log, pi

import msgspec

from metricdp.measures.losses.log_moments import LogMoments, log_moments
from metricdp.measures.losses.loss import Loss
from metricdp.measures.losses.poisson_gaussian import PoissonGaussianLoss

Parts = Sequence[tuple[Loss, int]]
#: Step of the numerical derivatives, in units of c.
_STEP = 1e-3
#: A saddle this near, in units of ln delta, is near enough.
_NEAR = 0.01
#: ln c is searched between these.
_LEAST, _MOST = -60.0, 60.0


class Saddle(msgspec.Struct, frozen=True):
    """A point on the real line and what the integrand looks like there.

    Attributes:
        c: the point, > 0.
        epsilon: the epsilon whose saddle point it is.
        log_delta: ln of the approximate delta there.
        log_value: ln of M(c) e^(-c epsilon).
        curvature: second derivative of the exponent, > 0: nodes matter up to a few of its -1/2.
    """

    c: float
    epsilon: float
    log_delta: float
    log_value: float
    curvature: float


def most_tilt(loss: Loss) -> float:
    """The largest c that is used: inside the span, and with moments that are worth their time."""
    if isinstance(loss, PoissonGaussianLoss):
        return loss.most_tilt
    return max(loss.span[1], 1e-300)


def saddle_at(psi: LogMoments, c: float) -> Saddle:
    """The saddle whose point is c."""
    step = _STEP * c
    low, here, high = (psi(x) for x in (c - step, c, c + step))
    slope = (high - low) / (2 * step)
    bend = max((high - 2 * here + low) / (step * step), 0.0)
    epsilon = slope - 1 / c - 1 / (c + 1)
    curvature = bend + c**-2 + (c + 1) ** -2
    value = here - c * epsilon
    log_delta = value - log(c) - log(c + 1) - 0.5 * log(2 * pi * curvature)
    return Saddle(c, epsilon, log_delta, value, curvature)


def saddle_for_epsilon(parts: Parts, epsilon: float) -> Saddle:
    """The saddle of delta(epsilon); far out where epsilon is above every loss."""
    return _search(parts, lambda s: (s.epsilon - epsilon) * s.c)


def saddle_for_delta(parts: Parts, log_delta: float) -> Saddle:
    """A saddle near the epsilon at which delta is e^log_delta."""
    return _search(parts, lambda s: log_delta - s.log_delta)


def _search(parts: Parts, above: Callable[[Saddle], float]) -> Saddle:
    """The saddle at the zero of an increasing function of it."""
    psi = log_moments(tuple(parts))
    most = min([_MOST, *(log(most_tilt(loss)) for loss, _ in parts)]) - 2 * _STEP
    found = saddle_at(psi, exp(min(0.0, most - 1)))
    value = above(found)
    ends = {value > 0: (log(found.c), value)}
    move = 1.0
    while len(ends) < 2:
        before = ends[value > 0][0]
        x = min(max(before + (-move if value > 0 else move), _LEAST), most)
        move = min(2 * move, 4.0)
        if x == before:
            return found
        candidate = saddle_at(psi, exp(x))
        if not isfinite(candidate.log_delta):
            return found
        found, value = candidate, above(candidate)
        ends[value > 0] = (x, value)
    return _narrowed(psi, above, ends[False], ends[True])


def _narrowed(
    psi: LogMoments,
    above: Callable[[Saddle], float],
    low: tuple[float, float],
    high: tuple[float, float],
) -> Saddle:
    """The Illinois method: secants, with the weight of an end halved when it stays."""
    side, x = 0, (low[0] + high[0]) / 2
    for _ in range(40):
        found = saddle_at(psi, exp(x))
        value = above(found)
        if abs(value) < _NEAR or high[0] - low[0] < 1e-6:
            break
        if value > 0:
            high = (x, value)
            low = (low[0], low[1] / 2) if side > 0 else low
            side = 1
        else:
            low = (x, value)
            high = (high[0], high[1] / 2) if side < 0 else high
            side = -1
        share = low[1] / (low[1] - high[1])
        x = low[0] + (high[0] - low[0]) * min(max(share, 0.02), 0.98)
    return found
