"""The earth mover's (Wasserstein-1) distance on a finite metric space, exact.

W1 = min over couplings of E d(X, Y) = max over 1-Lipschitz f of the sum of f (P - Q) (Kantorovich
and Rubinstein 1958).  Only P - Q has to move: what both have at a point stays, by the triangle
inequality.  Trees (lines among them) and cycles have formulas, other metrics a cheapest flow.
Every answer is checked: the plan and the potential must have one cost.
"""

from __future__ import annotations

from fractions import Fraction

from metricdp.errors import InternalError
from metricdp.laws.distances.cheapest_flow import cheapest_flow
from metricdp.laws.distances.coupling import Transport
from metricdp.laws.distances.largest_flow import Flow
from metricdp.laws.distances.masses import Masses
from metricdp.laws.distances.on_space import OnSpace, on_space
from metricdp.laws.distances.tree_transport import Plan, along_tree, around_cycle
from metricdp.laws.space import Cycle, FiniteSpace, Tree


def earth_mover(p: Masses, q: Masses, space: FiniteSpace) -> tuple[Fraction, Transport]:
    """The distance, an optimal coupling, and a potential that proves it optimal.

    Raises ParameterError for an outcome that is no point of the space.
    """
    pair = on_space(p, q, space)
    flow, potential = _plan(pair)
    cost = sum((x * space.distances[i][j] for (i, j), x in flow.items()), Fraction(0))
    _prove(pair, flow, potential, cost)
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


def _prove(pair: OnSpace, flow: Flow, potential: list[Fraction], cost: Fraction) -> None:
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
