"""A guarantee at one delta, read from the composition tree: (epsilon(delta), delta).

Several of them compose at the sum of their deltas, for which the accountant reads all trees
together; that is never more than the sum of the epsilons, which is tried as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import Any

import msgspec

from metricdp.errors import MetricdpError
from metricdp.maps import DistanceMap
from metricdp.maps.distances import After, Number
from metricdp.maps.measurement import SOURCE
from metricdp.measures import events
from metricdp.measures.movement import movable, moved_by


class AtDelta(msgspec.Struct, frozen=True):
    """epsilon of a tree at a delta, as a map of distances.

    Attributes:
        tree: over the source of a measurement.
        delta: in (0, 1).
        adjacency: what one unit of distance is, where rows are sampled.
        parts: epsilons whose sum holds at the same delta.
    """

    tree: events.Tree
    delta: Fraction
    adjacency: Any = None
    parts: tuple[AtDelta, ...] = ()

    def __call__(self, d_in: Number) -> Number:
        if not d_in:
            return Fraction(0)
        if d_in == inf:
            return inf
        from metricdp.measures.accountant import certified
        from metricdp.measures.steps import steps

        found: Number
        try:
            taken = steps(self.tree, SOURCE, Fraction(d_in), {})
            found = certified(taken, self.delta, self.adjacency).epsilon
        except MetricdpError:
            found = inf
        if self.parts:
            basic = sum((Fraction(part(d_in)) for part in self.parts), Fraction(0))
            return min(found, basic)
        return found

    def after(self, inner: DistanceMap) -> Any:
        """The same after a stable map."""
        if inner.expr is None or not movable(self.tree, inner.expr):
            return After(DistanceMap(self), inner)
        parts = tuple(part.after(inner) for part in self.parts)
        return AtDelta(moved_by(self.tree, inner.expr), self.delta, self.adjacency, parts)


class Constant(msgspec.Struct, frozen=True):
    """A probability of failure: the same at every distance above 0."""

    value: Fraction

    def __call__(self, d_in: Number) -> Number:
        return self.value if d_in else Fraction(0)

    def after(self, inner: DistanceMap) -> Constant:
        """The same after a stable map: never less than what is due."""
        return self


def pair(tree: events.Tree, delta: Fraction, adjacency: Any) -> tuple[DistanceMap, DistanceMap]:
    """The maps (epsilon, delta) of a tree at one delta."""
    return DistanceMap(AtDelta(tree, delta, adjacency)), DistanceMap(Constant(delta))


def together(costs: Sequence[tuple[DistanceMap, ...]]) -> tuple[DistanceMap, ...] | None:
    """The maps of several pairs at the sum of their deltas; None if one is no such pair."""
    parts = [cost[0].function for cost in costs]
    found = [part for part in parts if isinstance(part, AtDelta)]
    if len(found) != len(costs):
        return None
    total = sum((part.delta for part in found), Fraction(0))
    if total >= 1:
        return None
    tree = events.Sequence(tuple(part.tree for part in found))
    at = AtDelta(tree, total, found[0].adjacency, tuple(found))
    return DistanceMap(at), DistanceMap(Constant(total))
