"""Cheapest transport from sources to sinks, in integers.

Mass is sent along shortest paths of the residual graph; potentials keep reduced costs nonnegative,
so that Dijkstra's method applies (Edmonds and Karp 1972; Tomizawa 1971).
"""

from __future__ import annotations

from collections.abc import Sequence

from metricdp.laws.distances.largest_flow import Flow


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
