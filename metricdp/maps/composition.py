"""Composition of measurements that are chosen beforehand: all of them run, their costs add.

Epsilons, (epsilon, delta) and (rho, delta) pairs and rhos add (Dwork and Roth 2014, Theorem 3.16;
Bun and Steinke 2016, Lemmas 1.7 and 8.2); the composition tree keeps every part, so the accountant
reads them together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec

from metricdp.errors import ParameterError, SpaceError
from metricdp.laws.mixture import ProductLaw
from metricdp.maps.chaining import law_at
from metricdp.maps.conversions import releases_queries, together
from metricdp.maps.costs import MEASURES, Costs, is_implied, view
from metricdp.maps.distances import DistanceMap
from metricdp.maps.functions import Leave
from metricdp.maps.measurement import Measurement
from metricdp.maps.steps import MapStep, Reliance, Vouched
from metricdp.maps.sums import SumMap
from metricdp.measures import events
from metricdp.measures.readings import APPROX_ZCDP
from metricdp.plain import refuse_read_once

REASON = "costs of measurements on the same data add up, whatever the answers were"


def compose(measurements: Sequence[Measurement]) -> Measurement:
    """All of the measurements on the same data: a list with one release each.

    The maps are sums, exact; building and reading them takes time linear in the number of parts.

    Args:
        measurements: on one input space, at least one; a measurement may appear several times.

    Raises:
        ParameterError: none, something that is no measurement, or no measure that all have.
        SpaceError: measurements on different spaces.
    """
    parts = tuple(measurements)
    space = common_space(parts, "compose")
    costs = Sums(parts)
    if not costs:
        known = "; ".join(f"{m.name}: {', '.join(m.privacy)}" for m in parts[:4])
        raise ParameterError(
            f"no measure in which all of them have a cost ({known})",
            place="compose",
            remedy="convert those with a rho alone: zcdp_to_approx and fix_delta",
        )
    # The trees of thousand parts are many objects; most readers ask for the sums alone.
    trees = tuple(part.tree for part in parts)
    there = [tree for tree in trees if tree is not None]
    tree = events.Sequence(tuple(there)) if len(there) == len(trees) else None
    # Data enter once: rules read exact values, and functions by hand what leaves again.
    enter = next((part.enter for part in parts if part.enter is not None), None)
    functions = tuple(
        part.function if part.enter is not None or enter is None else Left(part.function, space)
        for part in parts
    )
    name = parts[0].name if len(parts) == 1 else f"composition of {len(parts)}"
    step = MapStep(name, space, None, costs=costs, reason=REASON, rests_on=_reliance(parts))
    return Measurement(
        space,
        All(functions),
        costs,
        name,
        steps=Vouched((step,)),
        enter=enter,
        tree=tree,
    )


def common_space(parts: Sequence[Any], place: str) -> Any:
    """The one input space of some measurements.

    Raises:
        ParameterError: no measurements.
        SpaceError: several spaces.
    """
    if not parts:
        raise ParameterError("nothing to compose", place=place, remedy="give measurements")
    for part in parts:
        if not isinstance(part, Measurement):
            raise ParameterError(
                f"{type(part).__name__} is no measurement", place=place,
                remedy="chain it with a measurement first",
            )  # fmt: skip
    space = parts[0].input_space
    for part in parts:
        if part.input_space is not space and part.input_space != space:
            raise SpaceError(
                f"{parts[0].name} takes {space.describe()}, and "
                f"{part.name} takes {part.input_space.describe()}",
                place=place,
                remedy="build all of them on one domain and metric",
            )
    return space


def _reliance(parts: Sequence[Measurement]) -> tuple[Reliance, ...]:
    lists = {id(step.rests_on): step.rests_on for part in parts for step in part.steps}
    return tuple(dict.fromkeys(each for found in lists.values() for each in found))


class Left(msgspec.Struct, frozen=True):
    """A function of plain values, on reference values of a space."""

    given: Callable[[Any], Any]
    space: Any

    def __call__(self, value: Any) -> Any:
        return self.given(Leave(self.space)(value))

    def law(self, value: Any) -> Any:
        """The law of the function at the plain value."""
        return law_at(self.given, Leave(self.space)(value))


class All:
    """Functions of one argument: the list of their values."""

    __slots__ = ("parts",)

    def __init__(self, parts: tuple[Callable[[Any], Any], ...]) -> None:
        self.parts = parts

    def __call__(self, value: Any) -> list[Any]:
        if len(self.parts) > 1:
            refuse_read_once(value, "a composition")
        return [part(value) for part in self.parts]

    def law(self, value: Any) -> Any:
        """The joint law: no part sees what another released, so they are independent."""
        refuse_read_once(value, "a composition")
        return ProductLaw(tuple(law_at(part, value) for part in self.parts))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, All) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(self.parts)

    def __reduce__(self) -> tuple[Any, ...]:
        return All, (self.parts,)


class Sums(Costs):
    """Costs of parts, added up when a measure is first asked for."""

    __slots__ = ("_known", "_measures", "_parts")

    def __init__(self, parts: tuple[Measurement, ...]) -> None:
        self._parts = parts
        self._known: dict[str, tuple[DistanceMap, ...]] = {}
        offers = {frozenset(part.privacy) for part in parts}
        found = [m for m in MEASURES if all(is_implied(offered, m) for offered in offers)]
        # (rho, delta) where nothing better adds up, and some part is stated in it.
        stated = "zcdp" not in found and any(APPROX_ZCDP in offered for offered in offers)
        # Queries of several parts could be asked in turns, which has no theorem there.
        stated = stated and not any(releases_queries(part.function) for part in parts)
        self._measures = [m for m in found if m != APPROX_ZCDP or stated]

    def __getitem__(self, measure: str) -> tuple[DistanceMap, ...]:
        if measure not in self._measures:
            raise KeyError(measure)
        if measure not in self._known:
            parts = [part.privacy for part in self._parts]
            costs = [known.get(measure) or view(known, measure) for known in parts]
            joint = together(costs) if measure == "approx" else None
            self._known[measure] = joint or tuple(map(SumMap, zip(*costs, strict=True)))
        return self._known[measure]

    def __iter__(self) -> Iterator[str]:
        return iter(self._measures)

    def __len__(self) -> int:
        return len(self._measures)

    def __reduce__(self) -> tuple[Any, ...]:
        return Sums, (self._parts,)
