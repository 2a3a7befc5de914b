"""The columnar language on NumPy arrays, a piece of some thousand rows at a time.

Only operations of which one entry's result depends on that entry are used: those that IEEE 754
rounds correctly, selections, integers, and functions built from them (`elementary`).  What goes
through the entries of one row goes entry by entry.  So a row gives the same bits wherever it
stands, and the same as in `reference`.  Vectors of a row are arrays of shape (width, rows).
"""

from __future__ import annotations

import operator as plain
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import inf
from typing import Any, Final

import numpy as np

from metricdp.columns.grids import Ball, Range, into_ball
from metricdp.columns.language import LARGEST, OPERATORS, Node
from metricdp.columns.texts import Texts
from metricdp.errors import InternalError

#: Rows of a piece: its arrays stay in the processor's cache.
CHUNK: Final = 1 << 14
#: What an array of 64-bit integers holds after one more sum.
_SAFE: Final = float(1 << 62)
#: Doubles that stand for integers exactly.
_EXACT: Final = 1 << 53

#: Values of all rows of a piece: an array of shape (rows,) or (width, rows), `Texts`, or one
#: Python value where all rows have the same.
Piece = Any
Step = tuple[Callable[..., Piece], tuple[int, ...], Node]


class Plan:
    """The operations that some nodes need, in an order in which they can be made."""

    def __init__(self, nodes: Sequence[Node]) -> None:
        self._place: dict[int, int] = {}
        self._steps: list[Step] = []
        self._kept = list(nodes)  # what is known by its identity has to live
        self._results = [self._put(node) for node in nodes]

    def _put(self, root: Node) -> int:
        waiting = [root]
        while waiting:
            node = waiting[-1]
            missing = [a for a in node.arguments if id(a) not in self._place]
            if missing:
                waiting.extend(missing)
                continue
            waiting.pop()
            if id(node) not in self._place:
                given = tuple(self._place[id(a)] for a in node.arguments)
                self._place[id(node)] = len(self._steps)
                self._steps.append((_meaning(node), given, node))
        return self._place[id(root)]

    def run(self, columns: Callable[[int], Piece]) -> list[Piece]:
        """The values of the nodes.

        Args:
            columns: position of a stored column -> its values in this piece.
        """
        found: list[Piece] = []
        with np.errstate(all="ignore"):
            for work, given, node in self._steps:
                if node.operator == "stored":
                    found.append(columns(node.public))
                else:
                    found.append(work(node, *[found[i] for i in given]))
        return [found[i] for i in self._results]


def spread(value: Piece, rows: int) -> Any:
    """A value as an array with one entry per row, or one column per row."""
    if isinstance(value, Texts):
        return value
    if isinstance(value, np.ndarray):
        shape = (*value.shape[:-1], rows)
        return value if value.shape == shape else np.broadcast_to(value, shape)
    if isinstance(value, str):
        return Texts.constant(value, rows)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 1 << 63:
        return np.full(rows, value, object)
    return np.full(rows, value)


def _meaning(node: Node) -> Callable[..., Piece]:
    if node.operator not in OPERATORS:
        raise InternalError(f"{node.operator} is no operator of columns")
    work = _MEANINGS.get((node.operator, node.arguments[0].base if node.arguments else ""))
    work = work or _MEANINGS.get((node.operator, ""))
    if work is None:
        raise InternalError(f"{node.operator} of {node.arguments[0].base} has no array form")
    return work


def _constant(node: Node) -> Piece:
    if node.width is None:
        return node.public
    return np.array(node.public, np.float64).reshape(node.width, 1)


# -- doubles


def finite(node: Node, x: Any) -> Any:
    """Results that are infinite as the largest double, and what is no number as 0."""
    if node.most < 1e308:
        return x
    if not isinstance(x, np.ndarray):
        x = float(x)
        return 0.0 if x != x else min(max(x, -LARGEST), LARGEST)
    np.clip(x, -LARGEST, LARGEST, out=x)
    lost = x != x
    if lost.any():
        x[lost] = 0.0
    return x


def _double_pair(f: Callable[[Any, Any], Any]) -> Callable[..., Piece]:
    return lambda node, x, y: finite(node, f(x, y))


