"""What several nodes need, in an order in which it can be made; and which nodes are alike."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from metricdp.columns.language import Node


def in_order(nodes: Sequence[Node]) -> tuple[list[Node], dict[int, int]]:
    """Everything that some nodes need, arguments first; and the place of each node by its `id`."""
    found: list[Node] = []
    place: dict[int, int] = {}
    for root in nodes:
        waiting = [root]
        while waiting:
            node, depth = waiting[-1], len(waiting)
            for argument in node.arguments:
                if id(argument) not in place:
                    waiting.append(argument)
            if len(waiting) > depth:
                continue
            waiting.pop()
            if id(node) not in place:
                place[id(node)] = len(found)
                found.append(node)
    return found, place


def told(public: Any) -> Any:
    """A public value beside its type: 1, 1.0 and True are told apart."""
    if isinstance(public, tuple):
        return tuple(map(told, public))
    return type(public), public


def alike(
    nodes: Sequence[Node], known: dict[Any, int], public: Callable[[Node], Hashable]
) -> dict[int, int]:
    """The `id` of every node that some need -> a number that nodes share which compute the same.

    Args:
        known: what was numbered before; what is new is added.
        public: what tells nodes of one operator apart, besides their arguments.

    Raises:
        TypeError: a public value that cannot be compared.
    """
    found: dict[int, int] = {}
    for node in in_order(nodes)[0]:
        given = tuple(found[id(a)] for a in node.arguments)
        what = node.operator, node.base, node.width, public(node), given
        found[id(node)] = known.setdefault(what, len(known))
    return found
