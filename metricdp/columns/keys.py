"""Which of some public keys every row has, found in arrays.

A row and a key are equal as the exact numbers and texts that they are: True equals 1, a double
equals the rational that it denotes, a number no text.  A key that stands twice belongs to its first
place; a row with none of the keys has the code behind the last one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import inf
from typing import Any, Final

import numpy as np

from metricdp.columns.language import Node, Untraceable, inner_doubles
from metricdp.columns.nullable import Nullable
from metricdp.columns.stored import all_within

#: Whole keys whose ends lie so far apart are found in a table with one entry per whole number.
_SPAN: Final = 1 << 16
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1

#: Values of the nodes in a piece of rows -> position of each row's key.
Codes = Callable[[Sequence[Any]], Any]


def code_type(count: int) -> Any:
    """The smallest integers that hold the codes of so many keys, and of none of them."""
    return np.uint8 if count < 1 << 8 else np.uint16 if count < 1 << 16 else np.int64


def finder(row: Any, keys: Sequence[Any]) -> tuple[tuple[Node, ...], Codes]:
    """What to read of a row, and how to find its key.

    Args:
        row: a node, or a tuple of nodes that is compared with keys that are tuples.

    Raises:
        Untraceable: rows of another kind.
    """
    rising = _rising(row, keys)
    if rising is not None:
        return rising
    parts, first = first_places(row, keys)
    if not isinstance(row, tuple):
        find = _single(row, first, len(keys))
        return (row,), lambda values: find(values[0])
    return parts, _joint(parts, first, len(keys))


def _rising(row: Any, keys: Sequence[Any]) -> tuple[tuple[Node, ...], Codes] | None:
    """`finder` of integers among many whole keys that rise and lie close together; None of others.

    There are often many such keys, and each call prepares them.
    """
    if not isinstance(row, Node) or row.base != "integer" or row.width is not None:
        return None
    if not keys or not {int}.issuperset(map(type, keys)):
        return None
    low, high, count = keys[0], keys[-1], len(keys)
    if not _LEAST < low <= high < _MOST or high - low >= _SPAN:
        return None
    try:
        points = np.fromiter(keys, np.int64, count)
    except OverflowError:
        return None
    if not (points[1:] > points[:-1]).all():
        return None
    look = _in_table(points, np.arange(count), count, row.range)
    places: dict[int, int] = {}

    def find(values: Sequence[Any]) -> Any:
        (column,) = values
        if column.dtype != object:
            return look(column)
        if not places:
            places.update(zip(keys, range(count), strict=True))
        return _of_objects(places, column, count)

    return (row,), find


def finder_by_reference(row: Any, keys: Sequence[Any]) -> tuple[tuple[Node, ...], Codes]:
    """As `finder`; every row is looked up by itself."""
    parts, first = first_places(row, keys)

    def find(values: Sequence[Any]) -> Any:
        cells = zip(*(value.tolist() for value in values), strict=True)
        keyed = (tuple(map(_known, cell)) for cell in cells)
        found = [first.get(key if isinstance(row, tuple) else key[0], len(keys)) for key in keyed]
        return np.array(found, np.int64)

    return parts, find


class KeyPlaces:
    """Which of some public keys a value is: the first equal one, their number where it is none.

    Args:
        node: the value.

    Attributes:
        first: key, as `told` has it -> its first place.
        count: how many keys.
    """

    __slots__ = ("_find", "count", "first")

    def __init__(self, node: Node, keys: Sequence[Any]) -> None:
        _, self.first = first_places(node, keys)
        self.count = len(keys)
        self._find = _single(node, self.first, self.count)

    def row(self, x: Any) -> int:
        """Of a value of Python."""
        return self.first.get(told(x), self.count)

    def rows(self, x: Any) -> Any:
        """Of an array, or of texts."""
        return self._find(x).astype(np.int64)


def position(node: Node, keys: Sequence[Any]) -> Node:
    """The position of a value of a row among public keys, and their number of what is none.

    Raises:
        Untraceable: a key that is none of a dictionary.
    """
    return _place(node, KeyPlaces(node, keys), len(keys))


def first_places(row: Any, keys: Sequence[Any]) -> tuple[tuple[Node, ...], dict[Any, int]]:
    """The nodes of a row, and the first place of every key that it may equal, as `told` has it.

    Raises:
        Untraceable: a row of another kind, or a key that is none of a dictionary.
    """
    parts = row if isinstance(row, tuple) else (row,)
    for part in parts:
        if not isinstance(part, Node) or part.width is not None:
            raise Untraceable("a key that is neither one value of a row nor some of them")
    first: dict[Any, int] = {}
    if not isinstance(row, tuple) and set(map(type, keys)) <= {int, str}:
        # The first of equal ones is put in last.
        return parts, dict(zip(reversed(keys), range(len(keys) - 1, -1, -1), strict=True))
    for place, key in enumerate(keys):
        known = _fields(key, len(parts)) if isinstance(row, tuple) else _known(key)
        if known is not None:
            first.setdefault(known, place)
    return tuple(parts), first


class Edges:
    """How many of some rising edges lie at or below a number.

    A number is at or above an edge when it is at or above the least number of its kind that is.

    Args:
        base: of the number: "double" or "integer".

    Attributes:
        least: for every edge the least number of that kind that is at or above it.
    """

    __slots__ = ("_edges", "_steps", "least")

    def __init__(self, base: str, edges: Sequence[Fraction]) -> None:
        self._edges = edges
        self.least: list[Any]
        if base == "double":
            ends = [inner_doubles(edge, None) for edge in edges]
            self.least = [inf if end is None else end[0] for end in ends]
            self._steps: Any = np.array(self.least)
        else:
            self.least = [-(-edge.numerator // edge.denominator) for edge in edges]
            held = [max(n, _LEAST) for n in self.least if n <= _MOST]
            self._steps = np.array(held, np.int64)

    def row(self, x: Any) -> int:
        """Of a number of Python."""
        return bisect_right(self._edges, x)

    def rows(self, x: Any) -> Any:
        """Of an array."""
        if x.dtype == object:
            return np.array([self.row(value) for value in x.tolist()], np.int64)
        return np.searchsorted(self._steps, x, side="right")


def bin_of(node: Any, edges: Sequence[Fraction]) -> Node:
    """How many of some rising edges lie at or below a number of a row.

    Raises:
        Untraceable: a value that is no single number.
    """
    if not isinstance(node, Node) or node.width is not None:
        raise Untraceable("rows that are no numbers")
    if node.base not in ("double", "integer"):
        raise Untraceable("rows that are no numbers")
    return _place(node, Edges(node.base, edges), len(edges))


def _place(node: Node, places: KeyPlaces | Edges, count: int) -> Node:
    made = Node("position", (node,), "integer", None, places, float(count))
    made.range = 0, count
    return made


def told(key: Any) -> Any:
    """A key as what is compared: equal ones are found in the same rows."""
    return tuple(map(told, key)) if isinstance(key, tuple) else _known(key)


def _known(key: Any) -> Any:
    """A text, or a number as a rational; None of what no row equals."""
    if hasattr(key, "item") and getattr(key, "ndim", 1) == 0:
        key = key.item()
    if type(key) in (int, str):
        return key
    if isinstance(key, str):
        return str(key)
    if isinstance(key, int | float | Fraction) and key - key == 0:
        return Fraction(key)
    if isinstance(key, Node | Nullable | list | dict | set):
        raise Untraceable("a key that is none of a dictionary")
    return None


def _fields(key: Any, count: int) -> tuple[Any, ...] | None:
    if not isinstance(key, tuple) or len(key) != count:
        return None
    known = tuple(map(_known, key))
    return None if any(field is None for field in known) else known


def _joint(parts: Sequence[Node], first: dict[Any, int], count: int) -> Codes:
    """The codes of all fields as digits of one number, which is looked up."""
    finders: list[Callable[[Any], Any]] = []
    places: list[dict[Any, int]] = []
    bases: list[int] = []
    for at, part in enumerate(parts):
        digits: dict[Any, int] = {}
        for key in first:
            digits.setdefault(key[at], len(digits))
        places.append(digits)
        bases.append(len(digits) + 1)
        finders.append(_single(part, digits, len(digits)))
    if _product(bases) > _MOST:
        raise Untraceable("keys of too many fields")
    numbers: dict[Any, int] = {}
    for key, place in first.items():
        number = 0
        for field, digits, base in zip(key, places, bases, strict=True):
            number = number * base + digits[field]
        numbers[number] = place
    look = _whole(numbers, count)

    def find(values: Sequence[Any]) -> Any:
        number: Any = 0
        for value, each, base in zip(values, finders, bases, strict=True):
            number = number * base + each(value).astype(np.int64)
        return look(number)

    return find


def _product(numbers: Sequence[int]) -> int:
    found = 1
    for number in numbers:
        found *= number
    return found


def _single(node: Node, first: dict[Any, int], count: int) -> Callable[[Any], Any]:
    if node.base == "text":
        texts = {key: place for key, place in first.items() if isinstance(key, str)}
        return lambda values: values.among(texts, count)
    numbers = first
    if str in set(map(type, first)):
        numbers = {key: place for key, place in first.items() if not isinstance(key, str)}
    if node.base == "boolean":
        table = np.array([numbers.get(Fraction(n), count) for n in (0, 1)], code_type(count))
        return lambda values: table[values.astype(np.int8)]
    if node.base == "integer":
        return _whole(numbers, count, node.range)
    return _doubles(numbers, count)


def _whole(
    numbers: dict[Any, int], count: int, ends: tuple[Any, Any] | None = None
) -> Callable[[Any], Any]:
    """Codes of integers, which lie between ends where these are known."""
    plain = set(map(type, numbers)) <= {int}
    wide = numbers if plain else {int(n): p for n, p in numbers.items() if n.denominator == 1}
    known = wide
    if wide and not _LEAST < min(wide) <= max(wide) < _MOST:
        known = {n: place for n, place in wide.items() if _LEAST < n < _MOST}
    look = _lookup(known, count, np.int64, ends)

    def find(values: Any) -> Any:
        return _of_objects(wide, values, count) if values.dtype == object else look(values)

    if known is wide:
        return find
    rest = [(n, place) for n, place in wide.items() if n not in known]

    def find_ends(values: Any) -> Any:
        found = find(values)
        for n, place in rest:
            if values.dtype != object and _LEAST <= n <= _MOST:
                found[values == n] = place
        return found

    return find_ends


def _of_objects(places: dict[int, int], values: Any, count: int) -> Any:
    """Codes of Python's integers."""
    found = [places.get(int(x), count) for x in values.tolist()]
    return np.array(found, code_type(count))


