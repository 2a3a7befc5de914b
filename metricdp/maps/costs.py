"""Costs by measure: the maps of distances that a measurement states, and the measures themselves.

"pure", "approx", "zcdp" and "approx_zcdp" are stated by measurements; "renyi:ALPHA", the divergence
of one fixed order, is read from composition trees.  What adds up is said in `maps.conversions`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import Any

from metricdp.accounting.costs import pure_to_zcdp
from metricdp.errors import ParameterError
from metricdp.expr import D, Expr
from metricdp.families.family import Family
from metricdp.maps.distances import DistanceMap, Number
from metricdp.maps.fixed import kept
from metricdp.maps.steps import number
from metricdp.measures.events import Event, Spent, Tree, mentioned, with_source
from metricdp.measures.readings import APPROX_ZCDP, available, spent
from metricdp.record import MOVED

Privacy = Mapping[str, tuple[DistanceMap, ...]]

#: measure -> the names of its numbers; the first that a measurement has is read by default.
MEASURES: dict[str, tuple[str, ...]] = {
    "pure": ("epsilon",),
    "approx": ("epsilon", "delta"),
    "zcdp": ("rho",),
    APPROX_ZCDP: ("rho", "delta"),
}
#: The source of movement in the composition tree of a measurement.
SOURCE = "x"
_RENYI = "renyi:"


class Costs(Mapping[str, tuple[DistanceMap, ...]]):
    """Maps by measure that are worked out when they are asked for."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Mapping) and dict(self) == dict(other)

    __hash__ = None  # type: ignore[assignment]


class Readings(Costs):
    """The maps of a composition tree, each read when it is first asked for."""

    __slots__ = ("_known", "_measures", "_tree")

    def __init__(self, tree: Tree | None) -> None:
        self._tree = tree
        self._measures = [] if tree is None else available(tree)
        self._known: dict[str, tuple[DistanceMap, ...]] = {}

    def __getitem__(self, measure: str) -> tuple[DistanceMap, ...]:
        found = self._known.get(measure)
        if found is None:
            if self._tree is None or measure not in self._measures:
                raise KeyError(measure)
            found = self._known[measure] = maps_of(measure, spent(self._tree, measure, SOURCE, D))
        return found

    def get(self, measure: str, default: Any = None) -> Any:
        """The maps of a measure, or the default."""
        found = self._known.get(measure)
        if found is None and measure in self._measures:
            return self[measure]
        return default if found is None else found

    def __iter__(self) -> Iterator[str]:
        return iter(self._measures)

    def __len__(self) -> int:
        return len(self._measures)

    def __reduce__(self) -> tuple[Any, ...]:
        return Readings, (self._tree,)


def costs_of(privacy: Mapping[str, Any] | None, tree: Tree | None) -> Privacy:
    """The maps by measure: those of a tree where none are given."""
    if privacy is None:
        return Readings(tree)
    if isinstance(privacy, Costs):
        return privacy
    return kept({measure: maps_of(measure, each) for measure, each in privacy.items()})


def maps_of(measure: str, given: Any) -> tuple[DistanceMap, ...]:
    """The maps of one measure, as `Measurement` takes them.

    Raises:
        ParameterError: an unknown measure, or a wrong number of maps.
    """
    parts = given if isinstance(given, tuple) else (given,)
    if measure not in MEASURES or len(MEASURES[measure]) != len(parts):
        known = "pure (epsilon), zcdp (rho), approx (epsilon, delta), approx_zcdp (rho, delta)"
        raise ParameterError(
            f"{measure} with {len(parts)} maps", place="privacy", remedy=f"measures: {known}"
        )
    return tuple(p if isinstance(p, DistanceMap) else DistanceMap(p) for p in parts)


def shown_maps(parts: tuple[DistanceMap, ...]) -> str:
    """Maps of one measure in one line."""
    return ", ".join(map(str, parts))


