"""What is asked of the same rows again and again: values that come back are kept.

A loop that learns reads the same rows in every round, and much of what it computes is the same in
each: rows scaled into a ball, labels in their range.  A node that is met a second time over one
table is kept, for as long as the table lives and up to a size in all; where more rounds are to
come, so is one that no public value goes into when it is met first.  What is kept are the values
that would be computed again, so results do not depend on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from metricdp.columns.arrays import DTYPES
from metricdp.columns.graphs import alike, in_order, told
from metricdp.columns.language import Node

#: Bytes of what is kept of one table.
_MOST: Final = 1 << 27
#: Different nodes that are remembered.
_MANY: Final = 100_000
_BYTES: Final = {"double": 8, "integer": 8, "boolean": 1}


class Planned(NamedTuple):
    """What some nodes read of what is kept.

    Attributes:
        nodes: the same nodes over what is kept.
        fresh: the nodes to be kept now, by their keys.
        keys: the `id` of every node -> its key.
        made: key -> the node that is read in its place.
    """

    nodes: list[Node]
    fresh: dict[int, Node]
    keys: dict[int, int]
    made: dict[int, Node]


class Returning:
    """Nodes that were met before over one table, and the values of some of them.

    Args:
        rows: stored rows of the table.
        columns: number of its stored columns; positions from there on stand for what is kept.

    Attributes:
        version: another number whenever something else is kept.
    """

    def __init__(self, rows: int, columns: int) -> None:
        self._rows, self._columns = rows, columns
        self._keys: dict[Any, int] = {}
        self._met: dict[int, int] = {}
        self._arrays: dict[int, Any] = {}
        self._sizes: dict[tuple[int, str], float] = {}
        self._round = self.version = 0

    def planned(self, nodes: Sequence[Node], more: bool = False) -> Planned:
        """What nodes read that are met.

        Args:
            more: whether they are likely to be met again.
        """
        if len(self._keys) > _MANY:
            self._keys, self._met, self._arrays = {}, {}, {}
            self._changed()
        self._round += 1
        keys = alike(nodes, self._keys, self._public)
        again = {k for k in keys.values() if self._met.get(k, self._round) < self._round}
        if more:
            again |= {keys[id(node)] for node in _without_constants(nodes)}
        for key in keys.values():
            self._met[key] = self._round
        made: dict[int, Node] = {}
        wanted: dict[int, Node] = {}
        found = [self._over_kept(node, keys, again, made, wanted) for node in nodes]
        return Planned(found, self._chosen(wanted, set(keys.values())), keys, made)

    def met_again(self, keys: Sequence[int]) -> None:
        """What is kept under these keys is read in a round of its own."""
        self._round += 1
        for key in keys:
            self._met[key] = self._round

    def is_kept(self, node: Node) -> bool:
        """Whether a node stands for what is kept."""
        return node.operator == "stored" and node.public >= self._columns

    def largest(self, position: int, norm: str) -> float:
        """What the size of no row is larger than, before the rounding of its computation.

        Args:
            norm: L1 or L2 of vectors; "" of each of their entries.

        Returns:
            No number where an entry is none.
        """
        key = position - self._columns, norm
        if key not in self._sizes:
            self._sizes[key] = _largest(self._arrays[key[0]], norm)
        return self._sizes[key]

    def kept(self, position: int, start: int, stop: int) -> Any:
        """Values of some rows."""
        return self._arrays[position - self._columns][..., start:stop]

    def array(self, node: Node) -> Any:
        """An array for all values of a node, to be filled."""
        shape = (self._rows,) if node.width is None else (node.width, self._rows)
        return np.empty(shape, DTYPES[node.base])

    def keep(self, filled: Mapping[int, Any]) -> None:
        """Keep these arrays, by the keys of their nodes."""
        if filled:
            self._arrays.update(filled)
            self._changed()

    def _changed(self) -> None:
        self._sizes = {}
        self.version += 1

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
                self._changed()
            if held + size <= _MOST:
                held += size
                chosen[key] = node
        return chosen


def _largest(x: Any, norm: str) -> float:
    with np.errstate(all="ignore"):
        if norm == "L2":
            return float(np.sqrt(np.einsum("ij,ij->j", x, x).max(initial=0.0)))
        if norm == "L1":
            return float(np.abs(x).sum(axis=0).max(initial=0.0))
        return float(np.maximum(x.max(initial=0.0), -x.min(initial=0.0)))


def _without_constants(nodes: Sequence[Node]) -> list[Node]:
    """What depends on values of the row alone, of all that some nodes need."""
    found: dict[int, Node] = {}
    for node in in_order(nodes)[0]:
        of_row = node.operator not in ("constant", "called")
        if of_row and all(id(a) in found for a in node.arguments):
            found[id(node)] = node
    return list(found.values())


def _fits(node: Node) -> bool:
    """Whether its values have an array of 64 bits."""
    return node.base in _BYTES and (node.base != "integer" or node.most < 1 << 62)