def _doubles(numbers: dict[Any, int], count: int) -> Callable[[Any], Any]:
    """Codes of doubles: of the keys, those that are doubles."""
    known: dict[float, int] = {}
    for n, place in numbers.items():
        near = _double(n)
        if near is not None:
            known[near] = place
    if known and all(x.is_integer() and abs(x) < 1 << 53 for x in known):
        whole = {int(x): place for x, place in known.items()}
        low, high = min(whole), max(whole)
        if high - low < _SPAN:
            look = _lookup(whole, count, np.int64)

            def find(values: Any) -> Any:
                near = np.clip(values, low - 1, high + 1).astype(np.int64)
                return np.where(near == values, look(near), code_type(count)(count))

            return find
    return _lookup(known, count, np.float64)


def _double(n: Any) -> float | None:
    try:
        near = float(n)
    except OverflowError:
        return None
    return near if Fraction(near) == n else None


def _lookup(
    known: dict[Any, int], count: int, dtype: Any, ends: tuple[Any, Any] | None = None
) -> Callable[[Any], Any]:
    """Codes of numbers of a type: by a table where whole keys lie close together, else sorted."""
    kind = code_type(count)
    if not known:
        return lambda values: np.full(len(values), count, kind)
    ordered = sorted(known)
    low, high = ordered[0], ordered[-1]
    if dtype is np.float64 or high - low >= _SPAN:
        points = np.array(ordered, dtype)
        places = np.array([known[key] for key in ordered] + [count], kind)

        def search(values: Any) -> Any:
            at = np.searchsorted(points, values)
            at[points[np.minimum(at, len(points) - 1)] != values] = len(points)
            return places[at]

        return search
    return _in_table(np.array([*known], np.int64), [*known.values()], count, ends)


def _in_table(
    points: Any, places: Any, count: int, ends: tuple[Any, Any] | None
) -> Callable[[Any], Any]:
    """Codes of whole numbers that lie close together: their places, by a table."""
    kind = code_type(count)
    low, high = int(points.min()), int(points.max())
    table = np.full(high - low + 3, count, kind)
    table[points - (low - 1)] = places
    plain = bool((table[1:-1] == np.arange(high - low + 1)).all())
    if plain and low == 0 and ends is not None and ends[0] >= 0 and ends[1] <= high:
        return lambda values: values

    def look(values: Any) -> Any:
        if not all_within(values, low, high):
            values = np.clip(values, low - 1, high + 1)
        elif plain:
            return values - low if low else values
        return table[values - (low - 1)]

    return look
