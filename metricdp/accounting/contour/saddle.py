"""Where to put the contour: the saddle point of the integrand on the real line, in doubles.

`LogMoments` is ln of the moment function of a composition there, for searches only.  Many laws of
one kind are summed at once: sampled Gaussians take some hundred points each.

With psi(c) = sum n_i ln M_i(c), the integrand at c > 0 is exp(psi(c) - c eps) / (c (c + 1)), and
its least value over c is at eps = psi'(c) - 1/c - 1/(c + 1), which increases with c.  The integral
is near that value over sqrt(2 pi psi2), psi2 the second derivative of the exponent (the saddle
point approximation, Daniels 1954).  Nothing that is proved rests on this module: every
c > 0 gives a valid enclosure, a good one gives a narrow enclosure.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import exp, inf, isfinite, log, pi
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.accounting.losses.laplace import LaplaceLoss
from metricdp.accounting.losses.loss import Counted, Loss, Parts
from metricdp.accounting.losses.poisson_gaussian import PoissonGaussianLoss, log_ratios

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: From so many sampled Gaussians on they are summed together.
_SEVERAL = 3


class LogMoments:
    """psi(c) = sum n_i ln M_i(c)."""

    def __init__(self, parts: Parts) -> None:
        kinds: dict[Any, list[tuple[Any, int]]] = {}
        for loss, n in parts:
            kind = type(loss), getattr(loss, "added", None)
            kinds.setdefault(kind, []).append((loss, n))
        self._others: list[tuple[Loss, int]] = []
        self._groups: list[_Sampled | _Laplace] = []
        for (law, _), group in kinds.items():
            if len(group) >= _SEVERAL and law is LaplaceLoss:
                self._groups.append(_Laplace(group))
            elif len(group) >= _SEVERAL and law is PoissonGaussianLoss:
                self._groups.append(_Sampled(group))
            else:
                self._others += group

    def __call__(self, c: float) -> float:
        """psi(c); nothing that is proved rests on it."""
        total = sum(n * loss.log_moment(c) for loss, n in self._others)
        return total + sum(group(c) for group in self._groups)


@lru_cache(maxsize=8)
def log_moments(parts: Parts) -> LogMoments:
    """The function of some parts."""
    return LogMoments(parts)


class _Laplace:
    """Laplace noise of several scales."""

    def __init__(self, group: list[tuple[LaplaceLoss, int]]) -> None:
        import numpy as np

        self.counts = np.array([float(n) for _, n in group])
        self.ratios = np.array([float(loss.ratio) for loss, _ in group])

    def __call__(self, c: float) -> float:
        """The formula of one law, for c > 0."""
        import numpy as np

        fall = -np.expm1(-(2 * c + 1) * self.ratios)
        logs = c * self.ratios + np.log1p(-c * fall / (2 * c + 1))
        return float(self.counts @ logs)


class _Sampled:
    """Sampled Gaussians of one direction, on common points."""

    def __init__(self, group: list[tuple[PoissonGaussianLoss, int]]) -> None:
        import numpy as np

        self.group = group
        self.counts = np.array([float(n) for _, n in group])
        self.ratios = [float(loss.ratio) for loss, _ in group]
        self._points: dict[int, tuple[NDArray[Any], ...]] = {}

    def __call__(self, c: float) -> float:
        import numpy as np

        a = self.group[0][0].power(c)
        far = max(
            min(max(a, 0.0) * u, (max(a, 0.0) * u + 4 * loss.cut) / 5)
            for u, (loss, _) in zip(self.ratios, self.group, strict=True)
        )
        bucket = int(far / 4) + 1
        if bucket not in self._points:
            self._points[bucket] = self._made(bucket)
        log_weights, weights, logs, excess = self._points[bucket]
        exponents = a * logs
        with np.errstate(over="ignore", invalid="ignore"):
            near = (weights * (np.expm1(exponents) - a * excess)).sum(axis=1)
            found = np.log1p(near)
        for k in np.flatnonzero((exponents.max(axis=1) > 300) | ~np.isfinite(found)):
            terms = exponents[k] + log_weights[k]
            top = float(terms.max())
            found[k] = top + log(float(np.exp(terms - top).sum()))
        return float(self.counts @ found)

    def _made(self, bucket: int) -> tuple[NDArray[Any], ...]:
        """ln of weights, weights, ln B and B - 1, each of shape (laws, points)."""
        import numpy as np

        spacing = min(0.2, 0.25 / max(self.ratios))
        x = np.arange(-9.0, 4 * bucket + 9.0, spacing)
        plain = log(spacing) - x * x / 2 - log(2 * np.pi) / 2
        rows, excess = [], []
        for u, (loss, _) in zip(self.ratios, self.group, strict=True):
            cut = 2 * np.maximum(x - loss.cut, 0.0) ** 2 if loss.cut < inf else 0.0
            rows.append(plain - cut)
            with np.errstate(over="ignore"):
                grown = np.expm1(np.minimum(u * x - u * u / 2, 700.0))
            excess.append(float(loss.rate) * grown)
        log_weights = np.array(rows)
        logs = np.array([log_ratios(loss, x) for loss, _ in self.group])
        return log_weights, np.exp(log_weights), logs, np.array(excess)


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


def saddle_for_epsilon(parts: Counted, epsilon: float) -> Saddle:
    """The saddle of delta(epsilon); far out where epsilon is above every loss."""
    return _search(parts, lambda s: (s.epsilon - epsilon) * s.c)


def saddle_for_delta(parts: Counted, log_delta: float) -> Saddle:
    """A saddle near the epsilon at which delta is e^log_delta."""
    return _search(parts, lambda s: log_delta - s.log_delta)


def _search(parts: Counted, above: Callable[[Saddle], float]) -> Saddle:
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
