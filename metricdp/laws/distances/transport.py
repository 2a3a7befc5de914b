"""Distances that move mass on a finite metric space, exact and with evidence.

Earth mover's (Wasserstein-1):
W1 = min over couplings of E d(X, Y) = max over 1-Lipschitz f of the sum of f (P - Q) (Kantorovich
and Rubinstein 1958).  Only P - Q has to move: what both have at a point stays, by the triangle
inequality.  Trees (lines among them) and cycles have formulas, other metrics a cheapest flow.
Every answer is checked: the plan and the potential must have one cost.

Prokhorov:
d(P, Q) = inf {eps: P(A) <= Q(A^eps) + eps for every event A}, A^eps the points at distance <= eps
from A.  By Strassen's theorem (1965) it is the least eps such that some coupling moves farther than
eps with probability at most eps.  The least such probability at radius t is K(t) = 1 - the largest
flow along pairs at distance <= t; K falls and only changes at the distances that occur.  So
the answer is the least max(t, K(t)) over those, found by bisection where t overtakes K(t).
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from fractions import Fraction
from math import lcm

import msgspec

from metricdp.errors import InternalError
from metricdp.laws.distances.finite import Masses
from metricdp.laws.distances.flows import (
    Flow,
    Plan,
    along_tree,
    around_cycle,
    cheapest_flow,
    largest_flow,
)
from metricdp.laws.space import Cycle, FiniteSpace, Tree

Moved = Mapping[tuple[Hashable, Hashable], Fraction]


class Transport(msgspec.Struct, frozen=True):
    """An optimal plan with the proof that no plan is cheaper (Kantorovich and Rubinstein 1958).

    Attributes:
        coupling: (x, y) -> mass moved from x to y; its marginals are P and Q.
        potential: point -> f, with |f(x) - f(y)| <= d(x, y); the sum of f (P - Q) is the cost.
    """

    coupling: Moved
    potential: Mapping[Hashable, Fraction]


class Neighbourhood(msgspec.Struct, frozen=True):
    """A Prokhorov distance eps from both sides (Strassen 1965).

    Attributes:
        coupling: a coupling under which a move is farther than eps with probability <= eps.
        event: a set A with P(A) >= Q(points at distance <= s from A) + eps for every s < eps; empty
            when eps is 0.
    """

    coupling: Moved
    event: tuple[Hashable, ...]


class OnSpace(msgspec.Struct, frozen=True):
    """Masses in units of 1 / `unit`, by position in the space."""

    space: FiniteSpace
    unit: int
    p: tuple[int, ...]
    q: tuple[int, ...]

    @property
    def excess(self) -> list[int]:
        """P - Q at every point."""
        return [a - b for a, b in zip(self.p, self.q, strict=True)]

    def moved(self, flow: dict[tuple[int, int], int]) -> Moved:
        """The flow as masses between points."""
        points = self.space.points
        return {(points[i], points[j]): Fraction(x, self.unit) for (i, j), x in flow.items() if x}


def on_space(p: Masses, q: Masses, space: FiniteSpace) -> OnSpace:
    """Both laws by position; ParameterError for an outcome that is no point of the space."""
    unit = lcm(*(m.denominator for m in (*p.values(), *q.values())))
    left, right = [0] * len(space.points), [0] * len(space.points)
    for masses, into in ((p, left), (q, right)):
        for x, mass in masses.items():
            into[space.place(x)] = int(mass * unit)
    return OnSpace(space, unit, tuple(left), tuple(right))


def earth_mover(p: Masses, q: Masses, space: FiniteSpace) -> tuple[Fraction, Transport]:
    """The distance, an optimal coupling, and a potential that proves it optimal.

    Raises ParameterError for an outcome that is no point of the space.
    """
    pair = on_space(p, q, space)
    flow, potential = _plan(pair)
    cost = sum((x * space.distances[i][j] for (i, j), x in flow.items()), Fraction(0))
    _prove_transport(pair, flow, potential, cost)
    whole = flow | {(i, i): min(a, b) for i, (a, b) in enumerate(zip(pair.p, pair.q, strict=True))}
    values = dict(zip(space.points, potential, strict=True))
    return cost / pair.unit, Transport(pair.moved(whole), values)


def _plan(pair: OnSpace) -> Plan:
    excess, shape = pair.excess, pair.space.shape
    if isinstance(shape, Tree):
        return along_tree(excess, shape)
    if isinstance(shape, Cycle):
        return around_cycle(excess, shape)
    unit, scaled = pair.space.scaled
    sources = [i for i, x in enumerate(excess) if x > 0]
    sinks = [i for i, x in enumerate(excess) if x < 0]
    if not sources:
        return {}, [Fraction(0)] * len(excess)
    costs = [[scaled[i][j] for j in sinks] for i in sources]
    sent, u, _ = cheapest_flow([excess[i] for i in sources], [-excess[j] for j in sinks], costs)
    flow = {(sources[i], sinks[j]): x for (i, j), x in sent.items()}
    # The least 1-Lipschitz upper envelope of -u at the sources proves as much as (u, v) does.
    reach = [max(-x - row[k] for x, row in zip(u, (scaled[i] for i in sources), strict=True))
             for k in range(len(excess))]  # fmt: skip
    return flow, [Fraction(x, unit) for x in reach]


def _prove_transport(pair: OnSpace, flow: Flow, potential: list[Fraction], cost: Fraction) -> None:
    """The flow moves P to Q, f is 1-Lipschitz, and f gains what the flow costs."""
    left = pair.excess
    for (i, j), x in flow.items():
        left[i] -= x
        left[j] += x
    gain = sum((f * x for f, x in zip(potential, pair.excess, strict=True)), Fraction(0))
    near = pair.space.shape is not None or all(
        f - g <= d
        for f, row in zip(potential, pair.space.distances, strict=True)
        for g, d in zip(potential, row, strict=True)
    )
    if any(left) or any(x < 0 for x in flow.values()) or gain != cost or not near:
        raise InternalError("the plan and the potential of a transport disagree", place="d_em")


Level = tuple[Fraction, Flow, tuple[int, ...]]


def prokhorov(p: Masses, q: Masses, space: FiniteSpace) -> tuple[Fraction, Neighbourhood]:
    """The distance, a coupling that bounds it from above, and an event that does from below.

    Raises ParameterError for an outcome that is no point of the space.
    """
    pair, radii = on_space(p, q, space), space.radii
    low, high = -1, len(radii) - 1
    below: Level | None = None
    above = _farther(pair, radii[high])
    while high - low > 1:
        middle = (low + high) // 2
        level = _farther(pair, radii[middle])
        if level[0] <= radii[middle]:
            high, above = middle, level
        else:
            low, below = middle, level
    # K is a step function: between two radii it is what it is at the lower one.
    if below is not None and below[0] < radii[high]:
        value, flow, event = below[0], below[1], below[2]
    else:
        value, flow = max(radii[high], above[0]), above[1]
        event = below[2] if below is not None else ()
    evidence = Neighbourhood(pair.moved(_completed(pair, flow)), _points(space, event))
    _prove_neighbourhood(p, q, space, value, evidence)
    return value, evidence


def _farther(pair: OnSpace, radius: Fraction) -> Level:
    """The least probability of a move farther than the radius, the flow, and the worst event."""
    sources = [i for i, x in enumerate(pair.p) if x]
    sinks = [j for j, x in enumerate(pair.q) if x]
    distances = pair.space.distances
    near = [[k for k, j in enumerate(sinks) if distances[i][j] <= radius] for i in sources]
    flow, cut = largest_flow([pair.p[i] for i in sources], [pair.q[j] for j in sinks], near)
    named = {(sources[i], sinks[j]): x for (i, j), x in flow.items()}
    missed = 1 - Fraction(sum(flow.values()), pair.unit)
    return missed, named, tuple(sources[i] for i in sorted(cut))


def _completed(pair: OnSpace, flow: Flow) -> Flow:
    """The flow with what is left moved in any order."""
    left, room, whole = list(pair.p), list(pair.q), dict(flow)
    for (i, j), x in flow.items():
        left[i] -= x
        room[j] -= x
    sinks = [j for j, x in enumerate(room) if x]
    for i, mass in enumerate(left):
        while mass:
            j = sinks[-1]
            sent = min(mass, room[j])
            whole[i, j] = whole.get((i, j), 0) + sent
            mass, room[j] = mass - sent, room[j] - sent
            if not room[j]:
                sinks.pop()
    return whole


def _points(space: FiniteSpace, event: tuple[int, ...]) -> tuple[Hashable, ...]:
    return tuple(space.points[i] for i in event)


def _prove_neighbourhood(
    p: Masses, q: Masses, space: FiniteSpace, value: Fraction, by: Neighbourhood
) -> None:
    """The coupling moves farther than the value with probability <= it; the event needs it."""
    far = sum((m for (x, y), m in by.coupling.items() if space.distance(x, y) > value), Fraction(0))
    # Just below the value, the neighbourhood is that of points nearer than the value.
    nearby = {y for y in q if any(space.distance(x, y) < value for x in by.event)}
    gap = sum((p[x] for x in by.event), Fraction(0)) - sum((q[y] for y in nearby), Fraction(0))
    if far > value or (value and gap < value):
        raise InternalError("the coupling and the event of a distance disagree", place="d_wc")
