"""What a measurement costs under one measure, as maps of distances whose sums compose.

"pure", "zcdp", "approx" and "approx_zcdp" are the maps of the measurement itself; "renyi:ALPHA"
reads its tree: the divergence of one fixed order.  Each of them adds up under adaptive composition,
also when later queries are chosen by earlier answers, and all but "approx_zcdp" when interactive
ones are interleaved (Vadhan and Zhang 2022; Lyu 2022; for (rho, delta) no theorem is known, so
interactive queries are refused there).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from math import inf
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.expr import D
from metricdp.maps import DistanceMap, Measurement
from metricdp.maps.distances import Number
from metricdp.maps.measurement import MEASURES, SOURCE
from metricdp.maps.steps import number
from metricdp.measures.events import Tree
from metricdp.measures.pure_rho import pure_to_zcdp
from metricdp.measures.readings import APPROX_ZCDP

#: measure -> the names of its numbers, for messages.
NAMES: dict[str, tuple[str, ...]] = {
    "pure": ("epsilon",),
    "zcdp": ("rho",),
    "approx": ("epsilon", "delta"),
    APPROX_ZCDP: ("rho", "delta"),
}
_RENYI = "renyi:"
#: Attributes under which functions of maps hold others.
_INSIDE = ("inner", "outer", "given", "measurement", "function")
__all__ = [
    "MEASURES", "NAMES", "cost_maps", "is_implied", "names_of", "require_stated", "shown_cost",
    "view",
]  # fmt: skip


def names_of(measure: str) -> tuple[str, ...]:
    """Names of the numbers of a measure.

    Raises:
        ParameterError: a measure whose costs do not add up, or an order that is not above 1.
    """
    found = NAMES.get(measure)
    if found is not None:
        return found
    if measure.startswith(_RENYI):
        order = _order(measure)
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
    if measure not in NAMES:
        raise ParameterError(
            f"no measurement states a cost in {measure}",
            place="measure",
            remedy=f"count the queries: Filter(Odometer(space, {measure!r}), d_in, d_out)",
        )


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
    if measure not in NAMES:
        names_of(measure)
        if measurement.tree is not None:
            at = _AtOrder(measurement.tree, _order(measure), _adjacency(measurement))
            return (DistanceMap(at),)
    elif is_implied(measurement.privacy, measure):
        return view(measurement.privacy, measure)
    known = ", ".join(measurement.privacy)
    raise ParameterError(
        f"`{measurement.name}` has no {measure} map",
        place=measurement.name,
        remedy=f"its measures are {known}",
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


def releases_queries(function: Any) -> bool:
    """Whether a function returns an object that answers queries, by how it was put together."""
    if getattr(function, "interactive", False):
        return True
    inside = [getattr(function, name, None) for name in _INSIDE]
    inside += getattr(function, "parts", ())
    return any(releases_queries(each) for each in inside if each is not None)


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


def _order(measure: str) -> Fraction:
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


def _adjacency(measurement: Measurement) -> Any:
    from metricdp.measures.sampling import adjacency

    return adjacency(measurement.input_space)


class _AtOrder(msgspec.Struct, frozen=True):
    """The divergence of one order, of a tree at a distance; rounded up."""

    tree: Tree
    order: Fraction
    adjacency: Any

    def __call__(self, d_in: Number) -> Number:
        if d_in == inf:
            return inf
        from metricdp.measures.accountant import unsampled
        from metricdp.measures.steps import steps

        total = Fraction(0)
        for step in unsampled(steps(self.tree, SOURCE, Fraction(d_in), {}), self.adjacency):
            largest = step.curve.largest
            if step.leak or (largest is not None and self.order > largest):
                return inf
            total += step.count * step.curve.divergence(self.order)[1]
        return total
