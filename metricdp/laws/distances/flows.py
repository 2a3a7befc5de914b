"""Transport from sources to sinks in integers: largest flows, cheapest flows, and along trees.

Largest flows: Dinic's method (1970) with level graphs.  Cheapest flows: mass is sent along shortest
paths of the residual graph; potentials keep reduced costs nonnegative, so that Dijkstra's method
applies (Edmonds and Karp 1972; Tomizawa 1971).

On a tree every plan sends at least |P - Q| of the mass below an edge over that edge, and matching
as low as possible sends no more (Evans and Matsen 2012): the cost is the sum of length times
|P - Q| below.  Around a cycle the flow over the arcs is the running sum of P - Q less a constant;
the cheapest constant is a median weighted by the arcs (Werman, Peleg, Melter and Kong 1986), and an
arc that then carries nothing can be cut.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

from metricdp.laws.space import Cycle, Tree

Flow = dict[tuple[int, int], int]


def largest_flow(
    supply: Sequence[int], demand: Sequence[int], near: Sequence[Sequence[int]]
) -> tuple[Flow, frozenset[int]]:
    """A largest flow from sources i to sinks near[i], and a set A of sources that shows it.

    The flow is the supply outside of A plus the demand of the sinks near A (a least cut).
    """
    graph = _Graph(supply, demand, near)
    while (levels := graph.levels())[graph.sink] >= 0:
        graph.push_all(levels)
    flow = {(i, j): sent for i, j, sent in graph.sent() if sent}
    return flow, frozenset(i for i in range(len(supply)) if levels[i] >= 0)


class _Graph:
    """Sources 0 .. m - 1, sinks m .. m + n - 1, then one source before and one sink after all."""

    def __init__(
        self, supply: Sequence[int], demand: Sequence[int], near: Sequence[Sequence[int]]
    ) -> None:
        m, n = len(supply), len(demand)
        self.m, self.source, self.sink = m, m + n, m + n + 1
        self.links: list[list[int]] = [[] for _ in range(m + n + 2)]
        self.head: list[int] = []
        self.room: list[int] = []
        for i, sinks in enumerate(near):
            for j in sinks:
                self._link(i, m + j, supply[i])
        self.between = len(self.head)
        for i, x in enumerate(supply):
            self._link(self.source, i, x)
        for j, x in enumerate(demand):
            self._link(m + j, self.sink, x)

    def _link(self, start: int, end: int, room: int) -> None:
        # Edge e and its reverse e ^ 1 share the room.
        self.links[start].append(len(self.head))
        self.links[end].append(len(self.head) + 1)
        self.head += end, start
        self.room += room, 0

    def levels(self) -> list[int]:
        """Steps from the source where there is room; -1 where there is no way."""
        level = [-1] * len(self.links)
        level[self.source] = 0
        queue = deque([self.source])
        while queue:
            node = queue.popleft()
            for e in self.links[node]:
                if self.room[e] and level[self.head[e]] < 0:
                    level[self.head[e]] = level[node] + 1
                    queue.append(self.head[e])
        return level

    def push_all(self, level: list[int]) -> None:
        """Flow along paths that go up one level per step, until there is none."""
        untried = [list(links) for links in self.links]
        path: list[int] = []
        node = self.source
        while True:
            if node == self.sink:
                sent = min(self.room[e] for e in path)
                for e in path:
                    self.room[e] -= sent
                    self.room[e ^ 1] += sent
                path, node = [], self.source
                continue
            ways = untried[node]
            while ways and not self._goes_up(ways[-1], node, level):
                ways.pop()
            if ways:
                path.append(ways[-1])
                node = self.head[ways[-1]]
            elif path:
                node = self.head[path.pop() ^ 1]
                untried[node].pop()
            else:
                return

    def _goes_up(self, e: int, node: int, level: list[int]) -> bool:
        return self.room[e] > 0 and level[self.head[e]] == level[node] + 1

    def sent(self) -> list[tuple[int, int, int]]:
        """(source, sink, flow between them)."""
        pairs = range(0, self.between, 2)
        return [(self.head[e + 1], self.head[e] - self.m, self.room[e + 1]) for e in pairs]


def cheapest_flow(
    supply: Sequence[int], demand: Sequence[int], cost: Sequence[Sequence[int]]
) -> tuple[Flow, list[int], list[int]]:
    """A cheapest flow of all the supply to all the demand, with the potentials that prove it.

    Totals are equal and costs nonnegative.  The potentials u of sources and v of sinks satisfy
    v[j] - u[i] <= cost[i][j], with equality where there is flow.
    """
    left, room = list(supply), list(demand)
    u, v = [0] * len(left), [0] * len(room)
    flow: Flow = {}
    carriers: list[set[int]] = [set() for _ in room]
    while any(left):
        path, to_sources, to_sinks, length = _shortest(left, room, cost, u, v, carriers)
        u = [x + min(d, length) for x, d in zip(u, to_sources, strict=True)]
        v = [x + min(d, length) for x, d in zip(v, to_sinks, strict=True)]
        sent = min([left[path[0][0]], room[path[-1][1]]] + [flow[e] for e in path[1::2]])
        left[path[0][0]] -= sent
        room[path[-1][1]] -= sent
        for step, (i, j) in enumerate(path):
            flow[i, j] = flow.get((i, j), 0) + (sent if step % 2 == 0 else -sent)
            carriers[j].add(i)
            if not flow[i, j]:
                del flow[i, j]
                carriers[j].discard(i)
    return flow, u, v


def _shortest(
    left: Sequence[int],
    room: Sequence[int],
    cost: Sequence[Sequence[int]],
    u: Sequence[int],
    v: Sequence[int],
    carriers: Sequence[set[int]],
) -> tuple[list[tuple[int, int]], list[int], list[int], int]:
    """A shortest path to a sink with room: pairs (source, sink), every second one backwards."""
    far = 1 << 62
    while far <= sum(map(max, cost)) + max(map(abs, (*u, *v))):
        far <<= 62
    to_sources = [0 if x else far for x in left]
    to_sinks = [far] * len(room)
    parent: dict[int, int] = {}
    before: dict[int, int] = {}
    open_sources = {i for i, x in enumerate(left) if x}
    done: set[int] = set()
    while True:
        for i in open_sources:
            base = to_sources[i] + u[i]
            for j, price in enumerate(cost[i]):
                if j not in done and base + price - v[j] < to_sinks[j]:
                    to_sinks[j] = base + price - v[j]
                    parent[j] = i
        j = min((j for j in range(len(room)) if j not in done), key=to_sinks.__getitem__)
        done.add(j)
        if room[j]:
            break
        # Going back along flow costs nothing: its reduced cost is 0.
        open_sources = {i for i in carriers[j] if to_sinks[j] < to_sources[i]}
        for i in open_sources:
            to_sources[i], before[i] = to_sinks[j], j
    end = j
    path = [(parent[j], j)]
    while path[-1][0] in before:
        i = path[-1][0]
        back = before[i]
        path += [(i, back), (parent[back], back)]
    return path[::-1], to_sources, to_sinks, to_sinks[end]


Plan = tuple[Flow, list[Fraction]]


def along_tree(excess: Sequence[int], tree: Tree) -> Plan:
    """A cheapest flow from surplus to deficit, and a potential that proves it."""
    flow: Flow = {}
    waiting: list[list[tuple[int, int]]] = [[(i, x)] if x else [] for i, x in enumerate(excess)]
    slopes = []
    for child, parent, length in tree.edges:
        below = sum(x for _, x in waiting[child])
        slopes.append((child, parent, length * _sign(below)))
        for item in waiting[child]:
            _meet(item, waiting[parent], flow)
    potential = [Fraction(0)] * len(excess)
    for child, parent, slope in reversed(slopes):
        potential[child] = potential[parent] + slope
    return flow, potential


def _meet(item: tuple[int, int], others: list[tuple[int, int]], flow: Flow) -> None:
    """Match a surplus with the deficits that wait at a node, or the other way round."""
    point, mass = item
    while mass and others and mass * others[-1][1] < 0:
        other, there = others.pop()
        matched = min(abs(mass), abs(there))
        pair = (point, other) if mass > 0 else (other, point)
        flow[pair] = flow.get(pair, 0) + matched
        mass -= matched * _sign(mass)
        if abs(there) > matched:
            others.append((other, there - matched * _sign(there)))
    if mass:
        others.append((point, mass))


def around_cycle(excess: Sequence[int], cycle: Cycle) -> Plan:
    """A cheapest flow from surplus to deficit, and a potential that proves it."""
    sums, size = list(accumulate(excess)), len(excess)
    middle = _weighted_median(sums, cycle.arcs)
    cut = sums.index(middle)
    order = [(cut + 1 + k) % size for k in range(size)]
    steps = [(order[k], order[k - 1], cycle.arcs[order[k - 1]]) for k in range(size - 1, 0, -1)]
    flow, _ = along_tree(excess, Tree(tuple(steps)))
    # The potential falls along arcs that carry mass onwards; the idle arcs make up for the rest.
    falls = [w * _sign(s - middle) for w, s in zip(cycle.arcs, sums, strict=True)]
    idle = sum((w for w, s in zip(cycle.arcs, sums, strict=True) if s == middle), Fraction(0))
    share = sum(falls, Fraction(0)) / idle
    falls = [f if f else -share * w for w, f in zip(cycle.arcs, falls, strict=True)]
    return flow, list(accumulate(falls[:-1], lambda f, fall: f - fall, initial=Fraction(0)))


def _weighted_median(values: Sequence[int], weights: Sequence[Fraction]) -> int:
    """A value with at most half of the weight on either side."""
    half, passed = sum(weights, Fraction(0)) / 2, Fraction(0)
    for value, weight in sorted(zip(values, weights, strict=True)):
        passed += weight
        if passed >= half:
            return value
    raise AssertionError


def _sign(x: int) -> int:
    return (x > 0) - (x < 0)
