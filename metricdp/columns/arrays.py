"""The columnar language on NumPy arrays, a piece of some thousand rows at a time.

Only operations of which one entry's result depends on that entry are used: those that IEEE 754
rounds correctly, selections, integers, and functions built from them (`elementary`).  What goes
through the entries of one row goes entry by entry.  So a row gives the same bits wherever it
stands, and the same as in `reference`.  Vectors of a row are arrays of shape (width, rows).
"""

from __future__ import annotations

import operator as plain
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial
from math import copysign, isnan
from typing import Any, Final

import numpy as np

from metricdp.columns import blocks
from metricdp.columns.characters import result
from metricdp.columns.graphs import in_order
from metricdp.columns.grids import GridRange
from metricdp.columns.language import LARGEST, OPERATORS, Node, nearest
from metricdp.columns.reference import value_of
from metricdp.columns.stored import FIRST, LAST, Stored, integers_within
from metricdp.columns.texts import Texts
from metricdp.errors import InternalError

#: Rows of a piece: its arrays stay in the processor's cache.
CHUNK: Final = 1 << 14
#: Steps of a plan whose pieces are longer.
FEW: Final = 12
#: Rows that a function from outside takes at once.
BATCH: Final = 128
#: Numbers of a vector in all rows of a piece: pieces of wide rows are shorter, but not by as much
#: as they are wide, since what is called once for each of them costs as much as many entries.
_ENTRIES: Final = 1 << 18
#: What an array of 64-bit integers holds after one more sum.
_SAFE: Final = float(1 << 62)
#: Well within 32 bits.
_SHORT: Final = float(1 << 30)
#: Doubles that stand for integers exactly.
_EXACT: Final = 1 << 53

#: What a node holds -> the type of its array; texts are `Texts`.
DTYPES: Final = {"double": np.float64, "integer": np.int64, "boolean": np.bool_}
#: Values of all rows of a piece: an array of shape (rows,) or (width, rows), `Texts`, or one
#: Python value where all rows have the same.
Piece = Any
Step = tuple[Callable[..., Piece], tuple[int, ...], Node]
#: The position of a stored column, and a function of it and of rows.
Read = tuple[int, Callable[..., Piece]]


