"""Transformations and measurements as OpenDP shows them, over the maps of the library."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil as round_up
from math import floor as round_down
from math import isinf
from typing import Any

from metricdp.errors import InternalError, MetricdpError, ParameterError, SpaceError, bare
from metricdp.expr import D
from metricdp.maps import DistanceMap, Explanation
from metricdp.maps import Measurement as CoreMeasurement
from metricdp.maps import Transformation as CoreTransformation
from metricdp.maps.conversions import profile_at, profile_beside_delta
from metricdp.maps.distances import Number, typed
from metricdp.opendp.domains import Domain
from metricdp.opendp.joining import conversion, joins
from metricdp.opendp.metrics import (
    L02InfDistance,
    L2Distance,
    Measure,
    Metric,
    Triple,
    max_divergence,
    measure_of,
    zero_concentrated_divergence,
)
from metricdp.opendp.numbers import as_number as as_number
from metricdp.opendp.numbers import largest, pair
from metricdp.opendp.placing import placed, unplaced
from metricdp.opendp.showing import explained, html, maps_of
from metricdp.opendp.types import kind
from metricdp.opendp.writing import Made, MadeAgain, serialize
from metricdp.spaces.joining import fits, joined_by

#: Searches ask for one distance again and again.
_MOST_SEEN = 256


def spaces_text(domain: Domain, metric: Metric) -> str:
    """A domain and a metric in one line."""
    return f"({domain!r}, {metric!r})"


class _Object(MadeAgain):
    """What both kinds share: input space, the map of the library, how it was made."""

    __slots__ = ("_seen", "before", "core", "input_domain", "input_metric", "made")

    def __init__(self, input_domain: Domain, input_metric: Metric, core: Any, made: Made) -> None:
        self.input_domain, self.input_metric = input_domain, input_metric
        self.core, self.made = core, made
        self.before = DistanceMap(placed(input_domain, input_metric).before)
        self._seen: dict[Number, Number] = {}

    @property
    def input_space(self) -> tuple[Domain, Metric]:
        """(input domain, input metric)."""
        return self.input_domain, self.input_metric

    @property
    def input_distance_type(self) -> str:
        """OpenDP's name of the type of `d_in`."""
        return self.input_metric.distance_type

    @property
    def input_carrier_type(self) -> str:
        """OpenDP's name of the type of the data."""
        return self.input_domain.carrier_type

    @property
    def function(self) -> Callable[[Any], Any]:
        """The function alone."""
        return self.invoke

    @property
    def rests_on(self) -> Any:
        """What the map rests on, each with its reason."""
        return self.core.rests_on

    @property
    def steps(self) -> Any:
        """One entry per link of the chain."""
        return self.core.steps

    def invoke(self, arg: Any) -> Any:
        """The function's value; data outside the domain are moved into it, never reported.

        Vectors are lists; arrays where the data are one.
        """
        failed: MetricdpError
        try:
            value = self.core(arg)
            array = hasattr(value, "tolist") and not hasattr(arg, "dtype")
            return value.tolist() if array else value
        except MetricdpError as error:
            failed = bare(error)
        arg = None  # no frame of the error shows private data
        raise failed from None

    __call__ = invoke

    def explain(self, d_in: Any = 1) -> Explanation:
        """Every step at a distance, with its formula and reason."""
        return explained(self, typed(d_in, "d_in"), self._before(d_in))

    def to_json(self) -> str:
        """The constructors that made the object, as text; see `metricdp.opendp.deserialize`."""
        return serialize(self)

    def inverse(self, d_out: Any) -> Any:
        """The largest `d_in` with `check(d_in, d_out)`: a float rounded down, or a count of rows.

        Raises:
            ParameterError: a measure of more than one number, a `d_out` of the wrong kind.
        """
        return largest(self, d_out)

    def _before(self, d_in: Any) -> Number:
        distance = typed(d_in, "d_in")
        counts = self.input_metric.distance_type == "u32"
        if counts and not isinf(distance) and Fraction(distance).denominator != 1:
            raise ParameterError(
                f"{self.input_metric!r} counts rows, and {d_in} is no count",
                place="d_in",
                remedy="give a whole number",
            )
        if self.before.expr == D:
            return distance
        found = self._seen.get(distance)
        if found is None:
            found = self.before(distance)
            if len(self._seen) < _MOST_SEEN:
                self._seen[distance] = found
        return found

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        assert isinstance(other, _Object)
        ends = ("input_space", "output_space", "output_measure")
        same = all(getattr(self, end, None) == getattr(other, end, None) for end in ends)
        return same and self.core == other.core

    def __hash__(self) -> int:
        return hash((self.input_domain, self.core.name))

    def _repr_html_(self) -> str:
        return html(self)


