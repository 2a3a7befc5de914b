"""Powers of a sampled likelihood ratio over an interval: integrals of e^(-t/2) B(t)^(a + i y) dt.

B(t) = 1 - q + q e^t is the sampled ratio where that of the base is e^t.

Quadrature.  [low, high] is cut into panels of half-width h, each with N Gauss-Legendre nodes.  Let
|f| <= M on the ellipse with foci at the ends of the panel, semi-axes h alpha and h b,
alpha^2 = 1 + b^2, rho = alpha + b.  Chebyshev coefficients of f are at most 2 M rho^-k; the rule is
exact up to degree 2 N - 1, gives 0 for odd degrees and is at most 2 in modulus, and the integral of
T_k is -2 / (k^2 - 1) for even k, so for N >= 2 the error is at most
    h sum over even k >= 2 N of 2 M rho^-k (2 + 2/15) = (64/15) h M rho^(-2 N) / (1 - rho^-2)
(Trefethen 2020, "Approximation theory and approximation practice", Theorem 19.3).

On the ellipse |Im t| <= v = h b < pi and Re t is in [x0, x1] = centre -+ h alpha.  There
B(x) cos(v/2) <= |B| <= B(x) (`mixture_powers`), |arg B| <= v because B adds a positive number to
one of argument Im t, and for v <= pi/2 also |arg B| <= arg B(x1 + i v), which grows with both.  So
    M = e^(|y| arg) sup of e^(-x/2) B(x)^a, times cos(v/2)^a for a < 0;
the logarithm of e^(-x/2) B(x)^a is convex for a >= 0, largest at an end, and falls for a < 0.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import inf, isqrt, log, pi
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.errors import UncertifiedError
from metricdp.measures.losses.balls import Ball, ball, flint
from metricdp.measures.losses.lines import power_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Powers of points that are formed before a request is refused: about a quarter of a second.
_MOST_POWERS = 200_000
#: Panels and semi-axes b that are tried.
_PANELS = (1, 2, 3, 4, 6, 9, 13, 19, 28, 42, 63, 95, 140)
_AXES = tuple(0.02 * 1.25**k for k in range(28))


class Rule(msgspec.Struct, frozen=True):
    """Panels, nodes of each, and the semi-axis b (in half-widths) of the ellipses of the proof."""

    panels: int
    nodes: int
    axis: float


def ratio_powers(
    rate: Fraction, low: Fraction, high: Fraction, a: float, step: Ball, count: int
) -> list[Ball]:
    """Enclosures of the integral over [low, high] of e^(-t/2) B(t)^(a + i k step), k < count.

    Args:
        rate: q in (0, 1).
        low, high: low < high.
        a: any double.
        step: a double or real ball, >= 0.

    Raises:
        UncertifiedError: the request takes too many points.
    """
    module = flint()
    wanted = module.ctx.prec * log(2) + 8
    reach = float(ball(step).upper()) * (count - 1)
    rule = chosen_rule(float(rate), float(low), float(high), a, reach, wanted)
    points = rule.panels * rule.nodes
    if points * (2 * isqrt(count) + 5) > _MOST_POWERS:
        raise UncertifiedError(
            f"{count} moments of order {a:.3g} of a sampled law take {points} points",
            remedy="ask the discretised engine",
        )
    q, tilt, across = ball(rate), ball(a), ball(step)
    half = ball((high - low) / (2 * rule.panels))
    found_nodes = _nodes(rule.nodes, module.ctx.prec)
    weights, ratios, error = [], [], ball(0)
    for panel in range(rule.panels):
        centre = ball(low) + half * (2 * panel + 1)
        for x, weight in found_nodes:
            t = centre + half * x
            log_ratio = (q * t.expm1()).log1p()
            weights.append(module.acb(half * weight * (tilt * log_ratio - t / 2).exp()))
            ratios.append(module.acb(0, across * log_ratio).exp())
        error += half * _largest(q, tilt, centre, half, ball(rule.axis))
    rho = ball(rule.axis) + (1 + ball(rule.axis) ** 2).sqrt()
    error *= ball(Fraction(64, 15)) * rho ** (-2 * rule.nodes) / (1 - rho**-2)
    turn = (across * _turn(q, ball(high), half, ball(rule.axis))).exp()
    sums, found = power_sums(weights, ratios, count), []
    for total in sums:
        radius = error.upper()
        found.append(total + module.acb(module.arb(0, radius), module.arb(0, radius)))
        error *= turn
    return found


def _largest(q: Ball, a: Ball, centre: Ball, half: Ball, axis: Ball) -> Ball:
    """M at y = 0 on one panel's ellipse."""
    far = half * (1 + axis * axis).sqrt()

    def size(x: Ball) -> Ball:
        return (a * (q * x.expm1()).log1p() - x / 2).exp()

    if a < 0:
        return size(centre - far) * (a * (half * axis / 2).cos().log()).exp()
    return size(centre - far).max(size(centre + far))


