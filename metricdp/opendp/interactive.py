"""Queryables and odometers by OpenDP's names, over those of `metricdp.maps`."""

from __future__ import annotations

from typing import Any

import msgspec

from metricdp.errors import ParameterError, SpaceError
from metricdp.maps import DistanceMap
from metricdp.maps import queries as core
from metricdp.maps.interactive import FullyAdaptive
from metricdp.opendp.domains import Domain
from metricdp.opendp.metrics import Measure, Metric, UserDivergence
from metricdp.opendp.numbers import as_number
from metricdp.opendp.objects import Measurement, Transformation, spaces_text
from metricdp.opendp.placing import placed
from metricdp.opendp.writing import Made, MadeAgain


class Queryable:
    """A release that answers measurements; each is accounted for before it reads the data.

    A query that is refused changes nothing; what was spent stays spent when a query raises.
    """

    __slots__ = ("_inner", "input_domain", "input_metric")

    def __init__(self, inner: core.Queryable, input_domain: Domain, input_metric: Metric) -> None:
        self._inner, self.input_domain, self.input_metric = inner, input_domain, input_metric

    def __call__(self, query: Any) -> Any:
        """The release of a measurement on the space of the data.

        Raises:
            ParameterError: no measurement, or one without a cost under the measure.
            SpaceError: a measurement on another space.
            BudgetError: more than is left.
        """
        if not isinstance(query, Measurement):
            raise ParameterError(
                f"{type(query).__name__} is no measurement",
                place="query",
                remedy="queryable(measurement)",
            )
        own = self.input_domain, self.input_metric
        if query.input_space != own:
            raise SpaceError(
                f"{query.core.name} takes {spaces_text(*query.input_space)}, and the data are "
                f"{spaces_text(*own)}",
                place=query.core.name,
                remedy="build it with the domain and metric of the data",
            )
        if isinstance(query.output_measure, UserDivergence):
            raise ParameterError(
                f"costs under {query.output_measure!r} do not add up",
                place=query.core.name,
                remedy="a measure of the library: max_divergence(), ...",
            )
        return self._inner(query.core)

    invoke = eval = __call__

    @property
    def query_type(self) -> str:
        """What is asked with."""
        return "Measurement"

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError("a queryable holds private data and is not copied")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({spaces_text(self.input_domain, self.input_metric)})"


class OdometerQueryable(Queryable):
    """A queryable that says at any time what the queries so far cost."""

    __slots__ = ("_before",)

    def __init__(
        self, inner: core.Queryable, domain: Domain, metric: Metric, before: DistanceMap
    ) -> None:
        super().__init__(inner, domain, metric)
        self._before = before

    def privacy_loss(self, d_in: Any) -> Any:
        """The cost so far at a distance, rounded up to doubles; a pair under `approximate`."""
        assert isinstance(self._inner, core.OdometerQueries)
        loss = self._inner.privacy_loss(self._before(d_in))
        if isinstance(loss, tuple):
            return tuple(as_number(part, False) for part in loss)
        return as_number(loss, False)


class Wrap(msgspec.Struct, frozen=True):
    """Queries of the library as a queryable.

    Attributes:
        input_domain, input_metric: of the queries.
        outer: (domain, metric) of the data that were given, if a transformation came first.
    """

    input_domain: Domain
    input_metric: Metric
    outer: tuple[Domain, Metric] | None = None

    @property
    def __name__(self) -> str:
        return "queryable"

    def __call__(self, inner: core.Queryable) -> Queryable:
        own = self.input_domain, self.input_metric
        if not isinstance(inner, core.OdometerQueries):
            return Queryable(inner, *own)
        before = DistanceMap(placed(*(self.outer or own)).before)
        return OdometerQueryable(inner, *own, before)


class Odometer(MadeAgain):
    """Starts odometers: `invoke(data)` is an `OdometerQueryable`."""

    __slots__ = ("core", "input_domain", "input_metric", "made", "output_measure", "queries")

    def __init__(
        self,
        input_domain: Domain,
        input_metric: Metric,
        output_measure: Measure,
        core: FullyAdaptive,
        made: Made = (),
        queries: tuple[Domain, Metric] | None = None,
    ) -> None:
        self.input_domain, self.input_metric = input_domain, input_metric
        self.queries = queries or (input_domain, input_metric)
        self.output_measure, self.core, self.made = output_measure, core, made

    @property
    def input_space(self) -> tuple[Domain, Metric]:
        """(domain, metric) of the data."""
        return self.input_domain, self.input_metric

    def invoke(self, arg: Any) -> OdometerQueryable:
        """A queryable about the data, without an end."""
        found = self.wrap(self.core(arg))
        assert isinstance(found, OdometerQueryable)
        return found

    __call__ = invoke

    @property
    def wrap(self) -> Wrap:
        """What makes a queryable of the library's queries."""
        return Wrap(*self.queries, self.input_space)

    def __rrshift__(self, first: Any) -> Odometer:
        if not isinstance(first, Transformation):
            return NotImplemented
        if first.output_space != self.input_space:
            raise SpaceError(
                f"{first.core.name} returns {spaces_text(*first.output_space)}, and the odometer "
                f"takes {spaces_text(*self.input_space)}",
                place=f"{first.core.name} >> odometer",
                remedy="build the odometer on the output space",
            )
        chained = first.core >> self.core
        made = first.made and self.made and first.made + self.made
        return Odometer(*first.input_space, self.output_measure, chained, made, self.queries)

    def __repr__(self) -> str:
        return f"Odometer({spaces_text(*self.input_space)}, {self.output_measure!r})"
