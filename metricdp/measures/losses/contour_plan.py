"""How finely to sum on the contour: spacing, number of nodes and precision, in doubles.

The errors that the choice balances are proved in `contour_sum`; a poor choice makes the enclosure
wide, never wrong.
"""

from __future__ import annotations

from math import atan, ceil, inf, log, log1p, log2, pi, sqrt

import msgspec

from metricdp.measures.losses.saddle import Parts, Saddle, log_moment, saddle_at

#: Nodes beyond which a wide answer is given instead.
MOST_NODES = 4_000
#: Each error gets this share of the wanted width.
_SHARE = log(16)


class Plan(msgspec.Struct, frozen=True):
    """The trapezoid rule on Re z = c.

    Attributes:
        c: abscissa, > 0.
        chernoff: c2 > c, where the aliasing from above is bounded.
        period: T; the spacing of nodes is 2 pi / T.
        last: K, index of the last node above the real line.
        bits: working precision.
    """

    c: float
    chernoff: float
    period: float
    last: int
    bits: int


def plan(parts: Parts, saddle: Saddle, epsilon: float, log_width: float, *, finite: bool) -> Plan:
    """A plan for an enclosure of delta(epsilon) of width about e^log_width.

    Args:
        saddle: near the saddle of epsilon.
        finite: the moment function is periodic: no truncation, and `last` is not used.
    """
    c = saddle.c
    value = log_moment(parts, c) - c * epsilon
    period = (_SHARE - log_width) / c
    chernoff, above = _chernoff(parts, saddle, epsilon, log_width)
    period = max(period, above)
    last = 0
    if not finite:
        reach = _reach(parts, c, value, saddle.curvature, log_width)
        last = min(ceil(reach * period / (2 * pi)) + 1, MOST_NODES)
    rounds = sum(count for _, count in parts)
    peak = value - log(c) - log1p(c)
    bits = 48 + log2(rounds + 1) + max(0.0, peak - log_width) / log(2)
    return Plan(c, chernoff, period, last, 32 * ceil(bits / 32))


def _chernoff(
    parts: Parts, saddle: Saddle, epsilon: float, log_width: float
) -> tuple[float, float]:
    """c2 and the least period at which M(c2) e^(-c2 eps - (c2 - c) T) is small."""
    c, most = saddle.c, min(loss.span[1] for loss, _ in parts)
    scale = sqrt(2 * max(1.0, saddle.log_value - log_width) / saddle.curvature)
    best = (2 * c, inf)
    for power in range(-4, 12):
        c2 = c + scale * 2.0 ** (power / 2)
        if not c2 < most:
            break
        need = (log_moment(parts, c2) - c2 * epsilon + _SHARE - log_width) / (c2 - c)
        if need > best[1]:
            break
        best = (c2, need)
    if best[1] == inf:
        c2 = (c + most) / 2
        best = (c2, (log_moment(parts, c2) - c2 * epsilon + _SHARE - log_width) / (c2 - c))
    return best


def _reach(parts: Parts, c: float, value: float, curvature: float, log_width: float) -> float:
    """Height beyond which the rest of the sum is small."""
    t = 2 / sqrt(curvature)
    for _ in range(200):
        fall = sum(count * loss.log_decay(c, t) for loss, count in parts)
        if value + fall + log(atan(c / t) / (pi * c)) <= log_width - _SHARE:
            break
        t *= 1.15
    return t


def at_least(parts: Parts, saddle: Saddle, least: float) -> Saddle:
    """The saddle, moved to the right so that its point is at least `least`."""
    return saddle if saddle.c >= least else saddle_at(parts, least)
