"""Filters: an odometer with a budget fixed beforehand, checked before a query runs.

Queries may be chosen by all earlier answers; as long as the sum of their declared costs stays
within the budget, all releases together cost the budget.  Sources: Rogers, Roth, Ullman, Vadhan
(2016) for epsilon and (epsilon, delta) sums; Feldman and Zrnic (2021), Whitehouse et al. (2023) for
a fixed Renyi order and rho; with interactive queries interleaved, Haney et al. (2023).
"""

from __future__ import annotations

from fractions import Fraction

from metricdp.errors import BudgetError, ParameterError
from metricdp.interaction.budget import Budget, Cost
from metricdp.interaction.costs import names_of, shown_cost
from metricdp.interaction.odometer import Odometer
from metricdp.maps import DistanceMap, Measurement
from metricdp.maps.distances import Number, typed


class Filter:
    """A budget at a distance, and what is left of it.  It holds no data.

    Args:
        odometer: counts; what it has counted already is spent.
        d_in: the distance at which the budget holds.
        budget: in the odometer's measure: `Budget`, or the numbers of one.

    Raises:
        ParameterError: a budget in another measure, or none.
    """

    __slots__ = ("budget", "d_in", "odometer")

    def __init__(
        self, odometer: Odometer, d_in: int | float | Fraction, budget: Budget | object
    ) -> None:
        given = budget if isinstance(budget, Budget) else Budget.of(odometer.measure, budget)
        if given.measure != odometer.measure:
            raise ParameterError(
                f"a budget in {given.measure}, and the odometer counts in {odometer.measure}",
                place="budget",
                remedy=f"Budget.of({odometer.measure!r}, ...): an epsilon of 1 is no rho of 1",
            )
        self.odometer, self.budget = odometer, given
        self.d_in: Number = typed(d_in, "d_in")

    @property
    def spent(self) -> Cost:
        """What was spent at `d_in`."""
        return self.odometer.spent(self.d_in)

    @property
    def left(self) -> Budget:
        """What is left of the budget."""
        return self.budget.left(self.spent)

    def cost(self, measurement: Measurement) -> Cost:
        """What a measurement would cost at `d_in`.

        Raises:
            SpaceError, ParameterError: see `Odometer.cost`.
        """
        return tuple(part(self.d_in) for part in self.odometer.cost(measurement))

    def admits(self, measurement: Measurement) -> bool:
        """Whether `spend` would accept a measurement now.

        Raises:
            SpaceError, ParameterError: see `Odometer.cost`.
        """
        return self._covered(self.cost(measurement))

    def spend(self, measurement: Measurement) -> Cost:
        """Spend what a measurement costs, before it reads data; its cost at `d_in`.

        Raises:
            BudgetError: it costs more than is left; nothing is spent then.
            SpaceError, ParameterError: see `Odometer.cost`; nothing is spent then.
        """
        return self.spend_maps(self.odometer.cost(measurement), measurement.name)

    def spend_maps(self, maps: tuple[DistanceMap, ...], name: str) -> Cost:
        """As `spend`, for the maps of a cost."""
        # Between the check and the entry no other thread may spend.
        with self.odometer._lock:
            cost = tuple(part(self.d_in) for part in maps)
            if not self._covered(cost):
                raise self._refusal(cost, name)
            self.odometer.add(maps, {self.d_in: cost})
        return cost

    def _covered(self, cost: Cost) -> bool:
        return self.budget.covers(tuple(a + b for a, b in zip(self.spent, cost, strict=True)))

    def _refusal(self, cost: Cost, name: str) -> BudgetError:
        shown, left = shown_cost(self.budget.measure, cost), self.left
        refusal = BudgetError(
            f"`{name}` costs {shown} at d_in = {self.d_in}, and {left} is left of {self.budget}",
            place=name,
            remedy=f"add noise until its cost is at most {left}",
        )
        amounts = zip(names_of(left.measure), left.amounts, strict=True)
        refusal.left = {unit: Fraction(a) for unit, a in amounts if not isinstance(a, float)}
        return refusal

    def __repr__(self) -> str:
        return f"Filter(d_in={self.d_in}): {self.left} left of {self.budget}"
