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
from metricdp.measures.facts import gaussian_rho, zcdp_rho
from metricdp.measures.gdp import composed_profile
from metricdp.measures.movement import movable, moved_by
from metricdp.measures.rounded import ln_up, root_up, short_up
from metricdp.measures.step import Step

#: Beyond this rho an epsilon is not searched for to the last digit.
_LARGE = 2048


def concentrated(steps: Sequence[Step]) -> Fraction | None:
    """The sum of rhos of steps without leaks or samples; None if one has none."""
    total = Fraction(0)
    for step in steps:
        rho = zcdp_rho(step.curve) if step.whole and not step.leak else None
        if rho is None:
            return None
        total += step.count * rho
    return total


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

        found: Number
        try:
            taken = self.steps(d_in)
            rho = concentrated(taken)
            if rho is not None and rho > _LARGE:
                # No one will spend this; the accountant would search long for its last digits.
                return short_up(rho + 2 * root_up(rho * ln_up(1 / self.delta)))
            found = certified(taken, self.delta, self.adjacency).epsilon
        except MetricdpError:
            found = inf
        if self.parts:
            basic = sum((Fraction(part(d_in)) for part in self.parts), Fraction(0))
            return min(found, basic)
        return found

    def steps(self, d_in: Number) -> list[Step]:
        """What is spent at a finite distance."""
        from metricdp.measures.steps import steps

        return steps(self.tree, SOURCE, Fraction(d_in), {})

    def within(self, d_in: Number, epsilon: Number, delta: Number) -> bool:
        """Whether the epsilon at a distance is at most a budget; Gaussian noise without a search.

        For a search over the noise: one point of the profile in place of its inverse.
        """
        if epsilon == inf or not d_in or delta < self.delta:
            return delta >= self.delta or not d_in
        if d_in != inf and not isinstance(epsilon, float):
            taken = self.steps(d_in)
            rhos = [gaussian_rho(step.curve) for step in taken]
            if None not in rhos and all(step.whole for step in taken):
                leak = sum((step.count * step.leak for step in taken), Fraction(0))
                total = concentrated(taken)
                if not leak and total is not None and total <= _LARGE:
                    return composed_profile(epsilon, total) <= self.delta
        return self(d_in) <= epsilon

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
