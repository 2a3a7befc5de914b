"""Largest flows from sources to sinks, in integers: Dinic's method (1970) with level graphs."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

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