def _turn(q: Ball, high: Ball, half: Ball, axis: Ball) -> Ball:
    """A bound of |arg B| on all ellipses."""
    v = half * axis
    if not 2 * v < flint().arb.pi():
        return v
    x = high - half + half * (1 + axis * axis).sqrt()
    grown = q * x.exp()
    return flint().arb.atan2(grown * v.sin(), 1 - q + grown * v.cos())


@lru_cache(maxsize=256)
def _nodes(count: int, bits: int) -> list[tuple[Ball, Ball]]:
    """Nodes and weights of the Gauss-Legendre rule on (-1, 1), enclosed at this precision."""
    arb = flint().arb
    return [arb.legendre_p_root(count, k, weight=True) for k in range(count)]


def chosen_rule(q: float, low: float, high: float, a: float, height: float, wanted: float) -> Rule:
    """The rule with the fewest points whose error is e^-wanted of the integral, about."""
    import numpy as np

    axes, best, fewest = np.array(_AXES), Rule(1, 2, 0.5), inf
    x = np.linspace(low, high, 257)
    logs = log_size(q, a, x)
    whole = float(np.logaddexp.reduce(logs)) + log((high - low) / 256)
    for panels in _PANELS:
        half = (high - low) / (2 * panels)
        v = half * axes
        allowed = v < 3.0
        b, v = axes[allowed], v[allowed]
        if not len(b):
            continue
        far = half * np.sqrt(1 + b * b)
        centres = low + half * (2 * np.arange(panels) + 1)
        left = log_size(q, a, centres[:, None] - far)
        peak = left if a < 0 else np.maximum(left, log_size(q, a, centres[:, None] + far))
        top = high - half + far
        odds = np.exp(np.minimum(top, 700.0)) * q
        turn = np.where(v < pi / 2, np.arctan2(odds * np.sin(v), 1 - q + odds * np.cos(v)), v)
        room = wanted + height * turn + peak.max(axis=0) + log(half * panels * 4.3) - whole
        room += np.minimum(a, 0.0) * np.log(np.cos(v / 2))
        rho = b + np.sqrt(1 + b * b)
        nodes = np.ceil((room - np.log1p(-(rho**-2))) / (2 * np.log(rho)))
        k = int(np.argmin(nodes))
        needed = max(2, int(nodes[k]))
        if needed * panels < fewest:
            fewest, best = needed * panels, Rule(panels, needed, float(b[k]))
    return best


def log_size(q: float, a: float, x: NDArray[Any]) -> NDArray[Any]:
    """ln of e^(-x/2) B(x)^a in doubles."""
    return a * log_ratio(q, x) - x / 2


def log_ratio(q: float, x: NDArray[Any]) -> NDArray[Any]:
    """ln B(x) in doubles, with relative accuracy for small x."""
    import numpy as np

    far = np.logaddexp(x + log(q), np.log1p(-q))
    found: NDArray[Any] = np.where(x > 1, far, np.log1p(q * np.expm1(np.minimum(x, 1.0))))
    return found
