"""Odometers, the running sum of what was spent; and filters, which keep it within a budget.

Queries may be chosen by all earlier answers.  The sums of an odometer may be read at any time,
because the measures are additive: at every stop the releases so far are private at the sum so far,
whatever the analyst's reason to stop (Rogers, Roth, Ullman, Vadhan 2016; Feldman and Zrnic 2021;
Whitehouse et al. 2023).  What is not additive, as the epsilon of a running rho at a delta, holds
only for a sum that was fixed beforehand: that is a filter, whose budget is checked before a query
runs.  As long as the sum of the declared costs stays within the budget, all releases together cost
the budget.  Sources: Rogers, Roth, Ullman, Vadhan (2016) for epsilon and (epsilon, delta) sums;
Feldman and Zrnic (2021), Whitehouse et al. (2023) for a fixed Renyi order and rho; with interactive
queries interleaved, Haney et al. (2023).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import inf
from threading import RLock
from typing import Any

import msgspec

from metricdp.errors import BudgetError, ParameterError, SpaceError
from metricdp.maps.conversions import cost_maps
from metricdp.maps.costs import names_of, shown_cost
from metricdp.maps.distances import DistanceMap, Number, typed
from metricdp.maps.measurement import Measurement
from metricdp.maps.sums import ExactSum
from metricdp.spaces import Space

Cost = tuple[Number, ...]
#: Sums are kept up to date at this many distances; others are summed when they are asked for.
_WATCHED = 8


class Allowance(msgspec.Struct, frozen=True):
    """The most that may be spent under one measure.  Make one with `Allowance.of`.

    Attributes:
        measure: "pure", "zcdp", "approx", "approx_zcdp" or "renyi:ALPHA".
        amounts: one number per part of the measure: (epsilon,), (rho,), (epsilon, delta) ...
    """

    measure: str
    amounts: Cost

    @classmethod
    def of(cls, measure: str, amounts: Any) -> Allowance:
        """A budget from the numbers that a person types: 0.1 is one tenth.

        Raises:
            ParameterError: another number of amounts than the measure has, an amount that is
                negative or NaN, or a delta above 1.
        """
        names = names_of(measure)
        given = tuple(amounts) if isinstance(amounts, Sequence) else (amounts,)
        if len(given) != len(names) or isinstance(amounts, str):
            raise ParameterError(
                f"a budget in {measure} has {len(names)} parts",
                place="budget",
                remedy=f"give ({', '.join(names)})" if len(names) > 1 else f"give {names[0]}",
            )
        exact = tuple(typed(value, name) for value, name in zip(given, names, strict=True))
        if names[-1] == "delta" and exact[-1] > 1:
            raise ParameterError(f"delta is {given[-1]}", place="delta", remedy="choose delta < 1")
        return cls(measure, exact)

    def covers(self, cost: Cost) -> bool:
        """Whether a cost is within the budget, part by part."""
        return all(c <= a for c, a in zip(cost, self.amounts, strict=True))

    def left(self, spent: Cost) -> Allowance:
        """What remains after a cost; never below 0."""
        rest: list[Number] = []
        for amount, gone in zip(self.amounts, spent, strict=True):
            if amount == inf:
                rest.append(inf)
            else:
                rest.append(Fraction(0) if gone >= amount else Fraction(amount) - Fraction(gone))
        return Allowance(self.measure, tuple(rest))

    def __str__(self) -> str:
        return shown_cost(self.measure, self.amounts, down=True)


class Odometer:
    """What the measurements recorded so far cost together.  It holds no data.

    Args:
        input_space: of every measurement.
        measure: "pure", "zcdp", "approx", "approx_zcdp" or "renyi:ALPHA".

    Raises:
        ParameterError: a measure that is not additive.
    """

    __slots__ = ("_at", "_lock", "_spent", "input_space", "measure")

    def __init__(self, input_space: Space, measure: str = "pure") -> None:
        self.input_space, self.measure = input_space, measure
        self._spent: list[tuple[DistanceMap, ...]] = []
        self._at: dict[Number, tuple[ExactSum, ...]] = {}
        self._lock = RLock()
        names_of(measure)

    def cost(self, measurement: Measurement) -> tuple[DistanceMap, ...]:
        """The maps that `record` would add.

        Raises:
            SpaceError: a measurement of another space.
            ParameterError: a measurement without a cost under the measure.
        """
        if measurement.input_space != self.input_space:
            raise SpaceError(
                f"`{measurement.name}` takes {measurement.input_space.describe()}, and the data "
                f"are {self.input_space.describe()}",
                place=measurement.name,
                remedy="build it with the domain and metric of the data",
            )
        return cost_maps(measurement, self.measure)

    def record(self, measurement: Measurement) -> None:
        """Count a measurement as spent; to be called before it reads data.

        Raises:
            SpaceError, ParameterError: see `cost`; nothing is recorded then.
        """
        self.add(self.cost(measurement))

    def add(
        self, maps: tuple[DistanceMap, ...], known: Mapping[Number, Cost] | None = None
    ) -> None:
        """Count a cost as spent, at every distance or at none.

        Args:
            maps: one per part of the measure.
            known: their values at some distances, where those were computed already.
        """
        with self._lock:
            new = [(d, (known or {}).get(d) or tuple(part(d) for part in maps)) for d in self._at]
            for distance, values in new:
                for total, value in zip(self._at[distance], values, strict=True):
                    total.add(value)
            self._spent.append(maps)

    def spent(self, d_in: int | float | Fraction = 1) -> Cost:
        """The cost so far at a distance, one number per part of the measure."""
        distance = typed(d_in, "d_in")
        with self._lock:
            totals = self._at.get(distance)
            if totals is None:
                totals = tuple(ExactSum() for _ in names_of(self.measure))
                for maps in self._spent:
                    for total, part in zip(totals, maps, strict=True):
                        total.add(part(distance))
                if len(self._at) < _WATCHED:
                    self._at[distance] = totals
            return tuple(total.value for total in totals)

    def privacy_loss(self, d_in: int | float | Fraction = 1) -> Number | Cost:
        """The cost so far: one number, or (epsilon, delta); may be read at any time."""
        found = self.spent(d_in)
        return found if len(found) > 1 else found[0]

    def __len__(self) -> int:
        return len(self._spent)

    def __repr__(self) -> str:
        return f"Odometer({self.input_space}, {self.measure}): {len(self)} queries"


class Filter:
    """A budget at a distance, and what is left of it.  It holds no data.

    Args:
        odometer: counts; what it has counted already is spent.
        d_in: the distance at which the budget holds.
        budget: in the odometer's measure: `Allowance`, or the numbers of one.

    Raises:
        ParameterError: a budget in another measure, or none.
    """

    __slots__ = ("budget", "d_in", "odometer")

    def __init__(
        self, odometer: Odometer, d_in: int | float | Fraction, budget: Allowance | object
    ) -> None:
        given = budget if isinstance(budget, Allowance) else Allowance.of(odometer.measure, budget)
        if given.measure != odometer.measure:
            raise ParameterError(
                f"a budget in {given.measure}, and the odometer counts in {odometer.measure}",
                place="budget",
                remedy=f"Allowance.of({odometer.measure!r}, ...): an epsilon of 1 is no rho of 1",
            )
        self.odometer, self.budget = odometer, given
        self.d_in: Number = typed(d_in, "d_in")

    @property
    def spent(self) -> Cost:
        """What was spent at `d_in`."""
        return self.odometer.spent(self.d_in)

    @property
    def left(self) -> Allowance:
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
