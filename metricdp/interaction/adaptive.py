"""Adaptive composition: the costs are fixed beforehand, the measurements are chosen one by one.

Each of them may depend on all earlier answers.  Interactive ones may be open at the same time and
be asked in turns: their costs add under epsilon, (epsilon, delta), every Renyi order and rho
(Vadhan and Zhang 2022; Lyu 2022).  Under (rho, delta) they are refused; others add (Whitehouse,
Ramdas, Rogers, Wu 2023).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from threading import Lock
from typing import Any, ClassVar

import msgspec

from metricdp.errors import BudgetError, ParameterError, SpaceError
from metricdp.interaction.budget import Budget, Cost
from metricdp.interaction.costs import cost_maps, require_stated, shown_cost
from metricdp.interaction.queryable import Queries, entering, leaving, limited
from metricdp.interaction.sums import ExactSum
from metricdp.maps import Measurement, Reliance, Step
from metricdp.maps.distances import Number, typed
from metricdp.maps.fixed import Vouched
from metricdp.maps.steps import PROVED
from metricdp.spaces import Space

RULE = (Reliance(PROVED, "adaptive composition of what each query declares"),)


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
    budgets = tuple(Budget.of(measure, cost) for cost in d_mids)
    require_stated(measure)
    totals = [ExactSum() for _ in budgets[0].amounts]
    for budget in budgets:
        for total, amount in zip(totals, budget.amounts, strict=True):
            total.add(amount)
    distance = typed(d_in, "d_in")
    maps = limited(distance, tuple(total.value for total in totals))
    name = f"adaptive composition of {len(budgets)}"
    step = Step(
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
    budgets: tuple[Budget, ...]

    def __call__(self, data: Any) -> Queries:
        shares = _Shares(self.space, self.d_in, self.budgets)
        return Queries(data, shares, leaving(self.space))


class _Shares:
    """The costs that are left, the next one first."""

    def __init__(self, space: Space, d_in: Number, budgets: tuple[Budget, ...]) -> None:
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
