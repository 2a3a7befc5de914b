"""Odometers: the running sum of what was spent, for queries that later queries depend on.

The sums may be read at any time, because the measures are additive: at every stop the releases so
far are private at the sum so far, whatever the analyst's reason to stop (Rogers, Roth, Ullman,
Vadhan 2016; Feldman and Zrnic 2021; Whitehouse et al. 2023).  What is not additive, as the epsilon
of a running rho at a delta, holds only for a sum that was fixed beforehand: that is a filter.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from threading import RLock

from metricdp.errors import SpaceError
from metricdp.interaction.budget import Cost
from metricdp.interaction.costs import cost_maps, names_of
from metricdp.interaction.sums import ExactSum
from metricdp.maps import DistanceMap, Measurement
from metricdp.maps.distances import Number, typed
from metricdp.spaces import Space

#: Sums are kept up to date at this many distances; others are summed when they are asked for.
_WATCHED = 8


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
