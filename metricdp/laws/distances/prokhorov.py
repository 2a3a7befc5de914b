"""The Prokhorov distance on a finite metric space, exact.

d(P, Q) = inf {eps: P(A) <= Q(A^eps) + eps for every event A}, A^eps the points at distance <= eps
from A.  By Strassen's theorem (1965) it is the least eps such that some coupling moves farther than
eps with probability at most eps.  The least such probability at radius t is K(t) = 1 - the largest
flow along pairs at distance <= t; K falls and only changes at the distances that occur.  So
the answer is the least max(t, K(t)) over those, found by bisection where t overtakes K(t).
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction

from metricdp.errors import InternalError
from metricdp.laws.distances.coupling import Neighbourhood
from metricdp.laws.distances.largest_flow import Flow, largest_flow
from metricdp.laws.distances.masses import Masses
from metricdp.laws.distances.on_space import OnSpace, on_space
from metricdp.laws.space import FiniteSpace

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
    _prove(p, q, space, value, evidence)
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


def _prove(p: Masses, q: Masses, space: FiniteSpace, value: Fraction, by: Neighbourhood) -> None:
    """The coupling moves farther than the value with probability <= it; the event needs it."""
    far = sum((m for (x, y), m in by.coupling.items() if space.distance(x, y) > value), Fraction(0))
    # Just below the value, the neighbourhood is that of points nearer than the value.
    nearby = {y for y in q if any(space.distance(x, y) < value for x in by.event)}
    gap = sum((p[x] for x in by.event), Fraction(0)) - sum((q[y] for y in nearby), Fraction(0))
    if far > value or (value and gap < value):
        raise InternalError("the coupling and the event of a distance disagree", place="d_wc")