def names_of(measure: str) -> tuple[str, ...]:
    """Names of the numbers of a measure.

    Raises:
        ParameterError: a measure whose costs do not add up, or an order that is not above 1.
    """
    found = MEASURES.get(measure)
    if found is not None:
        return found
    if measure.startswith(_RENYI):
        order = order_of(measure)
        return (f"D_{order}",)
    raise ParameterError(
        f"costs under {measure!r} do not add up",
        place="measure",
        remedy='write "pure", "zcdp", "approx", "approx_zcdp", or "renyi:8" for one order',
    )


def require_stated(measure: str) -> None:
    """Refuse a measure that adds up but that no measurement states: one Renyi order.

    Raises:
        ParameterError: see above.
    """
    if measure not in MEASURES:
        raise ParameterError(
            f"no measurement states a cost in {measure}",
            place="measure",
            remedy=f"count the queries: Filter(Odometer(space, {measure!r}), d_in, d_out)",
        )


def view(privacy: Mapping[str, tuple[DistanceMap, ...]], measure: str) -> tuple[DistanceMap, ...]:
    """The maps under a measure; an epsilon alone is read as (epsilon, 0) or epsilon tanh(e/2), and
    every cost has a (rho, delta) (`measures.readings`).

    Raises:
        KeyError: neither the measure nor one that implies it.
    """
    found = privacy.get(measure)
    if found is not None:
        return found
    if measure == APPROX_ZCDP and "zcdp" in privacy:
        return (*privacy["zcdp"], DistanceMap(0))
    if measure == APPROX_ZCDP and "pure" not in privacy:
        epsilon, delta = privacy["approx"]
        return DistanceMap(pure_to_zcdp(D)).after(epsilon), delta
    (epsilon,) = privacy["pure"]
    if measure == "approx":
        return epsilon, DistanceMap(0)
    rho = DistanceMap(pure_to_zcdp(D)).after(epsilon)
    return (rho,) if measure == "zcdp" else (rho, DistanceMap(0))


def is_implied(known: Collection[str], measure: str) -> bool:
    """Whether costs in some measures give one in another."""
    return measure in known or "pure" in known or (measure == APPROX_ZCDP and bool(known))


def shown_cost(measure: str, cost: tuple[Number, ...], down: bool = False) -> str:
    """A cost for people, rounded up: "epsilon 1/2, delta 0.000001"; rounded down for budgets."""
    parts = zip(names_of(measure), cost, strict=True)
    return ", ".join(f"{name} {_below(value) if down else number(value)}" for name, value in parts)


def _below(value: Number) -> str:
    if isinstance(value, float) or value.denominator <= 1000:
        return number(value)
    down = Context(prec=6, rounding=ROUND_FLOOR)
    return str(down.divide(Decimal(value.numerator), Decimal(value.denominator)))


def order_of(measure: str) -> Fraction:
    """The order of "renyi:ALPHA".

    Raises:
        ParameterError: it is no number above 1.
    """
    failed = ParameterError(
        f"{measure!r} names no order above 1", place="measure", remedy='write "renyi:8"'
    )
    try:
        order = Fraction(measure.removeprefix(_RENYI))
    except (ValueError, ZeroDivisionError):
        raise failed from None
    if order <= 1:
        raise failed
    return order


def as_event(name: str, costs: Mapping[str, tuple[DistanceMap, ...]]) -> Spent | None:
    """One event with these costs; None if one of them is no formula.

    Args:
        name: of the mechanism, none whose noise the accountant knows.
        costs: measure -> maps of the distance of the input.
    """
    privacy: dict[str, tuple[Expr, ...]] = {}
    for measure, maps in costs.items():
        found: list[Any] = [part.expr for part in maps]
        if None in found:
            return None
        privacy[measure] = tuple(part.subs({"d_in": MOVED}) for part in found)
    return Spent(Event(name, Family(name), "", {}, privacy), {SOURCE: D})


def renamed(tree: Tree, old: Any, new: str) -> tuple[Tree, str]:
    """The tree whose movements of `old` are movements of `new`, and the name that `new` got.

    It is made a fresh name where the tree has it already: samples of samples nest.
    """
    name, taken = new, mentioned(tree)
    while name in taken:
        name += "'"
    return with_source(tree, old, name), name
