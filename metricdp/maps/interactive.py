"""Adaptive composition: measurements are chosen one by one, each after all earlier answers.

`adaptive`: their costs are fixed beforehand.  `FullyAdaptive`: neither they nor their costs are; an
odometer tells the sum so far, and a filter keeps it within a budget.

Interactive measurements may be open at the same time and be asked in turns: their costs add under
epsilon, (epsilon, delta), every Renyi order and rho (Vadhan and Zhang 2022; Lyu 2022).  Under
(rho, delta) they are refused; others add (Whitehouse, Ramdas, Rogers, Wu 2023).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from threading import Lock
from typing import Any, ClassVar

import msgspec

from metricdp.errors import BudgetError, MetricdpError, ParameterError, SpaceError, bare
from metricdp.maps.conversions import cost_maps
from metricdp.maps.costs import names_of, require_stated, shown_cost
from metricdp.maps.distances import DistanceMap, Number, typed
from metricdp.maps.measurement import Measurement
from metricdp.maps.odometers import Allowance, Cost, Filter, Odometer
from metricdp.maps.queries import OdometerQueries, Queries, entering, leaving
from metricdp.maps.steps import PROVED, MapStep, Reliance, Vouched
from metricdp.maps.sums import ExactSum
from metricdp.maps.transformation import Transformation
from metricdp.spaces import Space
from metricdp.spaces.joining import fits, joined_by

RULE = (Reliance(PROVED, "adaptive composition of what each query declares"),)


class UpTo(msgspec.Struct, frozen=True):
    """A cost that was fixed beforehand for a distance: it holds up to there, and no farther."""

    distance: Number
    cost: Number

    def __call__(self, d_in: Number) -> Number:
        if not d_in:
            return Fraction(0)
        return self.cost if d_in <= self.distance else float("inf")


def limited(distance: Number, cost: tuple[Number, ...]) -> tuple[DistanceMap, ...]:
    """The maps of a cost that was fixed beforehand."""
    return tuple(DistanceMap(UpTo(distance, part)) for part in cost)


def adaptive(
    space: Space, measure: str, d_in: int | float | Fraction, d_mids: Sequence[Any]
) -> Measurement:
    """A measurement whose release takes one measurement per entry of `d_mids`, in their order.

    Args:
        space: of the data and of every query.
        measure: "pure", "zcdp", "approx" or "approx_zcdp".
        d_in: distance at which the costs hold.
        d_mids: cost of each query at `d_in`: a number, or (epsilon, delta).

    Returns:
        A measurement with the sum of the costs; a call returns a `Queries`.

    Raises:
        ParameterError: no costs, costs that are none of the measure, or another measure.
    """
    if not d_mids:
        raise ParameterError("no costs", place="d_mids", remedy="give one cost per query")
    budgets = tuple(Allowance.of(measure, cost) for cost in d_mids)
    require_stated(measure)
    totals = [ExactSum() for _ in budgets[0].amounts]
    for budget in budgets:
        for total, amount in zip(totals, budget.amounts, strict=True):
            total.add(amount)
    distance = typed(d_in, "d_in")
    maps = limited(distance, tuple(total.value for total in totals))
    name = f"adaptive composition of {len(budgets)}"
    step = MapStep(
        name, space, None, costs={measure: maps}, rests_on=RULE,
        reason="costs fixed beforehand add up, also when earlier answers choose later queries",
    )  # fmt: skip
    return Measurement(
        space, _Start(space, distance, budgets), {measure: maps}, name, steps=Vouched((step,)),
        enter=entering(space),
    )  # fmt: skip


class _Start(msgspec.Struct, frozen=True):
    """The function of an adaptive composition: data -> queries."""

    #: Its release answers queries.
    interactive: ClassVar[bool] = True
    space: Space
    d_in: Number
    budgets: tuple[Allowance, ...]

    def __call__(self, data: Any) -> Queries:
        shares = _Shares(self.space, self.d_in, self.budgets)
        return Queries(data, shares, leaving(self.space))


class _Shares:
    """The costs that are left, the next one first."""

    def __init__(self, space: Space, d_in: Number, budgets: tuple[Allowance, ...]) -> None:
        self._space, self._d_in, self._budgets = space, d_in, budgets
        self._next, self._lock = 0, Lock()

    def __call__(self, query: Measurement) -> None:
        """Take the next share for a query.

        Raises:
            SpaceError: a query on another space.
            BudgetError: no share is left, or the query costs more than the next one.
        """
        if query.input_space != self._space:
            raise SpaceError(
                f"`{query.name}` takes {query.input_space.describe()}, and the data are "
                f"{self._space.describe()}",
                place=query.name,
                remedy="build it on the space of the data",
            )
        maps = cost_maps(query, self._budgets[0].measure)
        cost: Cost = tuple(part(self._d_in) for part in maps)
        with self._lock:
            if self._next == len(self._budgets):
                raise BudgetError(
                    f"all {self._next} queries were asked",
                    place=query.name,
                    remedy="give one more cost in d_mids, before the first query",
                )
            share = self._budgets[self._next]
            if not share.covers(cost):
                raise BudgetError(
                    f"`{query.name}` costs {shown_cost(share.measure, cost)} at d_in = "
                    f"{self._d_in}, and query {self._next + 1} may cost {share}",
                    place=query.name,
                    remedy=f"add noise until its cost is at most {share}",
                )
            self._next += 1


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
        budget = Allowance.of(self.measure, d_out)
        stability = DistanceMap(1) if self.first is None else self.first.stability
        distance = stability(typed(d_in, "d_in"))
        maps = limited(distance, budget.amounts)
        name = "privacy filter"
        reason = "a query runs only while the sum of all declared costs stays within the budget"
        step = MapStep(
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


class Spawn(msgspec.Struct, frozen=True):
    """The function of a measurement under a filter: data, as `entering` gives them -> queries."""

    #: Its release answers queries.
    interactive: ClassVar[bool] = True
    odometer: tuple[Any, str]
    d_in: Number
    budget: Any
    stability: DistanceMap

    def __call__(self, data: Any) -> OdometerQueries:
        odometer = Odometer(*self.odometer)
        kept = Filter(odometer, self.d_in, self.budget)
        leave = leaving(self.odometer[0])
        return OdometerQueries(data, odometer, self.stability, kept.spend, leave)
