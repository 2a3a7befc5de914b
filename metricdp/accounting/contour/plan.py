"""How finely to sum on the contour: spacing, number of nodes and precision, in doubles.

The errors that the choice balances are proved in `contour.sums`; a poor choice makes the enclosure
wide, never wrong.

Not every node is worth its evaluation (`worthwhile`).  Composed losses of few values come back into
phase far up the line: 500 Laplace mechanisms have nodes up to the 14th such resonance, and nearly
nothing between them.  At a node z = c + iy the integrand of delta(e) has the modulus |M(z)| e^(-c
e) / (|z| |z + 1|) <= M(c) e^(-c e) t, with
    t = e^b / (c^2 + y^2),  b = sum n_i b_i,  b_i >= ln |M_i(z) / M_i(c)|,
b_i of `PointwiseLoss.log_moduli` for the parts that have one and 0 for the others.  So nodes that
are left out on both sides of the real line add at most 2 (h / 2 pi) M(c) e^(-c e) sum t.

Doubles: the true y is k 2 pi / T for a double T, and k (2 pi / T) as computed is within four
roundings of it, below 1e-15 y.  All b_i are at most 0, so the sum b is off by at most (number of
parts + 2) roundings of itself; `_SAFE` allows 10^5 parts.  ln t is off by a few roundings of b and
ln (c^2 + y^2), each below 1500 in modulus where t is above e^-745; `_SLACK` allows that, and
`_TINY` what underflows.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import atan, ceil, exp, expm1, inf, isfinite, log, log1p, log2, pi, sqrt, tan
from typing import TYPE_CHECKING, Any

import msgspec

from metricdp.accounting.contour.saddle import Saddle, log_moments, most_tilt
from metricdp.accounting.losses.atomic import AtomicLoss
from metricdp.accounting.losses.gaussian import NormalLoss
from metricdp.accounting.losses.loss import Counted, Lattice, Loss, PointwiseLoss
from metricdp.accounting.losses.poisson_gaussian import PoissonGaussianLoss

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: Nodes that are worth their time; if more are needed, a wide answer from a few of them is given.
_MOST_NODES, _MOST_SAMPLED, _FEW_NODES = 4_000, 1_500, 1_000
#: The same, over the number of parts, where most nodes can be left out (`worthwhile`).
_MOST_POINTWISE = 24_000
#: The same, over the number of atoms, where there is nothing but atoms off a lattice.
_MOST_ATOMIC = 4_000_000
#: Bits that sums over points and nodes may lose, and as many again.
_GUARD = 24
#: So many nodes cost next to nothing.
_CHEAP = 64
#: Lines where the integrand is larger by e to this are not looked at.
_TOO_LARGE = 1e6
#: Ratio of the heights that are tried.
_GROWTH = 1.15
#: Each error gets this share of the wanted width.
_SHARE = log(16)


class ContourPlan(msgspec.Struct, frozen=True):
    """The trapezoid rule on Re z = c.

    Attributes:
        c: abscissa, > 0.
        chernoff: c2 > c, where the aliasing from above is bounded.
        period: T; the spacing of nodes is 2 pi / T.
        last: K, index of the last node above the real line.
        bits: working precision.
        falling: the parts whose decay bounds what is left out beyond the last node.
        exhausted: more nodes were needed than are ever used, so the answer will be wide.
        room: ln of what nodes up to the last may add and be left out, in units of
            M(c) e^(-c epsilon); by default none is left out.
    """

    c: float
    chernoff: float
    period: float
    last: int
    bits: int
    falling: tuple[tuple[Loss, int], ...]
    exhausted: bool
    room: float = -inf


def plan(
    parts: Counted, saddle: Saddle, epsilon: float, log_width: float, lattice: Lattice | None = None
) -> ContourPlan:
    """A plan for an enclosure of delta(epsilon) of width about e^log_width.

    Args:
        saddle: near the saddle of epsilon.
        lattice: of all losses together, if the sum over one period is wanted.
    """
    lines = _lines(parts, saddle, epsilon, log_width)

    def drawn(line: Line) -> ContourPlan:
        return _drawn(parts, line, saddle.curvature, log_width, lattice)

    # Nodes per period times the height at which the moments of a normal law are small.
    best = min(lines, key=lambda at: at.period * sqrt(max(1.0, at.value - log_width + _SHARE)))
    found = drawn(best)
    if found.last > _CHEAP:
        # Moments of other laws fall later where the tilt is steep.
        plain = min(lines, key=lambda at: abs(at.c - saddle.c))
        found = min(found, drawn(plain), key=lambda at: _cost(parts, at))
    if found.exhausted and lattice is None:
        # What is left out beyond a given number of nodes is about e^value T.
        found = drawn(min(lines, key=lambda at: at.value + log(at.period)))
    return found


class Line(msgspec.Struct, frozen=True):
    """A line, c2, the least T at which what is aliased is small, and ln of the integrand at c."""

    c: float
    chernoff: float
    period: float
    value: float


def _drawn(
    parts: Counted, line: Line, curvature: float, log_width: float, lattice: Lattice | None
) -> ContourPlan:
    """The nodes on a line."""
    c, period, most = line.c, line.period, _most(parts, lattice)
    if lattice is not None:
        needed = nodes_above(period, lattice.step)
        period = (2 * needed + 1) * float(lattice.step)
    room = log_width - _SHARE - line.value
    falling, reach = tuple(parts), 0.0
    for falling in (cheap(parts), tuple(parts)):
        reach = _reach(falling, c, curvature, room, 2 * pi * most / period, lattice)
        if reach * period <= 2 * pi * _CHEAP:
            break
    last = ceil(reach * period / (2 * pi)) + 1
    if lattice is not None:
        last = min(last, needed)
    exhausted = last > most
    if exhausted:
        last = max(_FEW_NODES, most // 4)
    rounds = sum(count for _, count in parts)
    peak = line.value - log(c) - log1p(c)
    bits = _GUARD + ceil(log2(rounds + 1) + max(0.0, peak - log_width) / log(2))
    return ContourPlan(c, line.chernoff, period, last, bits, falling, exhausted, room)


def _cost(parts: Counted, drawn: ContourPlan) -> float:
    """About the time that a plan takes; sums over points of sampled Gaussians grow with height."""
    if drawn.exhausted:
        return inf
    if any(isinstance(loss, PoissonGaussianLoss) for loss, _ in parts):
        return sqrt(drawn.last) * drawn.last / drawn.period
    return drawn.last


def _most(parts: Counted, lattice: Lattice | None) -> int:
    """Nodes that are worth their time."""
    if any(isinstance(loss, PoissonGaussianLoss) for loss, _ in parts):
        return _MOST_SAMPLED
    if lattice is not None:
        return _MOST_NODES
    atoms = [loss.size for loss, _ in parts if isinstance(loss, AtomicLoss)]
    if len(atoms) == len(parts):
        return max(_MOST_NODES, _MOST_ATOMIC // sum(atoms))
    if all(isinstance(loss, PointwiseLoss) for loss, _ in parts):
        return max(_MOST_NODES, _MOST_POINTWISE // len(parts))
    return _MOST_NODES


def _lines(parts: Counted, saddle: Saddle, epsilon: float, log_width: float) -> list[Line]:
    """Lines near the saddle.

    From below that takes e^(-c T), from above M(c2) e^(-c2 eps - (c2 - c) T): a line to the right
    of the saddle makes the first smaller, one to the left leaves room for c2 where high moments
    explode.  Off the saddle the integrand is larger, but wide moves cost little of it.
    """
    psi = log_moments(tuple(parts))
    most = min(most_tilt(loss) for loss, _ in parts)
    spread = 1 / sqrt(saddle.curvature)
    scale = spread * sqrt(2 * max(1.0, saddle.log_value - log_width))
    places = [saddle.c + scale * 2.0 ** (power / 2) for power in range(-14, 8)]
    places += [saddle.c * share for share in (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)]
    places += [saddle.c + spread * share for share in (0.5, 1.0, 1.5, 2.0, 3.0)]
    known: list[tuple[float, float]] = []
    for c in sorted(x for x in places if x < most):
        if known and not c > known[-1][0] * (1 + 1e-9):
            continue
        value = psi(c) - c * epsilon
        if not isfinite(value) or (known and value > known[0][1] + _TOO_LARGE):
            break
        known.append((c, value))
    if len(known) < 2:
        near = saddle.c, saddle.c + (most - saddle.c) / 2
        known = [(c, psi(c) - c * epsilon) for c in near]
    found = []
    for at, (c, value) in enumerate(known[:-1]):
        above, c2 = min(((v + _SHARE - log_width) / (x - c), x) for x, v in known[at + 1 :])
        found.append(Line(c, c2, max((_SHARE - log_width) / c, above), value))
    return found


def cheap(parts: Counted) -> tuple[tuple[Loss, int], ...]:
    """The parts whose decay is a closed form that costs nothing."""
    return tuple(part for part in parts if isinstance(part[0], NormalLoss))


def _reach(
    falling: Counted, c: float, curvature: float, room: float, most: float, lattice: Lattice | None
) -> float:
    """Height up to which nodes are needed, or a little above `most`."""
    start = 2 / sqrt(curvature)

    def enough(power: int) -> bool:
        t = start * _GROWTH**power
        if t > most:
            return True
        if lattice is None:
            rest = log(atan(c / t) / (pi * c))
        elif t * float(lattice.step) < pi:
            width = float(lattice.step)
            rest = (c + 0.5) * width + log(-expm1(-width) / (2 * pi * tan(t * width / 2)))
        else:
            return True
        return log_fall(falling, c, t, lattice) + rest <= room

    # From where the moments of a normal law are small, in steps that double.
    guess = max(0, round(log(max(2.0, -room) / 2) / (2 * log(_GROWTH))))
    below, above, step = -1, guess, 1
    if enough(guess):
        while above - step > below and enough(above - step):
            above, step = above - step, 2 * step
        below = max(below, above - step)
    else:
        while not enough(above):
            below, above, step = above, above + step, 2 * step
    while above - below > 1:
        middle = (below + above) // 2
        if enough(middle):
            above = middle
        else:
            below = middle
    return start * _GROWTH**above


def log_fall(falling: Counted, c: float, t: float, lattice: Lattice | None) -> float:
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


_SAFE, _SLACK, _TINY = 1 - 1e-10, 1e-9, 1e-300
#: Nodes that are evaluated at most.
_MOST_KEPT = 8_000


def worthwhile(parts: Counted, plan: ContourPlan) -> tuple[Sequence[int], float]:
    """(nodes that are to be evaluated, 0 among them; a bound of the sum of t over the others)."""
    import numpy as np

    every = range(plan.last + 1)
    falling = [(loss, n) for loss, n in parts if isinstance(loss, PointwiseLoss)]
    if not falling or plan.room > 700:
        return every, 0.0
    heights = np.arange(1, plan.last + 1) * (2 * pi / plan.period)
    logs: NDArray[Any] = np.zeros(plan.last)
    for loss, n in falling:
        logs += n * loss.log_moduli(plan.c, heights)
    with np.errstate(under="ignore", over="ignore"):
        terms = np.exp(logs * _SAFE - 2 * np.log(np.hypot(plan.c, heights)))
    # Together they may take e^room of M(c) e^(-c e): h / pi times their sum, h = 2 pi / T.
    left = terms <= exp(plan.room) * plan.period / (2 * max(1, plan.last))
    # The farthest of too many add little each, and are bounded as well.
    left |= np.cumsum(~left) > _MOST_KEPT
    if not left.any():
        return every, 0.0
    kept = [0, *(int(k) + 1 for k in np.flatnonzero(~left))]
    return kept, float(terms[left].sum()) * (1 + _SLACK) + _TINY * plan.last