class Transformation(_Object):
    """A stable function between metric spaces, by OpenDP's names."""

    __slots__ = ("after", "output_domain", "output_metric")

    def __init__(
        self,
        input_domain: Domain,
        input_metric: Metric,
        output_domain: Domain,
        output_metric: Metric,
        core: CoreTransformation,
        made: Made = (),
    ) -> None:
        super().__init__(input_domain, input_metric, core, made)
        self.output_domain, self.output_metric = output_domain, output_metric
        place = placed(output_domain, output_metric)
        self.after = DistanceMap(place.after)
        if not fits(core.output_space, place.space):
            raise InternalError(
                f"`{core.name}` returns {core.output_space.describe()}, which is not within "
                f"{spaces_text(output_domain, output_metric)}",
                place=core.name,
                remedy="a constructor names its result wrongly: please report it",
            )

    @property
    def output_space(self) -> tuple[Domain, Metric]:
        """(output domain, output metric)."""
        return self.output_domain, self.output_metric

    @property
    def output_distance_type(self) -> str:
        """OpenDP's name of the type of `d_out`."""
        return self.output_metric.distance_type

    def exact_map(self, d_in: Any) -> Number:
        """The stability map as a rational, or infinity."""
        inner = self.core.map(self._before(d_in))
        outer = inner if self.after.expr == D else self.after(inner)
        whole = kind(self.output_metric.distance_type) == "int"
        if not whole or isinf(outer):
            return outer
        # Sums and largest differences of integers are integers: the fraction of a bound is never
        # reached.  Euclidean distances are roots of integers.
        rooted = isinstance(self.output_metric, L2Distance | L02InfDistance)
        return Fraction(round_up(outer) if rooted else round_down(outer))

    def map(self, d_in: Any) -> Any:
        """Largest distance of outputs of inputs at distance `d_in`, rounded up to a double.

        Under `l01inf_distance` and `l02inf_distance` three numbers, here all alike.

        Raises:
            ParameterError: a distance of the wrong kind.
        """
        whole = kind(self.output_metric.distance_type) == "int"
        found = as_number(self.exact_map(d_in), whole)
        return (found,) * 3 if isinstance(self.output_metric, Triple) else found

    def check(self, d_in: Any, d_out: Any, *, debug: bool = False) -> bool:
        """Whether inputs at distance `d_in` have outputs at distance at most `d_out`."""
        limits: Any = (d_out,)
        if isinstance(self.output_metric, Triple):
            if not isinstance(d_out, tuple | list) or len(d_out) != 3:
                raise ParameterError(
                    "a triple is needed", place="d_out", remedy="(keys, sum, largest)"
                )
            limits = d_out
        found = self.exact_map(d_in)
        return all(found <= typed(limit, "d_out") for limit in limits)

    def audit(self, seed: int = 0, pairs: int = 2000, seconds: float = 10.0) -> Any:
        """Search for neighbours that refute the map.

        Args:
            seed: the same seed tries the same pairs.
            pairs, seconds: most pairs and time.

        Returns:
            What was found: `refuted` is True, and the two inputs are shown, if the map is wrong.

        Raises:
            SpaceError: a domain or metric of which nothing but the name is known.
        """
        from metricdp.audit import attack

        return attack(self.core, seed, pairs, seconds)

    def __rshift__(self, other: Any) -> Any:
        """The chain "self, then other"."""
        if hasattr(other, "__rrshift__"):
            return NotImplemented
        if hasattr(other, "at") or isinstance(other, CoreTransformation | CoreMeasurement):
            other = proved(*self.output_space, other)
        if not isinstance(other, _Object):
            raise SpaceError(
                f"{getattr(other, '__name__', type(other).__name__)} has no map, and its argument "
                "is private",
                place=self.core.name,
                remedy="decorate it with metricdp.transformation, which proves a map, or wrap it "
                "with make_user_transformation",
            )
        return chained(self, other)

    def __repr__(self) -> str:
        return (
            "Transformation(\n"
            f"    input_domain   = {self.input_domain!r},\n"
            f"    output_domain  = {self.output_domain!r},\n"
            f"    input_metric   = {self.input_metric!r},\n"
            f"    output_metric  = {self.output_metric!r},\n"
            f"    steps          = {self.core.name},\n"
            f"    map            = {maps_of(self)['map']})"
        )


