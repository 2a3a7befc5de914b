"""What is asked of the same rows again and again: values that come back are kept.

A loop that learns reads the same rows in every round, and much of what it computes is the same in
each: rows scaled into a ball, labels in their range.  A node that is met a second time over one
table is kept, for as long as the table lives and up to a size in all; what is kept are the values
that would be computed again, so results do not depend on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np

from metricdp.columns.arrays import DTYPES
from metricdp.columns.graphs import alike, told
from metricdp.columns.language import Node

#: Bytes of what is kept of one table.
_MOST: Final = 1 << 27
#: Different nodes that are remembered.
_MANY: Final = 100_000
_BYTES: Final = {"double": 8, "integer": 8, "boolean": 1}


class Returning:
    """Nodes that were met before over one table, and the values of some of them.

    Args:
        rows: stored rows of the table.
        columns: number of its stored columns; positions from there on stand for what is kept.
    """

    def __init__(self, rows: int, columns: int) -> None:
        self._rows, self._columns = rows, columns
        self._keys: dict[Any, int] = {}
        self._met: dict[int, int] = {}
        self._arrays: dict[int, Any] = {}
        self._round = 0

    def planned(self, nodes: Sequence[Node]) -> tuple[list[Node], dict[int, Node]]:
        """The same nodes over what is kept, and the nodes to be kept now, by their keys."""
        if len(self._keys) > _MANY:
            self._keys, self._met, self._arrays = {}, {}, {}
        self._round += 1
        keys = alike(nodes, self._keys, self._public)
        again = {k for k in keys.values() if self._met.get(k, self._round) < self._round}
        for key in keys.values():
            self._met[key] = self._round
        made: dict[int, Node] = {}
        wanted: dict[int, Node] = {}
        found = [self._over_kept(node, keys, again, made, wanted) for node in nodes]
        return found, self._chosen(wanted, set(keys.values()))

    def kept(self, position: int, start: int, stop: int) -> Any:
        """Values of some rows."""
        return self._arrays[position - self._columns][..., start:stop]

    def array(self, node: Node) -> Any:
        """An array for all values of a node, to be filled."""
        shape = (self._rows,) if node.width is None else (node.width, self._rows)
        return np.empty(shape, DTYPES[node.base])

    def keep(self, filled: Mapping[int, Any]) -> None:
        """Keep these arrays, by the keys of their nodes."""
        self._arrays.update(filled)

    def _public(self, node: Node) -> Any:
        # A function from outside is another one in every call.
        return len(self._keys) if node.operator == "called" else told(node.public)

    def _over_kept(
        self,
        node: Node,
        keys: dict[int, int],
        again: set[int],
        made: dict[int, Node],
        wanted: dict[int, Node],
    ) -> Node:
        key = keys[id(node)]
        if key in made:
            return made[key]
        if key in self._arrays:
            position = self._columns + key
            found = Node("stored", (), node.base, node.width, position, node.most)
        elif not node.arguments:
            found = node
            if key in again and node.operator == "stored" and node.width is not None:
                wanted[key] = found
        elif key in again and _fits(node):
            found = node
            wanted[key] = found
        else:
            given = tuple(self._over_kept(a, keys, again, made, wanted) for a in node.arguments)
            same = all(a is b for a, b in zip(given, node.arguments, strict=True))
            found = node
            if not same:
                found = Node(node.operator, given, node.base, node.width, node.public, node.most)
        made[key] = found
        return found

    def _chosen(self, wanted: dict[int, Node], used: set[int]) -> dict[int, Node]:
        """What there is room for, once what was not met for longest has gone."""
        chosen: dict[int, Node] = {}
        held = sum(array.nbytes for array in self._arrays.values())
        for key, node in wanted.items():
            size = _BYTES[node.base] * (node.width or 1) * self._rows
            idle = sorted(self._arrays.keys() - used, key=lambda k: self._met[k])
            while idle and held + size > _MOST:
                held -= self._arrays.pop(idle.pop(0)).nbytes
            if held + size <= _MOST:
                held += size
                chosen[key] = node
        return chosen


def _fits(node: Node) -> bool:
    """Whether its values have an array of 64 bits."""
    return node.base in _BYTES and (node.base != "integer" or node.most < 1 << 62)