def _divided(node: Node, x: Piece, y: Piece) -> Piece:
    if not isinstance(y, np.ndarray):
        return finite(node, np.divide(x, y)) if y else np.zeros(np.shape(x))
    found = np.divide(x, y)
    found[np.broadcast_to(y == 0, found.shape)] = 0.0
    return finite(node, found)


def _double_whole(f: Any) -> Callable[..., Piece]:
    def work(node: Node, x: Piece, y: Piece) -> Piece:
        found = np.asarray(f(x, y))
        found = np.where(np.equal(y, 0), 0.0, found)
        return finite(node, found)

    return work


def _function(name: str) -> Callable[..., Piece]:
    def work(node: Node, *given: Piece) -> Piece:
        # Its tables are made when it is imported.
        from metricdp.columns.elementary import FUNCTIONS

        return FUNCTIONS[name].array(*(np.asarray(x, np.float64) for x in given))

    return work


def _to_integer(name: str) -> Callable[..., Piece]:
    rounding = {"floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "round": np.rint}[name]

    def work(node: Node, x: Piece) -> Piece:
        found = np.asarray(rounding(x))
        if node.most < _SAFE or not found.size or float(np.abs(found).max()) < _SAFE:
            return found.astype(np.int64)
        return _objects(found)

    return work


def _objects(x: Any) -> Any:
    """Whole doubles, or integers of an array, as Python's integers."""
    made = np.empty(x.shape, object)
    made.ravel()[:] = [int(v) for v in x.ravel().tolist()]
    return made


# -- integers


def _most(x: Piece) -> int:
    if isinstance(x, np.ndarray):
        return max(int(x.max(initial=0)), -int(x.min(initial=0)))
    return abs(int(x))


def _wide(x: Piece) -> Piece:
    return x.astype(object) if isinstance(x, np.ndarray) and x.dtype != object else x


def _narrow(x: Piece) -> Piece:
    """Python's integers in 64 bits again, where they fit."""
    if isinstance(x, np.ndarray) and x.dtype == object and _most(x) < 1 << 62:
        return x.astype(np.int64)
    return x


def _integer_pair(f: Any, size: Callable[[int, int], int]) -> Callable[..., Piece]:
    """Integers of 64 bits where the result has room in them, else Python's."""

    def work(node: Node, x: Piece, y: Piece) -> Piece:
        fits = node.most < _SAFE and not _held_wide(x) and not _held_wide(y)
        if fits or size(_most(x), _most(y)) < 1 << 62:
            return f(_narrow(x), _narrow(y))
        return f(_wide(x), _wide(y))

    return work


def _held_wide(x: Piece) -> bool:
    return bool(x.dtype == object if isinstance(x, np.ndarray) else abs(x) >= 1 << 62)


def _by_integer(f: Any) -> Callable[..., Piece]:
    """Floor division, or its rest: 0 where the divisor is."""

    def work(node: Node, x: Piece, y: Piece) -> Piece:
        x, y = _narrow(x), _narrow(y)
        wide = _held_wide(x) or _held_wide(y) or _most(x) >= 1 << 62
        x, y = (_wide(x), _wide(y)) if wide else (x, y)
        none = np.equal(y, 0)
        return np.where(none, 0, f(x, np.where(none, 1, y)))

    return work


def _integer_one(f: Any) -> Callable[..., Piece]:
    def work(node: Node, x: Piece) -> Piece:
        safe = node.most < _SAFE or _most(x) < 1 << 62
        return f(x if safe else _wide(x))

    return work


def _double(node: Node, x: Piece) -> Piece:
    if not isinstance(x, np.ndarray):
        return float(x)
    if x.dtype != object:
        return x.astype(np.float64)
    return np.array([_nearest(v) for v in x.ravel().tolist()], np.float64).reshape(x.shape)


def _nearest(value: int) -> float:
    try:
        return float(value)
    except OverflowError:
        return LARGEST if value > 0 else -LARGEST


# -- conditions


def _comparison(f: Any) -> Callable[..., Piece]:
    def work(node: Node, x: Piece, y: Piece) -> Piece:
        left, right = node.arguments
        if {left.base, right.base} == {"double", "integer"}:
            x, y = _alike(x, left), _alike(y, right)
        return f(x, y)

    return work


def _alike(x: Piece, node: Node) -> Piece:
    """An integer as a double that equals it, else everything as Python compares it."""
    if node.base == "double":
        return x
    if not isinstance(x, np.ndarray):
        return float(x) if abs(x) <= _EXACT else x
    if node.most <= _EXACT or _most(x) <= _EXACT:
        return x.astype(np.float64)
    return _wide(x)


def _same_texts(node: Node, x: Piece, y: Piece) -> Piece:
    if isinstance(x, Texts):
        return x.equal(y)
    return y.equal(x) if isinstance(y, Texts) else x == y


def _select(node: Node, test: Piece, x: Piece, y: Piece) -> Piece:
    if isinstance(x, Texts | str) or isinstance(y, Texts | str):
        if not isinstance(test, np.ndarray):
            return x if test else y
        return Texts.chosen(test, spread(x, len(test)), spread(y, len(test)))
    return np.where(test, x, y)


def _not(node: Node, x: Piece) -> Piece:
    return np.logical_not(x)


def _clamped(node: Node, x: Piece) -> Piece:
    low, high = node.public
    if isinstance(x, np.ndarray) and x.dtype != object and node.base == "integer":
        low = None if low is None else max(low, -(1 << 63))
        high = None if high is None else min(high, (1 << 63) - 1)
        if (low is not None and low >= 1 << 63) or (high is not None and high < -(1 << 63)):
            x = _wide(x)
    return np.clip(x, low, high)


# -- vectors


def _summed(node: Node, x: Piece) -> Piece:
    if not len(x):
        return 0.0
    found = x[0].copy()
    for line in x[1:]:
        found = found + line
    return finite(node, found)


def _stacked(node: Node, *items: Piece) -> Piece:
    rows = max((len(x) for x in items if isinstance(x, np.ndarray)), default=1)
    found = np.empty((len(items), rows))
    for line, item in zip(found, items, strict=True):
        line[:] = item
    return found


def _concatenated(node: Node, *parts: Piece) -> Piece:
    rows = max((x.shape[1] for x in parts), default=1)
    return np.concatenate([np.broadcast_to(x, (len(x), rows)) for x in parts])


def _end(f: Any) -> Callable[..., Piece]:
    def work(node: Node, x: Piece) -> Piece:
        found = x[0]
        for line in x[1:]:
            found = f(found, line)
        return found

    return work


def _scaled_into(node: Node, x: Piece) -> Piece:
    norm, radius = node.public
    largest = _end(np.maximum)(node, np.abs(x))
    shape = np.where(largest > 0, largest, 1.0)
    relative = x / shape
    length = _summed(_FREE, np.abs(relative) if norm == "L1" else relative * relative)
    length = (np.sqrt(length) if norm == "L2" else length if norm == "L1" else 1.0) * shape
    found = x * np.where(length > radius, radius / length, 1.0)
    return np.clip(found, -radius, radius)


#: Stands for a node whose results are finite.
_FREE: Final = Node("sum", (), "double", None, None, 0.0)


def _text(node: Node, x: Piece) -> Piece:
    name, given = node.public
    if isinstance(x, str):
        return getattr(x, name)(*given)
    return x.mapped(lambda each: getattr(each, name)(*given))


_MEANINGS: Final[dict[tuple[str, str], Callable[..., Piece]]] = {
    ("stored", ""): lambda node: None,
    ("constant", ""): _constant,
    ("add", "double"): _double_pair(plain.add),
    ("sub", "double"): _double_pair(plain.sub),
    ("mul", "double"): _double_pair(plain.mul),
    ("div", "double"): _divided,
    ("floordiv", "double"): _double_whole(np.floor_divide),
    ("mod", "double"): _double_whole(np.remainder),
    ("neg", "double"): lambda node, x: -x,
    ("abs", "double"): lambda node, x: abs(x),
    ("add", "integer"): _integer_pair(plain.add, plain.add),
    ("sub", "integer"): _integer_pair(plain.sub, plain.add),
    ("mul", "integer"): _integer_pair(plain.mul, plain.mul),
    ("floordiv", "integer"): _by_integer(plain.floordiv),
    ("mod", "integer"): _by_integer(plain.mod),
    ("neg", "integer"): _integer_one(plain.neg),
    ("abs", "integer"): _integer_one(abs),
    ("min", ""): lambda node, x, y: np.minimum(x, y),
    ("max", ""): lambda node, x, y: np.maximum(x, y),
    ("clamp", ""): _clamped,
    ("double", ""): _double,
    **{(name, "double"): _to_integer(name) for name in ("floor", "ceil", "trunc", "round")},
    ("lt", ""): _comparison(plain.lt),
    ("le", ""): _comparison(plain.le),
    ("eq", ""): _comparison(plain.eq),
    ("eq", "text"): _same_texts,
    ("and", ""): lambda node, x, y: np.logical_and(x, y),
    ("or", ""): lambda node, x, y: np.logical_or(x, y),
    ("not", ""): _not,
    ("select", ""): _select,
    ("sum", ""): _summed,
    ("entry", ""): lambda node, x: x[node.public],
    ("slice", ""): lambda node, x: x[slice(*node.public)],
    ("stack", ""): _stacked,
    ("concat", ""): _concatenated,
    ("largest", ""): _end(np.maximum),
    ("smallest", ""): _end(np.minimum),
    ("scaled_into", ""): _scaled_into,
    ("sqrt", "double"): lambda node, x: np.sqrt(np.maximum(x, 0.0)),
    **{
        (name, "double"): _function(name)
        for name in ("exp", "log", "sin", "cos", "tanh", "sigmoid", "softplus", "power")
    },
    ("text", ""): _text,
}


# -- the bound, enforced


def range_total(x: Any, bound: Range) -> int:
    """The sum of the ticks of some numbers, each moved into a range."""
    if x.dtype == object:
        return sum(map(bound.ticks, x.tolist()))
    found = range_ticks(x, bound)
    if max(-bound.first, bound.last) < 1 << 48:
        return int(found.sum())
    return (int((found >> 32).sum()) << 32) + int((found & 0xFFFFFFFF).sum())


def range_ticks(x: Any, bound: Range) -> Any:
    """`Range.ticks` of an array of doubles, Booleans or 64-bit integers."""
    if x.dtype == object:
        return np.array([bound.ticks(v) for v in x.tolist()], np.int64)
    if x.dtype.kind in "bi" and bound.exponent <= 0 and bound.exponent > -63:
        first, last = bound.first >> -bound.exponent, -(-bound.last >> -bound.exponent)
        near = np.clip(x.astype(np.int64), max(first, -(1 << 62)), min(last, 1 << 62))
        return np.clip(near << -bound.exponent, bound.first, bound.last)
    if x.dtype.kind in "bi":
        return np.array([bound.ticks(v) for v in x.tolist()], np.int64)
    k, low, high = bound.exponent, bound.first, bound.last
    if max(abs(low), abs(high)) > 1 << 50 or not -1022 <= k <= 900:
        scaled = np.rint(np.ldexp(x, -k))
        return np.clip(scaled, float(low), float(high)).astype(np.int64)
    # 1.5 * 2**(52 + k) plus any number of the range counts steps of 2**k in its last place.
    shift = np.ldexp(np.float64(1.5), 52 + k)
    moved = np.clip(x, np.ldexp(float(low), k), np.ldexp(float(high), k))
    np.add(moved, shift, out=moved)
    found = moved.view(np.int64)
    found -= int(shift.view(np.int64))
    return found


def ball_ticks(x: Any, ball: Ball) -> Any:
    """`Ball.ticks` of the columns of an array of doubles of shape (width, rows)."""
    bound = ball.entries
    cut = np.trunc(np.ldexp(x, -bound.exponent))
    found = np.clip(cut, float(bound.first), float(bound.last)).astype(np.int64)
    for norm, radius in ball.radii:
        if norm == "L1":
            outside = np.abs(found).sum(axis=0) > int(radius)
        else:
            size = found.astype(np.float64)
            square = (size * size).sum(axis=0)
            # Far inside for sure; the others are looked at exactly.
            outside = square * (1 + (len(x) + 4) * 2.0**-52) > _below(radius * radius)
        for at in np.flatnonzero(outside).tolist():
            found[:, at] = into_ball(found[:, at].tolist(), norm, radius)
    return found


def _below(x: Fraction) -> float:
    near = float(x)
    return near if Fraction(near) <= x else float(np.nextafter(near, -inf))
