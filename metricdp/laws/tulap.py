"""Canonical noise, rounded to the integers, and the distances between two such laws.

For |t| = K - 1 + f sensitivities between two centres, K whole and 0 < f <= 1: where both densities
are positive their ratio is e^(j epsilon) with |j| <= K, and it is e^(K epsilon) beyond both centres
on a share f of every cell, and e^((K - 1) epsilon) on the rest.  So the continuous laws have

- max divergence K epsilon (delta = 0), infinite otherwise;
- hockey stick P(N < |t| - c) at every epsilon' >= K epsilon: outside of the other law's support;
- Renyi moments f E_K + (1 - f) E_(K - 1), E_j those of discrete Laplace noise moved by j (delta 0).

Rounding is post-processing, so these are upper bounds; lower ones come from events.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, inf

from metricdp.laws.interval import ZERO, add, hull, positive_part, subtract, times
from metricdp.laws.numbers import settle
from metricdp.laws.rounded import RoundedLaw
from metricdp.noise.canonical import Tulap, tulap
from metricdp.noise.enclose import Bounds
from metricdp.noise.kept import exp_bounds

_HALF = Fraction(1, 2)
_BITS = 256
#: A support of more outcomes is not listed.
_MANY = 20_000
#: Cells are added up one by one to this number; without delta up to e^-60 of the law.
_CELLS, _FAR = 2_000, 60


class RoundedTulapLaw(RoundedLaw, frozen=True):
    """Law of floor(center + scale N + 1/2), N the canonical noise of (epsilon, delta).

    Raises:
        ParameterError: scale <= 0, epsilon <= 0, delta outside [0, 1).
    """

    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        law = tulap(self.epsilon, self.delta)
        settle(self, epsilon=law.epsilon, delta=law.delta)

    @property
    def noise(self) -> Tulap:
        """The law of the noise at scale 1."""
        return Tulap(self.epsilon, self.delta)

    @property
    def _bits(self) -> int:
        return _BITS + max(0, self.scale.numerator.bit_length())

    def _beyond(self, y: Fraction) -> Bounds:
        return self.noise.tail(y / self.scale, self._bits)

    def ends(self) -> tuple[int, int] | None:
        """Least and greatest outcome; None where there are none (delta = 0)."""
        if not self.delta:
            return None
        bits = self._bits
        while True:
            found = {
                (floor(self.center - r + _HALF), ceil(self.center + r - _HALF))
                for r in (self.scale * c for c in self.noise.end(bits))
            }
            if len(found) == 1:
                return found.pop()
            bits *= 2

    def support(self) -> tuple[int, ...] | None:  # type: ignore[override]
        """Every outcome; None for all integers, and for more outcomes than can be listed."""
        ends = self.ends()
        if ends is None or ends[1] - ends[0] > _MANY:
            return None
        return tuple(range(ends[0], ends[1] + 1))


def alike(p: object, q: object) -> bool:
    """Whether both are canonical noise with the same parameters."""
    return (
        isinstance(p, RoundedTulapLaw)
        and isinstance(q, RoundedTulapLaw)
        and (p.scale, p.epsilon, p.delta) == (q.scale, q.epsilon, q.delta)
    )


def moved(p: RoundedTulapLaw, q: RoundedTulapLaw) -> Fraction:
    """How many scales the centres lie apart."""
    return abs(p.center - q.center) / p.scale


def largest_ratio(p: RoundedTulapLaw, q: RoundedTulapLaw) -> Bounds | float:
    """Max divergence of two laws that are `alike`."""
    t = moved(p, q)
    if not t:
        return ZERO
    if p.delta:
        return inf
    # Beyond p's centre, in the middle of the stretch where the cells are K apart.
    k = ceil(t)
    side = 1 if p.center > q.center else -1
    outcome = floor(p.center + side * p.scale * (k - t) / 2 + _HALF)
    tried = (outcome - 1, outcome, outcome + 1)
    low = max(p.log_ratio(q, x)[0] for x in tried)
    return low, k * p.epsilon


def gain_beyond(p: RoundedTulapLaw, q: RoundedTulapLaw, epsilon: Fraction) -> Bounds | None:
    """The hockey stick of two laws that are `alike`; None where epsilon is below K epsilons."""
    t = moved(p, q)
    if epsilon < ceil(t) * p.epsilon:
        return None
    if not t or not p.delta:
        return ZERO
    ends = q.ends()
    assert ends is not None
    best, factor = ZERO, exp_bounds(epsilon, _BITS)
    for short in (0, 1):
        # Outcomes that q has not, and with them the first one that it has.
        if q.center > p.center:
            mine, other = p.cdf(ends[0] - 1 + short), q.cdf(ends[0] - 1 + short)
        else:
            mine, other = p.tail(ends[1] + 1 - short), q.tail(ends[1] + 1 - short)
        best = hull(best, subtract(mine, times(factor, other)))
    reach = p.noise.end(_BITS)
    whole = tuple(_below(p.noise, t - c) for c in reach)
    return best[0], min(best[1], max(high for _, high in whole))


def _below(noise: Tulap, y: Fraction) -> Bounds:
    """P(N < y)."""
    if y < 0:
        return noise.tail(-y, _BITS)
    low, high = noise.tail(y, _BITS)
    return 1 - high, 1 - low


def on_lattice(p: RoundedTulapLaw, q: RoundedTulapLaw) -> bool:
    """Whether the cells of both end where outcomes do, so that rounding loses nothing."""
    return all((x.center + x.scale / 2 + _HALF).denominator == 1 for x in (p, q)) and (
        p.scale.denominator == 1
    )


def gain_within(p: RoundedTulapLaw, q: RoundedTulapLaw, epsilon: Fraction) -> Bounds | None:
    """The hockey stick of two laws that are `alike`, at any epsilon; None for too many cells.

    Both densities are constant between the ends of their cells, so the continuous hockey stick is
    a finite sum; rounding takes away at most the outcomes that an end lies in.
    """
    t, noise = moved(p, q), p.noise
    reach = noise.end(_BITS) if p.delta else (_FAR / p.epsilon + t,) * 2
    n = ceil(reach[1]) + 1
    if n > _CELLS:
        return None
    cells = {Fraction(2 * j + 1, 2) for j in range(-n - 1, n + 1)}
    ends = {at for c in reach for at in (-c, c, t - c, t + c)}
    edges = sorted(ends | cells | {x + t for x in cells})
    factor, total = exp_bounds(epsilon, _BITS), ZERO
    mine, other = (tuple(_below(noise, x - by) for x in edges) for by in (Fraction(0), t))
    for i in range(len(edges) - 1):
        a, b = subtract(mine[i + 1], mine[i]), subtract(other[i + 1], other[i])
        total = add(total, positive_part(subtract(a, times(factor, positive_part(b)))))
    # Beyond the edges there is p alone at most; between two enclosures of one end, too.
    beyond = noise.tail(edges[-1], _BITS)[1] * 2 + 4 * (reach[1] - reach[0])
    lost = len(edges) / p.scale if not on_lattice(p, q) else Fraction(0)
    return max(Fraction(0), total[0] - lost), min(Fraction(1), total[1] + beyond)
