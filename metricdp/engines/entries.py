"""Vectors of a row as single numbers: engines have columns of these, and none of vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any, Final

from metricdp.columns import language
from metricdp.columns.graphs import in_order
from metricdp.columns.language import LARGEST, Node, constant
from metricdp.engines import elementary
from metricdp.engines.dialect import NoForm

#: Entries that are put in order by comparing all pairs.
_SORTED: Final = 16
#: Operators of one value, that work on vectors entry by entry.
_EACH: Final = frozenset(
    """add sub mul div floordiv mod neg abs min max clamp double floor ceil trunc round lt le eq and
    or not select exp log sqrt sin cos tanh sigmoid softplus power""".split()
)
#: Operators of vectors alone, as a message calls them.
_NAMES: Final = {"called": "a function from outside"}


class EntryNodes:
    """Nodes without vectors, made of nodes that may have some."""

    def __init__(self) -> None:
        self._known: dict[int, Any] = {}
        self._held: list[Node] = []  # so that no `id` is used again

    def of(self, node: Node) -> Node | list[Node]:
        """A node that computes the same as one that is no vector; of a vector one for each entry.

        Raises:
            NoForm: an operation on vectors has none.
        """
        for each in in_order([node])[0]:
            if id(each) not in self._known:
                self._held.append(each)
                self._known[id(each)] = self._made(each)
        return self._known[id(node)]  # type: ignore[no-any-return]

    def _made(self, node: Node) -> Node | list[Node]:
        if node.operator == "constant":
            return node if node.width is None else [constant(x) for x in node.public]
        given = [self._known[id(a)] for a in node.arguments]
        if node.operator in _VECTORS:
            return _VECTORS[node.operator](node, *given)
        if node.width is None and not any(isinstance(each, list) for each in given):
            if node.operator in elementary.NAMES:
                return self._single(node, given)
            same = all(a is b for a, b in zip(given, node.arguments, strict=True))
            return node if same else _copied(node, given)
        if node.operator not in _EACH or node.width is None:
            raise NoForm(_NAMES.get(node.operator, f"`{node.operator}` of vectors"))
        return [
            self._single(node, [each[at] if isinstance(each, list) else each for each in given])
            for at in range(node.width)
        ]

    def _single(self, node: Node, given: Sequence[Node]) -> Node:
        if node.operator in elementary.NAMES:
            return elementary.made(node, *given)
        return _copied(node, given)


def _copied(node: Node, given: Sequence[Node]) -> Node:
    made = Node(node.operator, tuple(given), node.base, None, node.public, node.most)
    made.range = node.range
    return made


def _summed(node: Node, x: list[Node]) -> Node:
    if not x:
        return constant(0 if node.base == "integer" else 0.0)
    if node.base == "integer":
        return reduce(language.add, x)
    return Node("made_finite", (_halved(x),), "double", None, None, node.most)


def _halved(x: list[Node]) -> Node:
    """The sum of doubles, as the reference adds: infinite ones stay so until the end."""
    while len(x) > 1:
        half = len(x) // 2
        found = [_plus(a, b) for a, b in zip(x[:half], x[half : 2 * half], strict=True)]
        if len(x) % 2:
            found[0] = _plus(found[0], x[-1])
        x = found
    return x[0]


def _plus(a: Node, b: Node) -> Node:
    return Node("plain_add", (a, b), "double", None, None, a.most + b.most)


def _in_order(node: Node, x: list[Node]) -> list[Node]:
    if len(x) > _SORTED:
        raise NoForm(f"more than {_SORTED} entries in order")
    found = list(x)
    for stop in range(len(found) - 1, 0, -1):
        for at in range(stop):
            both = found[at], found[at + 1]
            found[at], found[at + 1] = _smaller(*both), _larger(*both)
    return found


def _larger(a: Node, b: Node) -> Node:
    found: Node = (language.either if a.base == "boolean" else language.maximum)(a, b)
    return found


def _smaller(a: Node, b: Node) -> Node:
    found: Node = (language.both if a.base == "boolean" else language.minimum)(a, b)
    return found


def _scaled_into(node: Node, x: list[Node]) -> list[Node]:
    norm, radius = node.public
    if not x:
        return x
    if not radius < LARGEST:
        raise NoForm("a ball without an end")
    largest = reduce(language.maximum, map(language.absolute, x))
    shape = language.select(language.gt(largest, 0.0), largest, 1.0)
    relative = [language.div(each, shape) for each in x]
    length: Any = constant(1.0)
    if norm == "L1":
        length = _halved([language.absolute(each) for each in relative])
    elif norm == "L2":
        length = language.sqrt(_halved([language.mul(each, each) for each in relative]))
    outside = language.gt(language.mul(length, shape), radius)
    share = language.div(radius, length)
    return [
        language.select(
            outside,
            language.minimum(language.maximum(language.mul(part, share), -radius), radius),
            each,
        )
        for part, each in zip(relative, x, strict=True)
    ]


_VECTORS: Final[dict[str, Callable[..., Node | list[Node]]]] = {
    "stack": lambda node, *items: list(items),
    "entry": lambda node, x: x[node.public],
    "slice": lambda node, x: [x[at] for at in range(*node.public)],
    "concat": lambda node, *parts: [each for part in parts for each in part],
    "sum": _summed,
    "outer": lambda node, x: [language.mul(a, b) for a in x for b in x],
    "largest": lambda node, x: reduce(_larger, x),
    "smallest": lambda node, x: reduce(_smaller, x),
    "sorted": _in_order,
    "scaled_into": _scaled_into,
}
