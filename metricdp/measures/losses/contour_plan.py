"""How finely to sum on the contour: spacing, number of nodes and precision, in doubles.

The errors that the choice balances are proved in `contour_sum`; a poor choice makes the enclosure
wide, never wrong.
"""

from __future__ import annotations

from fractions import Fraction
from math import atan, ceil, expm1, inf, log, log1p, log2, pi, sqrt, tan

import msgspec

from metricdp.measures.losses.gaussian import GaussianLoss
from metricdp.measures.losses.loss import Lattice, Loss
from metricdp.measures.losses.poisson_gaussian import PoissonGaussianLoss
from metricdp.measures.losses.saddle import Parts, Saddle, log_moment, most_tilt

#: Nodes that are worth their time; if more are needed, a wide answer from a few of them is given.
_MOST_NODES, _MOST_SAMPLED, _FEW_NODES = 4_000, 1_500, 1_000
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
        falling: the parts whose decay bounds what is left out beyond the last node.
        exhausted: more nodes were needed than are ever used, so the answer will be wide.
    """

    c: float
    chernoff: float
    period: float
    last: int
    bits: int
    falling: tuple[tuple[Loss, int], ...]
    exhausted: bool


def plan(
    parts: Parts, saddle: Saddle, epsilon: float, log_width: float, lattice: Lattice | None = None
) -> Plan:
    """A plan for an enclosure of delta(epsilon) of width about e^log_width.

    Args:
        saddle: near the saddle of epsilon.
        lattice: of all losses together, if the sum over one period is wanted.
    """
    c = saddle.c
    value = log_moment(parts, c) - c * epsilon
    chernoff, above = _chernoff(parts, saddle, epsilon, log_width)
    period = max((_SHARE - log_width) / c, above)
    sampled = any(isinstance(loss, PoissonGaussianLoss) for loss, _ in parts)
    most = _MOST_SAMPLED if sampled else _MOST_NODES
    if lattice is not None:
        needed = nodes_above(period, lattice.step)
        period = (2 * needed + 1) * float(lattice.step)
    room = log_width - _SHARE - value
    falling, reach = tuple(parts), 0.0
    for falling in (cheap(parts), tuple(parts)):
        reach = _reach(falling, c, saddle.curvature, room, 2 * pi * most / period, lattice)
        if reach * period <= 2 * pi * 64:
            break
    last = ceil(reach * period / (2 * pi)) + 1
    if lattice is not None:
        last = min(last, needed)
    exhausted = last > most
    if exhausted:
        last = _FEW_NODES
    rounds = sum(count for _, count in parts)
    peak = value - log(c) - log1p(c)
    bits = 48 + log2(rounds + 1) + max(0.0, peak - log_width) / log(2)
    return Plan(c, chernoff, period, last, 32 * ceil(bits / 32), falling, exhausted)


def _chernoff(
    parts: Parts, saddle: Saddle, epsilon: float, log_width: float
) -> tuple[float, float]:
    """c2 and the least period at which M(c2) e^(-c2 eps - (c2 - c) T) is small."""
    c, most = saddle.c, min(most_tilt(loss) for loss, _ in parts)
    scale = sqrt(2 * max(1.0, saddle.log_value - log_width) / saddle.curvature)

    def need(c2: float) -> float:
        return (log_moment(parts, c2) - c2 * epsilon + _SHARE - log_width) / (c2 - c)

    # High moments may explode, so the steps start small; the need falls, then rises.
    best = (inf, 0.0)
    for power in range(-8, 6):
        c2 = c + scale * 2.0**power
        found = (need(c2), c2) if c2 < most else (inf, c2)
        if found > best:
            break
        best = found
    c2 = best[1] if best[0] < inf else c + (most - c) / 2
    near = [c + (c2 - c) * share for share in (0.7, 1.0, 1.4)]
    period, c2 = min((need(x), x) for x in near if x < most)
    return c2, period


def cheap(parts: Parts) -> tuple[tuple[Loss, int], ...]:
    """The parts whose decay is a closed form that costs nothing."""
    return tuple(part for part in parts if isinstance(part[0], GaussianLoss))


def _reach(
    falling: Parts, c: float, curvature: float, room: float, most: float, lattice: Lattice | None
) -> float:
    """Height up to which nodes are needed, or a little above `most`."""
    t = 2 / sqrt(curvature)
    while t <= most:
        if lattice is None:
            rest = log(atan(c / t) / (pi * c))
        elif t * float(lattice.step) < pi:
            width = float(lattice.step)
            rest = (c + 0.5) * width + log(-expm1(-width) / (2 * pi * tan(t * width / 2)))
        else:
            break
        if log_fall(falling, c, t, lattice) + rest <= room:
            break
        t *= 1.15
    return t


def log_fall(falling: Parts, c: float, t: float, lattice: Lattice | None) -> float:
    """An upper bound of ln of |M(c + iy)| / M(c) over y >= t, up to half a period on a lattice."""
    if lattice is None:
        return sum(count * loss.log_decay(c, t) for loss, count in falling)
    return sum(
        count * loss.log_decay_in_period(c, t)
        for loss, count in falling
        if loss.lattice is not None and loss.lattice.step == lattice.step
    )


def nodes_above(period: float, step: Fraction) -> int:
    """Nodes above the real line so that all nodes span at least the period."""
    return max(1, ceil((period / float(step) - 1) / 2))
