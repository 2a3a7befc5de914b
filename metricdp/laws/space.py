"""Finite metric spaces with rational distances: where output laws live.

A space may remember its shape (a tree of edges, a cycle of arcs), which gives the earth mover's
distance a formula; the distances are the same with and without it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.laws.numbers import real, share
from metricdp.laws.outcomes import checked, in_order


class Tree(msgspec.Struct, frozen=True):
    """(child, parent, length) for every point but the root, children before their parents."""

    edges: tuple[tuple[int, int, Fraction], ...]


class Cycle(msgspec.Struct, frozen=True):
    """Length of the arc from point i to point i + 1, the last one back to point 0."""

    arcs: tuple[Fraction, ...]


class FiniteSpace(msgspec.Struct, frozen=True, dict=True, eq=False):
    """Points and their distances: `distances[i][j]` between `points[i]` and `points[j]`.

    Distances are rational, finite, positive between different points, symmetric, and satisfy the
    triangle inequality; ParameterError otherwise, naming the points.  Not checked again for spaces
    made by the constructors, whose distances are metrics by construction.
    """

    points: tuple[Hashable, ...]
    distances: tuple[tuple[Fraction, ...], ...]
    shape: Tree | Cycle | None = None

    def __post_init__(self) -> None:
        points = _points(self.points)
        if not points or len(set(points)) != len(points):
            raise ParameterError("must be at least one, and all different", place="points")
        if callable(self.distances):
            raise ParameterError(
                "a function is no table of distances",
                place="distances",
                remedy="write FiniteSpace.from_function(points, distance)",
            )
        table: Any = self.distances
        # An array of two axes has rows, and no labels to lose.
        rows_of = table if _plain_table(table) else in_order(table, "distances")
        rows = tuple(
            tuple(share(x, "distances") for x in in_order(row, "distances")) for row in rows_of
        )
        if len(rows) != len(points) or any(len(row) != len(points) for row in rows):
            raise ParameterError(
                f"needs {len(points)} rows of {len(points)} distances", place="distances"
            )
        msgspec.structs.force_setattr(self, "points", points)
        msgspec.structs.force_setattr(self, "distances", rows)
        if self.shape is None:
            _is_metric(points, self.scaled[1])

    @cached_property
    def index(self) -> Mapping[Hashable, int]:
        """Position of each point."""
        return {x: i for i, x in enumerate(self.points)}

    @cached_property
    def scaled(self) -> tuple[int, tuple[tuple[int, ...], ...]]:
        """The common denominator of the distances, and the distances times it."""
        unit = lcm(*(x.denominator for row in self.distances for x in row))
        return unit, tuple(tuple(int(x * unit) for x in row) for row in self.distances)

    @cached_property
    def diameter(self) -> Fraction:
        """The largest distance."""
        return max(max(row) for row in self.distances)

    @cached_property
    def radii(self) -> tuple[Fraction, ...]:
        """The distinct distances, increasing, from 0."""
        return tuple(sorted({x for row in self.distances for x in row}))

    def place(self, point: Hashable) -> int:
        """Position of a point; ParameterError for a point that is not in the space."""
        try:
            return self.index[point]
        except (KeyError, TypeError):
            raise ParameterError(f"{point!r} is no point of the space", place="space") from None

    def distance(self, x: Hashable, y: Hashable) -> Fraction:
        """Distance between two points; ParameterError for a point that is not in the space."""
        return self.distances[self.place(x)][self.place(y)]

    def __repr__(self) -> str:
        kind = type(self.shape).__name__.lower() if self.shape else "general"
        return f"<finite metric space, {kind}: {len(self.points)} points, diameter {self.diameter}>"

    @classmethod
    def from_function(
        cls, points: Iterable[Hashable], distance: Callable[[Any, Any], Any]
    ) -> FiniteSpace:
        """The distances that a function gives, asked in both orders and on the diagonal."""
        at = _points(points)
        if not callable(distance):
            raise ParameterError(
                f"a {type(distance).__name__} is no function",
                place="distance",
                remedy="write FiniteSpace(points, distances) for a table",
            )
        return cls(at, tuple(tuple(share(distance(x, y), "distance") for y in at) for x in at))

    @classmethod
    def discrete(cls, points: Iterable[Hashable]) -> FiniteSpace:
        """Distance 1 between different points."""
        at = _points(points)
        one, zero = Fraction(1), Fraction(0)
        return cls(at, tuple(tuple(zero if x == y else one for y in at) for x in at))

    @classmethod
    def line(cls, points: Iterable[Any]) -> FiniteSpace:
        """Different numbers under |x - y|; they are sorted."""
        given = _points(points)
        values = {x: real(x, "points") for x in given}
        at = tuple(sorted(values, key=values.__getitem__))
        where = [values[x] for x in at]
        if len(set(where)) != len(given):
            raise ParameterError("two of them are equal", place="points")
        edges = tuple((i, i - 1, where[i] - where[i - 1]) for i in range(len(at) - 1, 0, -1))
        rows = tuple(tuple(abs(x - y) for y in where) for x in where)
        return cls(at, rows, Tree(edges))

    @classmethod
    def cycle(cls, points: Iterable[Hashable], arcs: Sequence[Any] | None = None) -> FiniteSpace:
        """Points around a circle; `arcs[i]` > 0 from point i to the next, 1 each when not given."""
        at = _points(points)
        given = in_order(arcs, "arcs") if arcs is not None else (1,) * len(at)
        lengths = tuple(share(x, "arcs") for x in given)
        if len(at) < 2 or len(lengths) != len(at) or any(x <= 0 for x in lengths):
            raise ParameterError("needs a positive arc after each of two or more", place="points")
        where, whole = [sum(lengths[:i], Fraction(0)) for i in range(len(at))], sum(lengths)
        rows = tuple(tuple(min(abs(x - y), whole - abs(x - y)) for y in where) for x in where)
        return cls(at, rows, Cycle(lengths))

    @classmethod
    def tree(cls, edges: Iterable[tuple[Hashable, Hashable, Any]]) -> FiniteSpace:
        """Path lengths in a tree given by its edges (point, point, length > 0).

        Raises ParameterError for edges that have a cycle, or do not connect all points.
        """
        return _grown([(a, b, share(w, "edges")) for a, b, w in edges])


def _plain_table(given: Any) -> bool:
    return getattr(given, "ndim", 0) == 2 and not hasattr(given, "columns")


def _points(given: Any) -> tuple[Hashable, ...]:
    """ParameterError for what has no points, or one that cannot be hashed."""
    if not isinstance(given, Iterable):
        raise ParameterError(f"a {type(given).__name__} has none", place="points")
    return tuple(checked(point, "points") for point in given)


def _grown(edges: list[tuple[Hashable, Hashable, Fraction]]) -> FiniteSpace:
    near: dict[Hashable, list[tuple[Hashable, Fraction]]] = {}
    for a, b, length in edges:
        if length <= 0:
            raise ParameterError(f"the length {length} is not positive", place=f"edge {a!r}-{b!r}")
        near.setdefault(a, []).append((b, length))
        near.setdefault(b, []).append((a, length))
    if len(near) != len(edges) + 1:
        raise ParameterError(
            f"{len(near)} points and {len(edges)} edges make no tree",
            place="edges",
            remedy="give one edge less than there are points",
        )
    at: list[Hashable] = [next(iter(near))]
    index, links, rows = {at[0]: 0}, [], [[Fraction(0)]]
    for point in at:
        for other, length in near[point]:
            if other in index:
                continue
            parent, child = index[point], len(at)
            index[other] = child
            at.append(other)
            links.append((child, parent, length))
            to_others = [x + length for x in rows[parent]]
            for row, x in zip(rows, to_others, strict=True):
                row.append(x)
            rows.append([*to_others, Fraction(0)])
    if len(at) != len(near):
        raise ParameterError("some points are not connected to the others", place="edges")
    return FiniteSpace(tuple(at), tuple(map(tuple, rows)), Tree(tuple(reversed(links))))


def _is_metric(points: tuple[Hashable, ...], d: tuple[tuple[int, ...], ...]) -> None:
    """ParameterError that names the points of the first axiom that fails."""
    for i, x in enumerate(points):
        if d[i][i]:
            raise ParameterError(f"the distance of {x!r} to itself is not 0", place="distances")
        for j, y in enumerate(points[:i]):
            if d[i][j] != d[j][i]:
                fact = f"the distance of {x!r} and {y!r} depends on their order"
                raise ParameterError(fact, place="distances")
            if d[i][j] <= 0:
                fact = f"the distance of {x!r} and {y!r} is not positive"
                raise ParameterError(
                    fact, place="distances", remedy="make points at distance 0 one point"
                )
    for i, row in enumerate(d):
        for j, there in enumerate(row):
            for k, through in enumerate(d[j]):
                if row[k] > there + through:
                    raise ParameterError(
                        f"from {points[i]!r} to {points[k]!r} is farther than through "
                        f"{points[j]!r}: the triangle inequality fails",
                        place="distances",
                        remedy="take the lengths of shortest paths",
                    )
