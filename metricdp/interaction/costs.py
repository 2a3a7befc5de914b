"""What a measurement costs under one measure, as maps of distances whose sums compose.

"pure", "zcdp" and "approx" are the maps of the measurement itself; "renyi:ALPHA" reads its tree:
the divergence of one fixed order.  Each of them adds up under adaptive composition, also when later
queries are chosen by earlier answers, and when interactive ones are interleaved (Vadhan and Zhang
2022; Lyu 2022).
"""

from __future__ import annotations

from collections.abc import Mapping
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

#: measure -> the names of its numbers, for messages.
NAMES: dict[str, tuple[str, ...]] = {
    "pure": ("epsilon",),
    "zcdp": ("rho",),
    "approx": ("epsilon", "delta"),
}
_RENYI = "renyi:"
__all__ = ["MEASURES", "NAMES", "cost_maps", "names_of", "shown_cost", "view"]


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
        remedy='write "pure", "zcdp", "approx", or "renyi:8" for one order',
    )


def cost_maps(measurement: Measurement, measure: str) -> tuple[DistanceMap, ...]:
    """One map per number of the measure.

    Raises:
        ParameterError: the measurement has no cost under the measure.
    """
    if measure not in NAMES:
        names_of(measure)
        if measurement.tree is not None:
            at = _AtOrder(measurement.tree, _order(measure), _adjacency(measurement))
            return (DistanceMap(at),)
    elif measure in measurement.privacy or "pure" in measurement.privacy:
        return view(measurement.privacy, measure)
    known = ", ".join(measurement.privacy)
    raise ParameterError(
        f"`{measurement.name}` has no {measure} map",
        place=measurement.name,
        remedy=f"its measures are {known}",
    )


def view(privacy: Mapping[str, tuple[DistanceMap, ...]], measure: str) -> tuple[DistanceMap, ...]:
    """The maps under a measure; an epsilon alone is read as (epsilon, 0) or epsilon tanh(e/2).

    Raises:
        KeyError: neither the measure nor an epsilon.
    """
    found = privacy.get(measure)
    if found is not None:
        return found
    (epsilon,) = privacy["pure"]
    if measure == "approx":
        return epsilon, DistanceMap(0)
    return (DistanceMap(pure_to_zcdp(D)).after(epsilon),)


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
