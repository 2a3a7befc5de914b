"""Interactive releases: an object that holds the data and answers queries about them."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from metricdp.columns.table import Table
from metricdp.errors import ParameterError
from metricdp.maps.distances import DistanceMap
from metricdp.maps.functions import Enter, Leave
from metricdp.maps.measurement import Measurement
from metricdp.maps.odometers import Odometer
from metricdp.spaces.directions import OneDirection
from metricdp.spaces.opaque import Opaque


class Queryable:
    """A release that answers queries; calling it asks one.

    It can be neither copied nor pickled: a copy would have a budget of its own.
    """

    __slots__ = ("_answer",)

    def __init__(self, answer: Callable[[Any], Any]) -> None:
        self._answer = answer

    def __call__(self, query: Any) -> Any:
        """The answer to a query; what a query is, the measurement that made this object says."""
        return self._answer(query)

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a queryable holds private data and is not copied")

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"


class Queries(Queryable):
    """Measurements on one data set, each of them accounted for before it reads the data.

    A query that is refused changes nothing.  A query that raises after it was accounted for stays
    spent: the error is an output, too.
    """

    __slots__ = ("_data", "_leave", "_spend")

    def __init__(
        self,
        data: Any,
        spend: Callable[[Measurement], object],
        leave: Callable[[Any], Any] | None = None,
    ) -> None:
        super().__init__(self._run)
        self._data, self._spend, self._leave = owned(data), spend, leave

    def _run(self, query: Any) -> Any:
        if not isinstance(query, Measurement):
            raise ParameterError(
                f"{type(query).__name__} is no measurement",
                place="query",
                remedy="ask with a measurement on the space of the data",
            )
        self._spend(query)
        if self._leave is None:
            return query(self._data)
        return query.at_entered(self._data, self._leave)


class OdometerQueries(Queries):
    """Queries without an end, and what they cost so far."""

    __slots__ = ("_odometer", "_stability")

    def __init__(
        self,
        data: Any,
        odometer: Odometer,
        stability: DistanceMap,
        spend: Callable[[Measurement], object],
        leave: Callable[[Any], Any] | None = None,
    ) -> None:
        super().__init__(data, spend, leave)
        self._odometer, self._stability = odometer, stability

    def privacy_loss(self, d_in: int | float | Fraction = 1) -> Any:
        """The cost so far at a distance of the data; may be read at any time."""
        return self._odometer.privacy_loss(self._stability(d_in))


def owned(data: Any) -> Any:
    """Reference values that do not change with the caller's array, which columns read late: all
    queries are about the data that were given."""
    if isinstance(data, tuple):
        return tuple(map(owned, data))
    if isinstance(data, Table):
        return data.owned()
    return data


def entering(space: Any) -> Enter | None:
    """What makes exact values of data, once for all queries; None where only names are known.

    Between two queries nothing may be rounded: a sum as a double is less stable than the sum.
    """
    space = getattr(space, "inner", space) if isinstance(space, OneDirection) else space
    return None if isinstance(space, Opaque) else Enter(space)


def leaving(space: Any) -> Leave | None:
    """What makes plain values of them again, for queries that were written by hand."""
    entered = entering(space)
    return None if entered is None else Leave(entered.space)
