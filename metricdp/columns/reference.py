"""The columnar language on one row at a time, in plain Python: what every operator means.

A row's values are floats, unbounded integers, Booleans, texts, and lists of these for vectors.  The
operations and their order are those of `arrays`, which gives the same values bit for bit, but for
the sign of a zero: no operator tells 0.0 from -0.0.
"""

from __future__ import annotations

import math
import operator as plain
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from metricdp.columns.characters import result
from metricdp.columns.elementary import FUNCTIONS
from metricdp.columns.floats import finite
from metricdp.columns.graphs import in_order
from metricdp.columns.grids import Bound, GridRange
from metricdp.columns.language import OPERATORS, Node, nearest
from metricdp.errors import InternalError

#: A value of one row.
Value = Any
Meaning = Callable[..., Value]


class ReferencePlan:
    """The operations that some nodes need."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._nodes, place = in_order(nodes)
        self._given = [tuple(place[id(a)] for a in node.arguments) for node in self._nodes]
        self._results = [place[id(node)] for node in nodes]

    def run(self, cells: Callable[[int], Value]) -> list[Value]:
        """The values of the nodes in one row.

        Args:
            cells: position of a stored column -> its clean value in this row.
        """
        found: list[Value] = []
        for node, given in zip(self._nodes, self._given, strict=True):
            if node.operator == "stored":
                found.append(cells(node.public))
            else:
                found.append(value_of(node, *[found[i] for i in given]))
        return [found[i] for i in self._results]


def value_of(node: Node, *given: Value) -> Value:
    """The value of a node from the values of its arguments."""
    return meaning(node)(node, *given)


def meaning(node: Node) -> Meaning:
    """What the operator of a node makes of its values.

    Raises:
        InternalError: it is no operator of the language, or none of such values.
    """
    if node.operator not in OPERATORS:
        raise InternalError(f"{node.operator} is no operator of columns")
    base = node.arguments[0].base if node.arguments else ""
    work = MEANINGS.get((node.operator, base)) or MEANINGS.get((node.operator, ""))
    if work is None:
        raise InternalError(f"{node.operator} of {base} has no meaning")
    return work


def added(values: Iterable[Value], bound: Bound, width: int = 0) -> Any:
    """What rows add within a bound, in ticks: an integer, or for a ball a list of them."""
    if isinstance(bound, GridRange):
        return sum(map(bound.ticks, values))
    sums = [0] * width
    for row in values:
        sums = [total + tick for total, tick in zip(sums, bound.ticks(row), strict=True)]
    return sums


# -- one number, or every entry


def _each(f: Callable[..., Value]) -> Meaning:
    """A function of numbers, entry by entry where an argument is a vector."""

    def work(node: Node, *given: Value) -> Value:
        if node.width is None:
            return f(*given)
        columns = [x if isinstance(x, list) else [x] * node.width for x in given]
        return [f(*entries) for entries in zip(*columns, strict=True)]

    return work


def _clean(f: Callable[..., Value]) -> Meaning:
    """A function of doubles: infinite results as the largest double, what is no number as 0."""
    return _each(lambda *given: finite(f(*given)))


def _by(f: Callable[[Value, Value], Value], nothing: Value) -> Callable[[Value, Value], Value]:
    """A division: `nothing` where the divisor is 0."""
    return lambda x, y: f(x, y) if y else nothing


def _clamped(node: Node, x: Value) -> Value:
    low, high = node.public

    def clamp(x: Value) -> Value:
        if low is not None and x < low:
            return low
        return high if high is not None and x > high else x

    return _each(clamp)(node, x)


def _root(x: float) -> float:
    return math.sqrt(x) if x > 0 else 0.0


# -- vectors


def _summed(node: Node, x: list[Value]) -> Value:
    if not x:
        return 0 if node.base == "integer" else 0.0
    return sum(x) if node.base == "integer" else finite(_halved(x))


def _halved(x: list[float]) -> float:
    """The sum of doubles: one half is added to the other, entry by entry, until one is left.

    What is over when their number is odd goes to the first entry.
    """
    while len(x) > 1:
        half = len(x) // 2
        found = [a + b for a, b in zip(x[:half], x[half : 2 * half], strict=True)]
        if len(x) % 2:
            found[0] = found[0] + x[-1]
        x = found
    return x[0]


def _scaled_into(node: Node, x: list[float]) -> list[float]:
    norm, radius = node.public
    largest = max(map(abs, x), default=0.0)
    shape = largest if largest > 0 else 1.0
    relative = [entry / shape for entry in x]
    length = _halved([abs(v) if norm == "L1" else v * v for v in relative]) if x else 0.0
    length = math.sqrt(length) if norm == "L2" else length if norm == "L1" else 1.0
    if not length * shape > radius:
        return x
    share = radius / length
    return [min(max(entry * share, -radius), radius) for entry in relative]


def _text(node: Node, x: str) -> Value:
    return result(x, *node.public)


def _by_value(node: Node, *given: Value) -> Value:
    # Of one zero.
    return node.public(*(x + 0.0 if isinstance(x, float) else x for x in given))


#: Operator, and the kind of its first argument where its meaning depends on it -> meaning.
MEANINGS: Final[dict[tuple[str, str], Meaning]] = {
    ("constant", ""): lambda node: node.public if node.width is None else list(node.public),
    ("add", "double"): _clean(plain.add),
    ("sub", "double"): _clean(plain.sub),
    ("mul", "double"): _clean(plain.mul),
    ("div", "double"): _clean(_by(plain.truediv, 0.0)),
    ("floordiv", "double"): _clean(_by(plain.floordiv, 0.0)),
    ("mod", "double"): _clean(_by(plain.mod, 0.0)),
    ("add", "integer"): _each(plain.add),
    ("sub", "integer"): _each(plain.sub),
    ("mul", "integer"): _each(plain.mul),
    ("floordiv", "integer"): _each(_by(plain.floordiv, 0)),
    ("mod", "integer"): _each(_by(plain.mod, 0)),
    ("neg", ""): _each(plain.neg),
    ("abs", ""): _each(abs),
    ("min", ""): _each(min),
    ("max", ""): _each(max),
    ("clamp", ""): _clamped,
    ("double", ""): _each(nearest),
    ("floor", "double"): _each(math.floor),
    ("ceil", "double"): _each(math.ceil),
    ("trunc", "double"): _each(math.trunc),
    ("round", "double"): _each(round),
    ("lt", ""): _each(plain.lt),
    ("le", ""): _each(plain.le),
    ("eq", ""): _each(plain.eq),
    ("and", ""): _each(lambda x, y: x and y),
    ("or", ""): _each(lambda x, y: x or y),
    ("not", ""): _each(plain.not_),
    ("select", ""): _each(lambda test, x, y: x if test else y),
    ("sum", ""): _summed,
    ("entry", ""): lambda node, x: x[node.public],
    ("slice", ""): lambda node, x: [x[i] for i in range(*node.public)],
    ("stack", ""): lambda node, *items: list(items),
    ("concat", ""): lambda node, *parts: [entry for part in parts for entry in part],
    ("called", "double"): lambda node, x: node.public.row(x),
    ("outer", "double"): lambda node, x: [finite(a * b) for a in x for b in x],
    ("sorted", ""): lambda node, x: sorted(x),
    ("largest", ""): lambda node, x: max(x),
    ("smallest", ""): lambda node, x: min(x),
    ("scaled_into", ""): _scaled_into,
    ("sqrt", "double"): _each(_root),
    **{
        (name, "double"): _each(FUNCTIONS[name])
        for name in ("exp", "log", "sin", "cos", "tanh", "sigmoid", "softplus", "power")
    },
    ("text", "text"): _text,
    ("by_value", ""): _by_value,
    ("position", ""): lambda node, x: node.public.row(x),
    ("item", ""): lambda node, x: node.public[x],
}
