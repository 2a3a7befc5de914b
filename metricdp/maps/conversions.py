"""Readings of one measurement under other measures, at one delta, and as a profile.

Every measurement with an epsilon has a rho, epsilon tanh(epsilon / 2), and is (epsilon, 0); every
one has a (rho, delta); nothing turns a cost with a delta back into an epsilon or a rho without one.

Costs of one measure add up under adaptive composition, also when later queries are chosen by
earlier answers, and all but "approx_zcdp" when interactive ones are interleaved (Vadhan and Zhang
2022; Lyu 2022; for (rho, delta) no theorem is known, so interactive queries are refused there).
Epsilons at one delta each, read from the trees, compose at the sum of their deltas, for which the
accountant reads all trees together; that is never more than the sum of the epsilons, which is tried
as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from math import inf
from typing import Any

import msgspec

from metricdp.accounting.gaussian import composed_profile
from metricdp.accounting.rounded import ln_up, root_up, short_up
from metricdp.errors import MetricdpError, ParameterError
from metricdp.maps.costs import MEASURES, SOURCE, as_event, is_implied, names_of, order_of, view
from metricdp.maps.distances import After, DistanceMap, Number, typed
from metricdp.maps.measurement import Measurement
from metricdp.maps.profiles import PrivacyProfile
from metricdp.maps.steps import MapStep, Vouched
from metricdp.measures import events
from metricdp.measures.accountant import certified, unsampled
from metricdp.measures.accounted import AccountedStep
from metricdp.measures.events import Tree, movable, moved_by
from metricdp.measures.readings import APPROX_ZCDP
from metricdp.measures.steps import steps
from metricdp.spaces.records import adjacency

#: Beyond this rho an epsilon is not searched for to the last digit.
_LARGE = 2048
#: Attributes under which functions of maps hold others.
_INSIDE = ("inner", "outer", "given", "measurement", "function")


def cost_maps(measurement: Measurement, measure: str) -> tuple[DistanceMap, ...]:
    """One map per number of the measure.

    Raises:
        ParameterError: the measurement has no cost under the measure, or releases queries where
            interleaved ones are not known to add up.
    """
    if measure == APPROX_ZCDP and releases_queries(measurement.function):
        raise ParameterError(
            f"`{measurement.name}` answers queries, and no theorem adds the (rho, delta) of queries"
            " that are asked in turns with others",
            place=measurement.name,
            remedy='ask its queries directly, or count in "approx"',
        )
    if measure not in MEASURES:
        names_of(measure)
        if measurement.tree is not None:
            at = _AtOrder(measurement.tree, order_of(measure), _adjacency(measurement))
            return (DistanceMap(at),)
    elif is_implied(measurement.privacy, measure):
        return view(measurement.privacy, measure)
    known = ", ".join(measurement.privacy)
    raise ParameterError(
        f"`{measurement.name}` has no {measure} map",
        place=measurement.name,
        remedy=f"its measures are {known}",
    )


def releases_queries(function: Any) -> bool:
    """Whether a function returns an object that answers queries, by how it was put together."""
    if getattr(function, "interactive", False):
        return True
    inside = [getattr(function, name, None) for name in _INSIDE]
    inside += getattr(function, "parts", ())
    return any(releases_queries(each) for each in inside if each is not None)


def _adjacency(measurement: Measurement) -> Any:

    return adjacency(measurement.input_space)


class _AtOrder(msgspec.Struct, frozen=True):
    """The divergence of one order, of a tree at a distance; rounded up."""

    tree: Tree
    order: Fraction
    adjacency: Any

    def __call__(self, d_in: Number) -> Number:
        if d_in == inf:
            return inf

        total = Fraction(0)
        for step in unsampled(steps(self.tree, SOURCE, Fraction(d_in), {}), self.adjacency):
            largest = step.curve.largest
            if step.leak or (largest is not None and self.order > largest):
                return inf
            total += step.count * step.curve.divergence(self.order)[1]
        return total


def in_measure(measurement: Measurement, measure: str) -> Measurement:
    """The measurement with its cost under one measure: "approx" or "zcdp" of an epsilon,
    "approx_zcdp" of anything, or itself.

    The tree stays, so that later compositions are as tight as before.

    Raises:
        ParameterError: a measure that its costs do not imply.
    """
    if not is_implied(measurement.privacy, measure):
        raise ParameterError(
            f"`{measurement.name}` has no {measure} map, and none of "
            f"{', '.join(measurement.privacy)} implies one",
            place=measurement.name,
            remedy="add noise of another kind, or fix a delta",
        )
    maps = view(measurement.privacy, measure)
    return _replaced(measurement, {measure: maps}, f"read as {measure}", measurement.tree)


def profile_at(measurement: Measurement, d_in: int | float | Fraction) -> PrivacyProfile:
    """The privacy profile at a distance: from the tree where there is one, else from the costs.

    Raises:
        ParameterError: a distance that is negative or NaN.
    """
    distance = typed(d_in, "d_in")
    if not distance:
        return PrivacyProfile(steps=())
    tree = measurement.tree
    if tree is not None and distance != inf:
        taken = steps(tree, SOURCE, Fraction(distance), {})
        return PrivacyProfile(steps=taken, adjacency=adjacency(measurement.input_space))
    costs = {name: tuple(part(distance) for part in m) for name, m in measurement.privacy.items()}
    for name in ("pure", "zcdp", "approx", "approx_zcdp"):
        if name in costs:
            of = PrivacyProfile.of_rho if "zcdp" in name else PrivacyProfile.of_pair
            return of(*costs[name])
    raise ParameterError("no cost to read a profile from", place=measurement.name)


def profile_beside_delta(
    measurement: Measurement, d_in: int | float | Fraction
) -> tuple[PrivacyProfile, Number]:
    """Of a (rho, delta): the profile but for the open failure, and its probability.

    Raises:
        ParameterError: a distance that is negative or NaN, or a measurement without (rho, delta).
    """
    rho, delta = (part(d_in) for part in in_measure(measurement, APPROX_ZCDP).privacy[APPROX_ZCDP])
    distance = typed(d_in, "d_in")
    if measurement.tree is not None and distance and distance != inf:
        with suppress(ParameterError):
            taken = steps(measurement.tree, SOURCE, Fraction(distance), {})
            if all(step.whole for step in taken):
                sound = [msgspec.structs.replace(step, leak=Fraction(0)) for step in taken]
                return PrivacyProfile(steps=sound), delta
    return PrivacyProfile.of_rho(rho), delta


def fix_delta(measurement: Measurement, delta: int | float | Fraction) -> Measurement:
    """The (epsilon, delta) of a measurement at one delta; compositions of such are read together.

    Raises:
        ParameterError: delta outside (0, 1), or a measurement whose costs are no formulas.
    """
    share = typed(delta, "delta")
    if not 0 < share < 1:
        raise ParameterError(f"delta is {delta}", place="delta", remedy="choose 0 < delta < 1")

    tree = measurement.tree or as_event(measurement.name, measurement.privacy)
    if tree is None:
        raise ParameterError(
            f"the cost of `{measurement.name}` is a function, not a formula",
            place=measurement.name,
            remedy="read its profile: profile_at(measurement, d_in).epsilon(delta)",
        )
    maps = pair(tree, Fraction(share), adjacency(measurement.input_space))
    return _replaced(measurement, {"approx": maps}, f"at delta = {delta}", tree)


def _replaced(
    measurement: Measurement, privacy: dict[str, Any], reason: str, tree: Tree | None
) -> Measurement:
    last = MapStep(reason, None, None, costs={}, reason="another reading of the same releases")
    return Measurement(
        measurement.input_space,
        measurement.function,
        privacy,
        measurement.name,
        steps=Vouched((*measurement.steps, last)),
        enter=measurement.enter,
        tree=tree,
    )


def concentrated(taken: Sequence[AccountedStep]) -> Fraction | None:
    """The sum of rhos of steps without leaks or samples; None if one has none."""
    total = Fraction(0)
    for step in taken:
        rho = step.curve.zcdp_rho if step.whole and not step.leak else None
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

    def steps(self, d_in: Number) -> list[AccountedStep]:
        """What is spent at a finite distance."""

        return steps(self.tree, SOURCE, Fraction(d_in), {})

    def within(self, d_in: Number, epsilon: Number, delta: Number) -> bool:
        """Whether the epsilon at a distance is at most a budget; Gaussian noise without a search.

        For a search over the noise: one point of the profile in place of its inverse.
        """
        if epsilon == inf or not d_in or delta < self.delta:
            return delta >= self.delta or not d_in
        if d_in != inf and not isinstance(epsilon, float):
            taken = self.steps(d_in)
            rhos = [step.curve.gaussian_rho for step in taken]
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


class FixedDelta(msgspec.Struct, frozen=True):
    """A probability of failure: the same at every distance above 0."""

    value: Fraction

    def __call__(self, d_in: Number) -> Number:
        return self.value if d_in else Fraction(0)

    def after(self, inner: DistanceMap) -> FixedDelta:
        """The same after a stable map: never less than what is due."""
        return self


def pair(tree: events.Tree, delta: Fraction, adjacency: Any) -> tuple[DistanceMap, DistanceMap]:
    """The maps (epsilon, delta) of a tree at one delta."""
    return DistanceMap(AtDelta(tree, delta, adjacency)), DistanceMap(FixedDelta(delta))


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
    return DistanceMap(at), DistanceMap(FixedDelta(total))