class Measurement(_Object):
    """A private release, by OpenDP's names."""

    __slots__ = ("output_measure",)

    def __init__(
        self,
        input_domain: Domain,
        input_metric: Metric,
        output_measure: Measure,
        core: CoreMeasurement,
        made: Made = (),
    ) -> None:
        super().__init__(input_domain, input_metric, core, made)
        self.output_measure = output_measure

    @property
    def output_distance_type(self) -> str:
        """OpenDP's name of the type of `d_out`."""
        return "f64"

    def exact_map(self, d_in: Any) -> Any:
        """The privacy loss as rationals: one number, or a pair with delta; a curve as it is."""
        if self.output_measure.reading == "profile":
            return profile_at(self.core, self._before(d_in))
        if self.output_measure.reading == "approx profile":
            return profile_beside_delta(self.core, self._before(d_in))
        return self.core.map(self._before(d_in), self.output_measure.reading)

    def map(self, d_in: Any) -> Any:
        """Privacy loss at distance `d_in`, rounded up to doubles."""
        loss = self.exact_map(d_in)
        if isinstance(loss, tuple):
            curve = self.output_measure.reading == "approx profile"
            first = loss[0] if curve else as_number(loss[0], False)
            return first, as_number(loss[1], False)
        return loss if self.output_measure.reading == "profile" else as_number(loss, False)

    def check(self, d_in: Any, d_out: Any, *, debug: bool = False) -> bool:
        """Whether the loss at distance `d_in` is at most `d_out`."""
        parts = self.core.privacy.get(self.output_measure.reading, ())
        within = getattr(parts[0].function, "within", None) if len(parts) == 2 else None
        if within is not None:
            epsilon, delta = (typed(part, "d_out") for part in d_out)
            return bool(within(self._before(d_in), epsilon, delta))
        loss = self.exact_map(d_in)
        if self.output_measure.reading == "profile":
            epsilon, delta = pair(d_out)
            return bool(loss.exact_delta(epsilon) <= typed(delta, "d_out"))
        if self.output_measure.reading == "approx profile":
            epsilon, delta = pair(d_out)
            return bool(loss[0].exact_delta(epsilon) + loss[1] <= typed(delta, "d_out"))
        if isinstance(loss, tuple):
            return all(s <= typed(o, "d_out") for s, o in zip(loss, pair(d_out), strict=True))
        return bool(loss <= typed(d_out, "d_out"))

    def __rshift__(self, other: Any) -> Any:
        """Post-processing by any function."""
        if hasattr(other, "__rrshift__"):
            return NotImplemented
        return Measurement(
            self.input_domain,
            self.input_metric,
            self.output_measure,
            self.core >> other,
            self.made and (*self.made, ("postprocess", {"function": other})),
        )

    def following(self, first: Transformation, core: CoreMeasurement, made: Made) -> Measurement:
        """The chain "first, then this", whose core was put together."""
        return Measurement(*first.input_space, self.output_measure, core, made)

    def __repr__(self) -> str:
        return (
            "Measurement(\n"
            f"    input_domain   = {self.input_domain!r},\n"
            f"    input_metric   = {self.input_metric!r},\n"
            f"    output_measure = {self.output_measure!r},\n"
            f"    steps          = {self.core.name},\n"
            f"    map            = {maps_of(self)['map']})"
        )


def chained(first: Transformation, second: _Object) -> Any:
    """ "first, then second".

    Raises:
        SpaceError: the output space of `first` is not the input space of `second`.
    """
    if not joins(first, second):
        raise SpaceError(
            f"{first.core.name} returns {spaces_text(*first.output_space)}, and "
            f"{second.core.name} takes {spaces_text(*second.input_space)}",
            place=f"{first.core.name} >> {second.core.name}",
            remedy=conversion(first, second),
        )
    core, made = first.core >> second.core, first.made and second.made and first.made + second.made
    if isinstance(second, Transformation):
        return Transformation(*first.input_space, *second.output_space, core, made)
    assert isinstance(second, Measurement)
    return second.following(first, core, made)


def native_measure(core: CoreMeasurement) -> Measure:
    """The measure that OpenDP gives a measurement: pure where there is one, else zCDP."""
    return max_divergence() if "pure" in core.privacy else zero_concentrated_divergence()


def measured(domain: Any, metric: Any, core: CoreMeasurement, MO: Any) -> Measurement:
    """The measurement under a measure that it has a map for.

    Raises:
        ParameterError: a measure that is missing.
    """
    measure = measure_of(MO)
    if measure.reading in core.privacy:
        return Measurement(domain, metric, measure, core)
    has = ", ".join(core.privacy)
    raise ParameterError(
        f"`{core.name}` has no {measure!r}, but {has}",
        place=core.name,
        remedy="choose another measure, or convert: make_pureDP_to_zCDP, make_zCDP_to_approxDP",
    )


def proved(domain: Domain, metric: Metric, function: Any) -> Transformation | Measurement:
    """A checked function, or a map of the library, on a domain and metric.

    Raises:
        ParameterError: a function that was not checked.
        SpaceError: it takes other values than those of the domain.
    """
    core = function.at() if hasattr(function, "at") else function
    if not isinstance(core, CoreTransformation | CoreMeasurement):
        raise ParameterError(
            f"{type(function).__name__} is no checked function",
            place="make_checked",
            remedy="decorate it with @metricdp.transformation or @metricdp.measurement",
        )
    space = placed(domain, metric).space
    if not fits(space, core.input_space):
        raise SpaceError(
            f"{core.name} takes {core.input_space.describe()}, and the data lie in "
            f"{space.describe()}",
            place="make_checked",
            remedy=joined_by(space, core.input_space),
        )
    made: Made = (("checked", {"domain": domain, "metric": metric, "function": function}),)
    if isinstance(core, CoreMeasurement):
        return Measurement(domain, metric, native_measure(core), core, made)
    output_domain, output_metric = unplaced(core.output_space, (domain, metric))
    return Transformation(domain, metric, output_domain, output_metric, core, made)