class Plan:
    """The operations that some nodes need, in an order in which they can be made.

    What is the same in every row is computed once, by the reference: the operations below see at
    least one array.

    Args:
        summed: the results are only added up, or compared, so the sign of a zero does not matter.
        raw: columns of doubles that are results, and nothing else, are left as they lie.

    Attributes:
        steps: the operations, each with the places of what it is given.
        results: the places of the nodes among the steps.
        over: for every step the places that no later one is given, and that are no results.
        reads: place of a step -> the column that it reads in place of an operation, and how.
        once: the places of columns of doubles that one step reads, once.
        again: whether more than one step reads some column.
        rows: rows of a piece; functions from outside are called on so many at least.
    """

    def __init__(self, nodes: Sequence[Node], summed: bool = False, raw: bool = False) -> None:
        ordered, place = in_order(nodes)
        self.steps: list[Step] = []
        public = self._same = dict[int, Any]()
        for at, node in enumerate(ordered):
            given = tuple(place[id(a)] for a in node.arguments)
            if node.operator != "stored" and all(i in public for i in given):
                public[at] = value_of(node, *[public[i] for i in given])
                self.steps.append((_same(node, public[at]), (), node))
            else:
                self.steps.append((_meaning(node), given, node))
        self.results = [place[id(node)] for node in nodes]
        last = {i: at for at, (_, given, _) in enumerate(self.steps) for i in given}
        kept = set(self.results)
        self.over = [
            [i for i in set(given) if last[i] == at and i not in kept]
            for at, (_, given, _) in enumerate(self.steps)
        ]
        self.steps = [
            (_summed_over, given, node) if work is _summed and self._is_own(at) else step
            for at, step in enumerate(self.steps)
            for work, given, node in [step]
        ]
        self.once = _read_once(self.steps, self.results)
        self.reads = _reads(self.steps, self.once, summed)
        for at in self.results if raw else ():
            node = self.steps[at][2]
            alone = self.results.count(at) == 1 and at not in last
            if node.operator == "stored" and node.base == "double" and not node.width and alone:
                self.reads[at] = node.public, Stored.raw
        read = [each[0] for each in self.reads.values() if each is not None]
        self.again = len({*read}) < len(read)
        widest = max((node.width or 1 for node in ordered), default=1)
        # Fewer arrays of more rows stay in the cache, too, and so do those of one byte per row.
        few = len(ordered) <= FEW and widest == 1
        most = 4 * CHUNK if few else 2 * CHUNK if widest > 1 else CHUNK
        if few and all(self._is_byte(at) for at in range(len(ordered))):
            most *= 2
        self.rows = max(1, min(most, _ENTRIES // max(widest, 1)))
        if any(node.operator == "called" for node in ordered):
            self.rows = max(BATCH, self.rows // BATCH * BATCH)

    def rows_of_sums(self, beside: int) -> int:
        """Rows of a piece of which nothing is left but sums: twice as many, where two arrays of
        doubles at most are held at one time.

        Args:
            beside: arrays that are made of the results.
        """
        if self.rows > 4 * CHUNK:
            return 2 * self.rows  # nothing but truth values
        if self.rows < 4 * CHUNK:
            return self.rows
        held = most = beside
        for at, over in enumerate(self.over):
            gone = sum(not self._is_byte(i) for i in over)
            held += not self._is_byte(at)
            # Arithmetic is written over what it is given.
            most = max(most, held - (gone > 0 and self.steps[at][0] in ONE_PASS))
            held -= gone
        return self.rows if most > 2 else 2 * self.rows

    def _is_own(self, at: int) -> bool:
        """Whether a step is given one new array, which no later one is given."""
        (given,) = self.steps[at][1]
        return given in self.over[at] and self.steps[given][2].operator in _FRESH

    def is_public(self, at: int) -> bool:
        """Whether a step gives the same value for every row."""
        return at in self._same

    def public(self, at: int) -> Any:
        """The value that such a step gives."""
        return self._same[at]

    def _is_byte(self, at: int) -> bool:
        """Whether a step makes no array, or one of truth values."""
        none = at in self._same or (at in self.reads and self.reads[at] is None)
        return none or self.steps[at][2].base == "boolean"

    def renewed(self, nodes: Iterable[tuple[int, Node]]) -> Plan:
        """The plan of nodes that differ from its own in the values of constants, which no step
        reads but those that compute with values of a row.

        Args:
            nodes: the places of steps, and their nodes.
        """
        made = object.__new__(Plan)
        steps = [*self.steps]
        made.__dict__.update(self.__dict__, steps=steps)
        for at, node in nodes:
            work, given, _ = steps[at]
            if node.operator == "constant":
                work = _same(node, node.public)
            steps[at] = work, given, node
        return made

    def free(self) -> list[bool]:
        """Which results are arrays of their own, that may be written on."""
        once = Counter(self.results)
        alone = (once[place] == 1 and place not in self._same for place in self.results)
        operators = (self.steps[place][2].operator for place in self.results)
        return [mine and name in _FRESH for mine, name in zip(alone, operators, strict=True)]

    def inside(self, at: int, low: Fraction, high: Fraction) -> bool:
        """Whether a result was moved into an interval as its column was read."""
        place = self.results[at]
        node = self.steps[place][2]
        ends = node.public if place in self.reads and node.operator == "clamp" else None
        return ends is not None and low <= ends[0] and ends[1] <= high

    def run(self, columns: Callable[..., Piece]) -> list[Piece]:
        """The values of the nodes.

        Args:
            columns: (position of a stored column, function of it and of rows) -> what that
                gives for this piece.
        """
        found: list[Piece] = []
        with np.errstate(all="ignore"):
            for at, (work, given, node) in enumerate(self.steps):
                if at in self.reads:
                    read = self.reads[at]
                    found.append(None if read is None else columns(*read))
                else:
                    found.append(work(node, *[found[i] for i in given]))
                for i in self.over[at]:
                    found[i] = None  # its memory is used again
        return [found[i] for i in self.results]


#: Operators whose doubles stand in new arrays.
_FRESH: Final = frozenset({"add", "sub", "mul", "clamp", "select", "min", "max"})


def _reads(steps: Sequence[Step], once: set[int], summed: bool) -> dict[int, Read | None]:
    """What steps read of stored columns; None of a column that others read in their steps.

    A clamp or a comparison of a column of doubles that nothing else reads is one pass over it.
    """
    # Of all operators only functions from outside tell 0.0 from -0.0.
    unseen = summed and not any(node.operator == "called" for _, _, node in steps)
    found: dict[int, Read | None] = {}
    for at, (_, given, node) in enumerate(steps):
        if node.operator == "stored":
            found[at] = node.public, Stored.piece
        for position, i in enumerate(given):
            read = _reading(node, position) if i in once else None
            if read is not None:
                found[at] = steps[i][2].public, partial(read, summed=True) if unseen else read
                found[i] = None
    return found


def _read_once(steps: Sequence[Step], results: Sequence[int]) -> set[int]:
    """Stored columns of doubles that one step reads, once."""
    stored = {i: node for i, (_, _, node) in enumerate(steps) if node.operator == "stored"}
    uses = [i for _, given, _ in steps for i in given] + list(results)
    readers = Counter(stored[i].public for i in uses if i in stored)
    inner = {i for _, given, _ in steps for i in given}
    return {
        i for i, node in stored.items()
        if i in inner and readers[node.public] == 1 and node.base == "double" and node.width is None
    }  # fmt: skip


def _reading(node: Node, at: int) -> Callable[..., Piece] | None:
    """A clamp, or the comparison with a public number, of the stored argument at a position."""
    if node.operator == "clamp" and None not in node.public:
        return partial(Stored.moved, ends=node.public)
    if node.operator in ("lt", "le"):
        other = node.arguments[1 - at]
        number = other.base in ("double", "integer") and other.width is None
        if other.operator == "constant" and number and abs(other.public) <= _EXACT:
            limit = float(other.public)
            return partial(Stored.compared, operator=node.operator, number=limit, flipped=at == 1)
    return None


def spread(value: Piece, rows: int) -> Any:
    """A value as an array with one entry per row, or one column per row."""
    if isinstance(value, np.ndarray):
        if value.ndim == 1 and len(value) == rows:
            return value
        shape = (*value.shape[:-1], rows)
        return value if value.shape == shape else np.broadcast_to(value, shape)
    if isinstance(value, Texts):
        return value
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


def _same(node: Node, value: Any) -> Callable[..., Piece]:
    """What gives one value in every piece."""
    piece = value if node.width is None else held([value], node)
    return lambda node: piece


def held(values: Sequence[Any], node: Node) -> Any:
    """Python's values of a node in some rows, as arrays hold them."""
    if node.base == "text":
        return Texts.of(values)
    if node.base == "integer":
        made = _narrow(np.array(values, object))
    else:
        made = np.array(values, np.float64 if node.base == "double" else np.bool_)
    return made if node.width is None else made.reshape(len(values), node.width).T


# -- doubles


def finite(node: Node, x: Any) -> Any:
    """Results that are infinite as the largest double, and what is no number as 0."""
    if node.most < 1e308:
        return x
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
        if name == "trunc" and node.most < _SAFE:  # a type of integers leaves the fraction out
            return (x.astype(np.int32) if node.most < _SHORT else x).astype(np.int64)
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
    return int(abs(x))


def _wide(x: Piece) -> Piece:
    """Python's integers, which NumPy makes no narrower ones of."""
    return x.astype(object) if isinstance(x, np.ndarray) else np.array(x, object)


def _narrow(x: Piece) -> Piece:
    """Python's integers in 64 bits again, where they fit."""
    if isinstance(x, np.ndarray) and x.dtype == object and _most(x) < 1 << 62:
        return x.astype(np.int64)
    return x


def _held_wide(x: Piece) -> bool:
    return bool(x.dtype == object if isinstance(x, np.ndarray) else abs(x) >= 1 << 62)


def _integer_pair(f: Any, size: Callable[[int, int], int]) -> Callable[..., Piece]:
    """Integers of 64 bits where the result has room in them, else Python's."""

    def work(node: Node, x: Piece, y: Piece) -> Piece:
        if node.most >= _SAFE or _held_wide(x) or _held_wide(y):
            x, y = _narrow(x), _narrow(y)
            if _held_wide(x) or _held_wide(y) or size(_most(x), _most(y)) >= 1 << 62:
                return f(_wide(x), _wide(y))
        return f(x, y)

    return work


def _by_integer(f: Any) -> Callable[..., Piece]:
    """Floor division, or its rest: 0 where the divisor is."""

    def work(node: Node, x: Piece, y: Piece) -> Piece:
        x, y = _narrow(x), _narrow(y)
        if _held_wide(x) or _held_wide(y) or _most(x) >= 1 << 62:
            x, y = _wide(x), _wide(y)
        none = np.equal(y, 0)
        return np.where(none, 0, f(x, np.where(none, 1, y)))

    return work


def _integer_one(f: Any) -> Callable[..., Piece]:
    def work(node: Node, x: Piece) -> Piece:
        safe = node.most < _SAFE or _most(x) < 1 << 62
        return f(x if safe else _wide(x))

    return work


def _double(node: Node, x: Piece) -> Piece:
    if x.dtype != object:
        return x.astype(np.float64)
    return np.array([nearest(v) for v in x.ravel().tolist()], np.float64).reshape(x.shape)


# -- conditions


def _comparison(f: Any) -> Callable[..., Piece]:
    def work(node: Node, x: Piece, y: Piece) -> Piece:
        left, right = (a.base for a in node.arguments)
        if left != right:
            x, y = _as_number(x, left), _as_number(y, right)
        if "double" not in (left, right):
            if left != "boolean" or right != "boolean":
                x, y = _beside(x, y), _beside(y, x)
        elif left != right:
            x, y = (v if b == "double" else _exactly(v) for v, b in ((x, left), (y, right)))
        return f(x, y)

    return work


def _as_number(x: Piece, base: str) -> Piece:
    if base != "boolean":
        return x
    return x.astype(np.int64) if isinstance(x, np.ndarray) else int(x)


def _beside(x: Piece, y: Piece) -> Piece:
    """Integers that are compared with others: NumPy has none that holds both kinds."""
    return _wide(x) if _held_wide(y) else x


def _exactly(x: Piece) -> Piece:
    """Integers that are compared with doubles: as equal ones, or as Python compares them."""
    if _most(x) > _EXACT:
        return _wide(x)
    return x.astype(np.float64) if isinstance(x, np.ndarray) else float(x)


def _same_texts(node: Node, x: Piece, y: Piece) -> Piece:
    return x.equal(y) if isinstance(x, Texts) else y.equal(x)


def _select(node: Node, test: Piece, x: Piece, y: Piece) -> Piece:
    if node.base == "text":
        rows = max(len(each) for each in (test, x, y) if isinstance(each, np.ndarray | Texts))
        if not isinstance(test, np.ndarray):
            return spread(x if test else y, rows)
        return Texts.chosen(test, spread(x, rows), spread(y, rows))
    if node.base == "integer" and (_held_wide(x) or _held_wide(y)):
        x, y = _wide(x), _wide(y)
    if node.base == "double" and node.width is None and isinstance(test, np.ndarray):
        return _number_of_two(test, x, y)
    return np.where(test, x, y)


def _number_of_two(test: Any, x: Piece, y: Piece) -> Any:
    """One of two doubles, row by row: by bits where one side is 0, or both are the same in all
    rows, since branches on data are guessed wrong."""
    arrays = isinstance(x, np.ndarray), isinstance(y, np.ndarray)
    if all(arrays):
        return np.where(test, x, y)
    if not any(arrays):
        return blocks.where(test, x, y)
    if not _is_nothing(x if arrays[1] else y):
        return np.where(test, x, y)
    kept = test.astype(np.int64)
    if arrays[0]:
        np.negative(kept, out=kept)  # all bits where the condition holds
        kept &= x.view(np.int64)
    else:
        kept -= 1
        kept &= y.view(np.int64)
    return kept.view(np.float64)


def _is_nothing(x: float) -> bool:
    """Whether a double is 0.0, of which no bit is set."""
    return x == 0 and copysign(1.0, x) > 0


def _clamped(node: Node, x: Piece) -> Piece:
    if node.base == "integer":
        return integers_within(x, *node.public)
    return np.clip(x, *node.public)


# -- vectors


def _summed_over(node: Node, x: Piece) -> Piece:
    """`_summed`, which writes on what it is given where these are doubles."""
    double = node.base == "double" and len(x)
    return finite(node, _halved(x, True)) if double else _summed(node, x)


def _summed(node: Node, x: Piece) -> Piece:
    whole = node.base == "integer"
    if not len(x):
        return np.zeros(x.shape[1:], np.int64 if whole else np.float64)
    if whole:
        found = x[0]
        for line in x[1:]:
            found = _ADDED(node, found, line)
        return found
    return finite(node, _halved(x))


def _halved(x: Any, fresh: bool = False) -> Any:
    """The sum of doubles: one half is added to the other, entry by entry, until one is left.

    What is over when their number is odd goes to the first entry.

    Args:
        fresh: x may be written on.
    """
    while len(x) > 1:
        half = len(x) // 2
        found = np.add(x[:half], x[half : 2 * half], out=x[:half] if fresh else None)
        if len(x) % 2:
            found[0] += x[-1]
        x, fresh = found, True
    return x[0] if fresh else x[0].copy()


_ADDED: Final = _integer_pair(plain.add, plain.add)


def _stacked(node: Node, *items: Piece) -> Piece:
    rows = max(len(x) for x in items if isinstance(x, np.ndarray))
    found = np.empty((len(items), rows))
    for line, item in zip(found, items, strict=True):
        line[:] = item
    return found


def _concatenated(node: Node, *parts: Piece) -> Piece:
    rows = max(x.shape[1] for x in parts)
    return np.concatenate([np.broadcast_to(x, (len(x), rows)) for x in parts])


#: Entries of a vector that are gone through in Python.
_NARROW: Final = 16


def _end(f: Any) -> Callable[..., Piece]:
    def work(node: Node, x: Piece) -> Piece:
        if len(x) > _NARROW:
            return f.reduce(x, axis=0)
        found = x[0]
        for line in x[1:]:
            found = f(found, line)
        return found

    return work


def _products(node: Node, x: Piece) -> Piece:
    found = (x[:, None, :] * x[None, :, :]).reshape(-1, x.shape[1])
    return finite(node, found)


def _scaled_into(node: Node, x: Piece) -> Piece:
    norm, radius = node.public
    if not len(x):
        return x
    unsure = np.flatnonzero(~_surely_shorter(x, norm, radius))
    if 2 * len(unsure) > x.shape[1]:
        return _scaled_where_longer(x, norm, radius)
    if not len(unsure):
        return x
    found = x.copy()
    found[:, unsure] = _scaled_where_longer(x[:, unsure], norm, radius)
    return found


def _surely_shorter(x: Any, norm: str, radius: float) -> Any:
    """Rows of which `_scaled_where_longer` finds no length above the radius, by a rough length.

    With u = 2**-53 and n entries, a sum of squares in any order is above 1 - (n + 1) u times that
    of the numbers, and the length found there below 1 + (n + 8) u times theirs: relative to the
    largest entry, which is 1, whatever is lost below the least doubles is nothing beside u.  Here
    that is so where the radius and its square are ordinary.
    """
    if norm != "L2" or not _SMALL_RADIUS < radius < _LARGE_RADIUS:
        return np.zeros(x.shape[1], np.bool_)
    return np.einsum("ij,ij->j", x, x) <= radius * radius * (1 - (len(x) + 16) * 2.0**-51)


#: Squares of radii between them, and of what is shorter, are far from the ends of the doubles.
_SMALL_RADIUS: Final = 2.0**-400
_LARGE_RADIUS: Final = 2.0**400


def _scaled_where_longer(x: Any, norm: str, radius: float) -> Any:
    """The rows, scaled down where the length that is found is above the radius."""
    largest = np.maximum(x.max(axis=0), -x.min(axis=0))
    shape = np.where(largest > 0, largest, 1.0)
    relative = x / shape
    length = _halved(np.abs(relative) if norm == "L1" else relative * relative)
    length = np.sqrt(length) if norm == "L2" else length if norm == "L1" else np.ones_like(shape)
    outside = length * shape > radius
    if not outside.any():
        return x
    relative *= radius / np.where(outside, length, 1.0)
    np.clip(relative, -radius, radius, out=relative)
    if not outside.all():
        np.copyto(relative, x, where=~outside)
    return relative


def _text(node: Node, x: Piece) -> Piece:
    name, given = key = node.public
    if node.base == "boolean":
        return x.marked(key, lambda each: result(each, name, given))
    if node.base == "text":
        return x.mapped(key, lambda each: result(each, name, given))
    found = x.once(
        ("numbers", key), lambda: held([result(v, name, given) for v in x.values] or [0], node)
    )
    return found[x.codes]


def _by_value(node: Node, *given: Piece) -> Piece:
    f, (x, *more) = node.public, given
    if isinstance(x, Texts) and not more:
        if node.base == "text":
            return x.mapped(f, f)
        # What is known by its identity has to live.
        _, found = x.once(("by value", f), lambda: (f, held(list(map(f, x.values)), node)))
        return found[x.codes]
    codes, different = _told_apart(x)
    cells = [(value,) for value in different]
    for each in more:
        places, others = _told_apart(each)
        pairs, codes = np.unique(codes * len(others) + places, return_inverse=True)
        ends = (divmod(pair, len(others)) for pair in pairs.tolist())
        cells = [(*cells[at], others[last]) for at, last in ends]
    made = [f(*values) for values in cells]
    return Texts(codes, made) if node.base == "text" else held(made, node)[codes]


def _told_apart(x: Piece) -> tuple[Any, Sequence[Any]]:
    """Positions in different values of Python, of every row or of all."""
    if isinstance(x, Texts):
        return x.codes.astype(np.int64), x.values or ("",)
    if not isinstance(x, np.ndarray):
        return np.int64(0), (x,)
    # -0.0 becomes 0, as in the reference.
    values, codes = np.unique(x + 0.0 if x.dtype.kind == "f" else x, return_inverse=True)
    return codes, values.tolist() or (0,)


def _item(node: Node, x: Piece) -> Piece:
    if node.base == "text":
        return Texts(x, node.public)
    return held(node.public, node)[x]


_MEANINGS: Final[dict[tuple[str, str], Callable[..., Piece]]] = {
    ("stored", ""): lambda node: None,  # it is read
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
    ("min", "double"): lambda node, x, y: np.minimum(x, y),
    ("max", "double"): lambda node, x, y: np.maximum(x, y),
    ("min", "integer"): _integer_pair(np.minimum, max),
    ("max", "integer"): _integer_pair(np.maximum, max),
    ("clamp", ""): _clamped,
    ("double", ""): _double,
    **{(name, "double"): _to_integer(name) for name in ("floor", "ceil", "trunc", "round")},
    ("lt", ""): _comparison(plain.lt),
    ("le", ""): _comparison(plain.le),
    ("eq", ""): _comparison(plain.eq),
    ("eq", "text"): _same_texts,
    ("and", ""): lambda node, x, y: np.logical_and(x, y),
    ("or", ""): lambda node, x, y: np.logical_or(x, y),
    ("not", ""): lambda node, x: np.logical_not(x),
    ("select", ""): _select,
    ("sum", ""): _summed,
    ("entry", ""): lambda node, x: x[node.public],
    ("slice", ""): lambda node, x: x[list(range(*node.public))],
    ("stack", ""): _stacked,
    ("concat", ""): _concatenated,
    ("outer", "double"): _products,
    ("called", "double"): lambda node, x: node.public.rows(x),
    ("sorted", ""): lambda node, x: np.sort(x, axis=0),
    ("largest", ""): _end(np.maximum),
    ("smallest", ""): _end(np.minimum),
    ("scaled_into", ""): _scaled_into,
    ("sqrt", "double"): lambda node, x: np.sqrt(np.maximum(x, 0.0)),
    **{
        (name, "double"): _function(name)
        for name in ("exp", "log", "sin", "cos", "tanh", "sigmoid", "softplus", "power")
    },
    ("text", "text"): _text,
    ("by_value", ""): _by_value,
    ("position", ""): lambda node, x: node.public.rows(x),
    ("item", ""): _item,
}

#: Operators on doubles that are one pass of NumPy, where nothing is to be cleaned.
ONE_PASS: Final[dict[Any, Any]] = {
    _MEANINGS[name, "double"]: ufunc
    for name, ufunc in (
        ("add", np.add), ("sub", np.subtract), ("mul", np.multiply), ("neg", np.negative),
        ("abs", np.absolute),
    )
}  # fmt: skip


# -- the bound, enforced

#: As long as the linear algebra of one thread goes.
_LENGTH: Final = 1 << 13


def range_ticks(x: Any, bound: GridRange) -> Any:
    """`GridRange.ticks` of doubles, Booleans or integers; what is no number counts as 0."""
    k, low, high = bound.exponent, bound.first, bound.last
    if x.dtype.kind in "bi" and k == 0 and high >= FIRST and low <= LAST:
        return np.clip(x.astype(np.int64), max(low, FIRST), min(high, LAST))
    if x.dtype == object or max(-low, high) > _EXACT or (x.dtype.kind in "bi" and not -63 < k < 0):
        return _narrow(np.array([bound.ticks(v) for v in finite_numbers(x).tolist()], object))
    if x.dtype.kind in "bi":
        near = np.clip(x.astype(np.int64), low >> -k, -(-high >> -k))
        return np.clip(near << -k, low, high)
    if max(-low, high) > 1 << 50 or not -1022 <= k <= 900:
        with np.errstate(all="ignore"):
            return np.clip(np.rint(np.ldexp(finite_numbers(x), -k)), low, high).astype(np.int64)
    # 1.5 * 2**(52 + k) plus any number of the range counts steps of 2**k in its last place.
    shift = np.ldexp(np.float64(1.5), 52 + k)
    moved = np.clip(x, np.ldexp(float(low), k), np.ldexp(float(high), k))
    with np.errstate(all="ignore"):
        np.add(moved, shift, out=moved)
    found = moved.view(np.int64)
    found -= int(shift.view(np.int64))
    if len(found) and (found.max() > high or found.min() < low):
        # What is no number passes `clip`, and is far outside as an integer.
        return np.array([bound.ticks(v) for v in finite_numbers(x).tolist()], np.int64)
    return found


def all_numbers(x: Any) -> bool:
    """Whether no entry of a vector is NaN: the quickest pass that every NaN shows in."""
    pieces = (x[at : at + _LENGTH] for at in range(0, len(x), _LENGTH))
    with np.errstate(all="ignore"):
        return not any(isnan(np.dot(piece, piece)) for piece in pieces)


def finite_numbers(x: Any) -> Any:
    """Doubles as operators leave them, whatever an operator may have left."""
    if x.dtype.kind != "f" or np.isfinite(x).all():
        return x
    return np.nan_to_num(x, nan=0.0, posinf=LARGEST, neginf=-LARGEST)
