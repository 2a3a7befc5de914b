"""Powers of a sampled likelihood ratio: integrals of e^(-t/2 - g t^2) B(t)^(a + i y) dt, g >= 0.

B(t) = 1 - q + q e^t is the sampled ratio where that of the base is e^t, which has a density of
this form for Laplace noise (g = 0 on an interval) and for Gaussian noise (g > 0).

Quadrature.  [low, high] is cut into panels of half-width h, each with N Gauss-Legendre nodes.  Let
|f| <= M on the ellipse with foci at the ends of the panel, semi-axes h alpha and h b,
alpha^2 = 1 + b^2, rho = alpha + b.  Chebyshev coefficients of f are at most 2 M rho^-k; the rule is
exact up to degree 2 N - 1, gives 0 for odd degrees and is at most 2 in modulus, and the integral of
T_k is -2 / (k^2 - 1) for even k, so for N >= 2 the error is at most
    h sum over even k >= 2 N of 2 M rho^-k (2 + 2/15) = (64/15) h M rho^(-2 N) / (1 - rho^-2)
(Trefethen 2020, "Approximation theory and approximation practice", Theorem 19.3).

On the ellipse |Im t| <= v = h b < pi and Re t is in [x0, x1] = centre -+ h alpha.  There
B(x) cos(v/2) <= |B| <= B(x) (`poisson_gaussian`), |arg B| <= v because B adds a positive number to
one of argument Im t, and for v <= pi/2 also |arg B| <= arg B(x1 + i v), which grows with both.  So
    M = e^(|y| arg + g v^2) sup of e^(-x/2 - g x^2) B(x)^a, times cos(v/2)^a for a < 0.
With x^2 >= 2 x c - c^2, c >= 0 the centre (c of any sign for g = 0), the logarithm is at most one
that is convex for a >= 0, largest at an end, and falls for a < 0.

Tail.  Beyond X the logarithm of the integrand's modulus has a slope of at most
max(a, 0) - 1/2 - 2 g X =: -s, because that of ln B is in (0, 1): what is left out is at most the
modulus at X over s.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import inf, isqrt, log, pi
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.accounting.losses.balls import Ball, ball, flint, power_sums
from metricdp.errors import UncertifiedError

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: Powers of points that are formed before a request is refused: about a quarter of a second.
_MOST_POWERS = 200_000
#: Panels and semi-axes b that are tried.
_PANELS = (1, 2, 3, 4, 6, 9, 13, 19, 28, 42, 63, 95, 140)
_AXES = tuple(0.02 * 1.25**k for k in range(28))
_FLAT = Fraction(0)


class Rule(msgspec.Struct, frozen=True):
    """Panels, nodes of each, and the semi-axis b (in half-widths) of the ellipses of the proof."""

    panels: int
    nodes: int
    axis: float


def ratio_powers(
    rate: Fraction,
    low: Fraction,
    high: Fraction | None,
    a: float,
    step: Ball,
    count: int,
    fall: Fraction = _FLAT,
) -> list[Ball]:
    """Integrals over [low, high] of e^(-t/2 - g t^2) B(t)^(a + i k step), k < count, enclosed.

    Args:
        rate: q in (0, 1).
        low, high: low < high; None: infinite, for g > 0.
        a: any double.
        step: a double or real ball, >= 0.
        fall: g >= 0; low >= 0 unless it is 0.

    Raises:
        UncertifiedError: the request takes too many points.
    """
    module = flint()
    wanted = module.ctx.prec * log(2) + 8
    reach = float(ball(step).upper()) * (count - 1)
    g, error = float(fall), ball(0)
    end = far_end(float(rate), float(low), a, g, wanted) if high is None else high
    rule = chosen_rule(float(rate), float(low), float(end), a, reach, wanted, g)
    points = rule.panels * rule.nodes
    if points * (2 * isqrt(count) + 5) > _MOST_POWERS:
        raise UncertifiedError(
            f"{count} moments of order {a:.3g} of a sampled law take {points} points",
            remedy="ask the discretised engine",
        )
    q, tilt, across, bend = ball(rate), ball(a), ball(step), ball(fall)
    half = ball((end - low) / (2 * rule.panels))
    found_nodes = _nodes(rule.nodes, module.ctx.prec)
    weights, ratios = [], []
    for panel in range(rule.panels):
        centre = ball(low) + half * (2 * panel + 1)
        for x, weight in found_nodes:
            t = centre + half * x
            log_ratio = (q * t.expm1()).log1p()
            size = (tilt * log_ratio - t / 2 - bend * t * t).exp()
            weights.append(module.acb(half * weight * size))
            ratios.append(module.acb(0, across * log_ratio).exp())
        error += half * _largest(q, tilt, centre, half, ball(rule.axis), bend)
    rho = ball(rule.axis) + (1 + ball(rule.axis) ** 2).sqrt()
    error *= ball(Fraction(64, 15)) * rho ** (-2 * rule.nodes) / (1 - rho**-2)
    turn = (across * _turn(q, ball(end), half, ball(rule.axis))).exp()
    tail = ball(0) if high is not None else _tail(q, tilt, ball(end), bend)
    sums, found = power_sums(weights, ratios, count), []
    for total in sums:
        radius = (error + tail).upper()
        found.append(total + module.acb(module.arb(0, radius), module.arb(0, radius)))
        error *= turn
    return found


def _largest(q: Ball, a: Ball, centre: Ball, half: Ball, axis: Ball, g: Ball) -> Ball:
    """M at y = 0 on one panel's ellipse."""
    far, v = half * (1 + axis * axis).sqrt(), half * axis

    def size(x: Ball) -> Ball:
        power = a * (q * x.expm1()).log1p() - x / 2 + g * (v * v - (2 * x - centre) * centre)
        return power.exp()

    if a < 0:
        return size(centre - far) * (a * (v / 2).cos().log()).exp()
    return size(centre - far).max(size(centre + far))


