"""Fully adaptive composition: neither the measurements nor their costs are fixed beforehand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from metricdp.errors import MetricdpError, SpaceError
from metricdp.interaction.adaptive import RULE
from metricdp.interaction.budget import Budget
from metricdp.interaction.costs import names_of, require_stated
from metricdp.interaction.odometer import Odometer
from metricdp.interaction.queryable import OdometerQueries, Spawn, entering, leaving, limited
from metricdp.maps import DistanceMap, Measurement, Step, Transformation
from metricdp.maps.distances import bare, typed
from metricdp.maps.fixed import Vouched
from metricdp.spaces import Space
from metricdp.spaces.joining import fits, joined_by


class FullyAdaptive:
    """Starts odometers: a call on data returns queries with a running `privacy_loss`.

    Args:
        space: of every query.
        measure: "pure", "zcdp", "approx", "approx_zcdp" or "renyi:ALPHA": what adds up.
        first: a transformation that the data go through once, when the queries are opened.

    Raises:
        ParameterError: a measure that is not additive.
        SpaceError: `first` returns something else than `space`.
    """

    __slots__ = ("first", "measure", "space")

    def __init__(self, space: Space, measure: str, first: Transformation | None = None) -> None:
        names_of(measure)
        self.space, self.measure, self.first = space, measure, first
        if first is not None and not fits(first.output_space, space):
            raise SpaceError(
                f"{first.name} returns {first.output_space.describe()}, and the odometer takes "
                f"{space.describe()}",
                place=f"{first.name} >> odometer",
                remedy=joined_by(first.output_space, space),
            )

    @property
    def input_space(self) -> Space:
        """Space of the data."""
        return self.space if self.first is None else self.first.input_space

    def __call__(self, data: Any) -> OdometerQueries:
        """Queries about the data, without an end."""
        stability = DistanceMap(1) if self.first is None else self.first.stability
        odometer = Odometer(self.space, self.measure)
        failed: MetricdpError
        enter, leave = entering(self.space), leaving(self.space)
        try:
            if self.first is not None:
                data = self.first.exactly(data)
            if enter is not None and (self.first is None or self.first.leave is None):
                data = enter(data)
            return OdometerQueries(data, odometer, stability, odometer.record, leave)
        except MetricdpError as error:
            failed = bare(error)
        data = None
        raise failed from None

    invoke = __call__

    def __rrshift__(self, first: Transformation) -> FullyAdaptive:
        """The chain "a transformation, then the odometer"."""
        if not isinstance(first, Transformation):
            return NotImplemented
        chain = first if self.first is None else first >> self.first
        return FullyAdaptive(self.space, self.measure, chain)

    def filtered(self, d_in: int | float | Fraction, d_out: Any) -> Measurement:
        """The measurement that answers queries as long as they cost at most `d_out` at `d_in`.

        Its privacy map is `d_out` up to `d_in`, whatever is asked: a filter.

        Raises:
            ParameterError: amounts that are none of the measure, or a measure "renyi:ALPHA", in
                which no measurement states a cost.
        """
        require_stated(self.measure)
        budget = Budget.of(self.measure, d_out)
        stability = DistanceMap(1) if self.first is None else self.first.stability
        distance = stability(typed(d_in, "d_in"))
        maps = limited(distance, budget.amounts)
        name = "privacy filter"
        reason = "a query runs only while the sum of all declared costs stays within the budget"
        step = Step(
            name, self.space, None, costs={self.measure: maps}, reason=reason, rests_on=RULE
        )
        function = Spawn((self.space, self.measure), distance, budget, stability)
        kept = Measurement(
            self.space, function, {self.measure: maps}, name, steps=Vouched((step,)),
            enter=entering(self.space),
        )  # fmt: skip
        return kept if self.first is None else kept.chained_after(self.first)

    def __repr__(self) -> str:
        return f"FullyAdaptive({self.input_space}, {self.measure})"