def _tail(q: Ball, a: Ball, end: Ball, g: Ball) -> Ball:
    """A bound of what is beyond the end; infinite where the integrand may grow."""
    slope = (a if a > 0 else 0) - ball(0.5) - 2 * g * end
    size = (a * (q * end.expm1()).log1p() - end / 2 - g * end * end).exp()
    return size / -slope if slope < 0 else flint().arb.pos_inf()


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


def far_end(q: float, low: float, a: float, g: float, wanted: float) -> Fraction:
    """Where to cut an infinite interval: the integrand is e^-wanted of its largest, about."""
    import numpy as np

    # With the slope of ln B at most 1 the peak is before a / (2 g); beyond it falls as e^(-g t^2).
    stop = low + max(a, 0.0) / (2 * g) + 2 * (wanted / g) ** 0.5
    x = np.linspace(low, stop, 2049)
    logs = log_size(q, a, x, g)
    above = int(np.flatnonzero(logs > logs.max() - wanted - 5)[-1])
    return Fraction(float(x[min(above + 1, 2048)]))


def chosen_rule(
    q: float, low: float, high: float, a: float, height: float, wanted: float, g: float = 0.0
) -> Rule:
    """The rule with the fewest points whose error is e^-wanted of the integral, about."""
    import numpy as np

    axes, best, fewest = np.array(_AXES), Rule(1, 2, 0.5), inf
    x = np.linspace(low, high, 257)
    logs = log_size(q, a, x, g)
    whole = float(np.logaddexp.reduce(logs)) + log((high - low) / 256)
    for panels in _PANELS:
        half = (high - low) / (2 * panels)
        v = half * axes
        allowed = v < 3.0
        b, v = axes[allowed], v[allowed]
        if not len(b):
            continue
        far = half * np.sqrt(1 + b * b)
        centres = low + half * (2 * np.arange(panels)[:, None] + 1)
        left, right = (
            log_size(q, a, x) + g * (v * v - (2 * x - centres) * centres)
            for x in (centres - far, centres + far)
        )
        peak = left if a < 0 else np.maximum(left, right)
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


def log_size(q: float, a: float, x: NDArray[Any], g: float = 0.0) -> NDArray[Any]:
    """ln of e^(-x/2 - g x^2) B(x)^a in doubles."""
    found: NDArray[Any] = a * log_ratio(q, x) - x / 2 - g * x * x
    return found


def log_ratio(q: float, x: NDArray[Any]) -> NDArray[Any]:
    """ln B(x) in doubles, with relative accuracy for small x."""
    import numpy as np

    far = np.logaddexp(x + log(q), np.log1p(-q))
    found: NDArray[Any] = np.where(x > 1, far, np.log1p(q * np.expm1(np.minimum(x, 1.0))))
    return found
