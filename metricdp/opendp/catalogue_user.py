"""Maps of the user: functions whose map is believed, and checked functions, which are proved.

The loss of a measurement may also be under a measure of the user, of which nothing is known but its
name.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from inspect import Parameter
from typing import Any

import msgspec

from metricdp.errors import MetricdpError, ParameterError
from metricdp.maps import DistanceMap
from metricdp.maps import Measurement as CoreMeasurement
from metricdp.maps import Transformation as CoreTransformation
from metricdp.maps.distances import Number, distance
from metricdp.maps.functions import Enter, Leave
from metricdp.opendp.constructor import Constructor
from metricdp.opendp.domains import Domain
from metricdp.opendp.metrics import Metric, UserDivergence, additive
from metricdp.opendp.numbers import as_number
from metricdp.opendp.objects import Measurement, Transformation, proved
from metricdp.opendp.placing import Placed, placed
from metricdp.opendp.writing import Made
from metricdp.spaces import Space
from metricdp.spaces.opaque import Opaque

REQUIRED = Parameter.empty


class UserFunction(msgspec.Struct, frozen=True):
    """A function of the user on plain values; both sides are moved into their domains."""

    given: Callable[[Any], Any]
    source: Space
    target: Space

    @property
    def __name__(self) -> str:
        return str(getattr(self.given, "__name__", "user_transformation"))

    def __call__(self, value: Any) -> Any:
        entered = _inside(self.source, value)
        value = None
        failed = ""
        result: Any = None
        try:
            result = self.given(entered)
        except Exception as error:
            failed = type(error).__name__
        entered = None
        if failed:
            raise MetricdpError(
                f"the user's function raised {failed}, which tells something about the data",
                place=self.__name__,
                remedy="return a value for every element of the domain",
            )
        return _inside(self.target, result)


def _inside(space: Space, value: Any) -> Any:
    return value if isinstance(space, Opaque) else Leave(space)(Enter(space)(value))


class UserMap(msgspec.Struct, frozen=True):
    """The user's map between distances of OpenDP's metrics, as one between those of the spaces."""

    given: Callable[[Any], Any]
    source: Placed
    target: Placed
    whole: bool

    @property
    def __name__(self) -> str:
        return str(getattr(self.given, "__name__", "stability_map"))

    def __call__(self, d: Any) -> Any:
        d_in = DistanceMap(self.source.after)(d)
        if not isinstance(d_in, float):
            integer = self.whole and d_in.denominator == 1
            d_in = int(d_in) if integer else _float_up(d_in)
        return DistanceMap(self.target.before)(distance(self.given(d_in), "stability_map"))


def _float_up(d: Any) -> float:
    return d if isinstance(d, float) else float(as_number(Fraction(d), False))


def _user_transformation(
    input_domain: Domain,
    input_metric: Metric,
    output_domain: Domain,
    output_metric: Metric,
    function: Any,
    stability_map: Any,
    attack: Any = False,
) -> Transformation:
    source, target = placed(input_domain, input_metric), placed(output_domain, output_metric)
    if not callable(function) or not callable(stability_map):
        raise ParameterError(
            "`function` and `stability_map` are functions",
            place="make_user_transformation",
            remedy="function=lambda rows: ..., stability_map=lambda d_in: d_in",
        )
    whole = input_metric.distance_type == "u32"
    core = CoreTransformation(
        source.space,
        target.space,
        UserFunction(function, source.space, target.space),
        UserMap(stability_map, source, target, whole),
        "user_transformation",
    )
    made = Transformation(input_domain, input_metric, output_domain, output_metric, core)
    if attack is not False:
        _attacked(core, attack)
    return made


def _attacked(core: CoreTransformation, seed: Any) -> None:
    """Search for two neighbours that refute the map.

    Raises:
        ParameterError: there are such, or nothing can be searched.
    """
    from metricdp.audit import attack

    if isinstance(core.input_space, Opaque) or isinstance(core.output_space, Opaque):
        raise ParameterError(
            "a domain or metric that is only a name cannot be attacked",
            place="make_user_transformation",
            remedy="use domains and metrics of the library, or attack=False",
        )
    found = attack(core, seed=0 if seed is True else int(seed), pairs=2000, seconds=5.0)
    if found.refuted:
        raise ParameterError(
            f"the stability map is wrong\n{found}",
            place="make_user_transformation",
            remedy="correct the function or its map",
        )


Constructor(
    "user_transformation",
    parameters={
        "output_domain": REQUIRED,
        "output_metric": REQUIRED,
        "function": REQUIRED,
        "stability_map": REQUIRED,
        "attack": False,
    },
    build=_user_transformation,
    group="t",
    doc="""A function of the user with a stability map that is believed, not proved.

    Args:
        function: total and deterministic, on plain values of the input domain.
        stability_map: from distances of the input metric to those of the output metric.
        attack: search for neighbours that refute the map first (True, or a seed).

    Raises:
        ParameterError: the attack found a counterexample.
    """,
)


Constructor(
    "checked",
    parameters={"function": REQUIRED},
    build=proved,
    group="t",
    doc="""A checked function as a map of the library: its bound is proved from its source.

    Args:
        function: decorated with `metricdp.transformation` or `metricdp.measurement`, with one
            private argument and no public ones, or what its `.at(...)` returns.
    """,
)


def new_function(function: Callable[[Any], Any], TO: Any = None) -> Callable[[Any], Any]:
    """A function of the user for post-processing; chained after a measurement with `>>`.

    Args:
        TO: type of the result, by OpenDP's name; nothing depends on it.
    """
    if not callable(function):
        raise ParameterError("a function was expected", place="new_function")
    return function


class UserMeasurement(msgspec.Struct, frozen=True):
    """A function of the user on plain values of the domain."""

    given: Any
    space: Any

    @property
    def __name__(self) -> str:
        return str(getattr(self.given, "__name__", "user_measurement"))

    def __call__(self, value: Any) -> Any:
        return self.given(Leave(self.space)(Enter(self.space)(value)))


class UserLoss(msgspec.Struct, frozen=True):
    """The user's privacy map: distances of OpenDP's metric -> one part of the loss."""

    given: Any
    after: Any
    part: int | None

    def __call__(self, d: Any) -> Any:
        distance = DistanceMap(self.after)(d)
        whole = not isinstance(distance, float) and distance.denominator == 1
        # Never a smaller distance: a loss at a double below it would be too small.
        loss = self.given(as_number(distance, whole))
        return loss if self.part is None else loss[self.part]


class MeasuredByUser(Measurement):
    """A measurement under a measure of the user: its map returns what the user's map returns.

    Costs are objects of the user, so they neither add up nor convert.  For every other reader of
    the measurement its epsilon is infinite, which is true of any function.
    """

    __slots__ = ("loss",)
    loss: UserLoss

    @classmethod
    def made_of(
        cls,
        space: tuple[Domain, Metric],
        measure: UserDivergence,
        core: CoreMeasurement,
        loss: UserLoss,
        made: Made = (),
    ) -> MeasuredByUser:
        """The measurement with a map from distances of its input."""
        found = cls(*space, measure, core, made)
        found.loss = loss
        return found

    def exact_map(self, d_in: Any) -> Any:
        """What the user's map returns at a distance."""
        return self.loss(self._before(d_in))

    map = exact_map

    def check(self, d_in: Any, d_out: Any, *, debug: bool = False) -> bool:
        """Whether the user's loss at `d_in` is <= `d_out`, by the user's own comparison.

        Raises:
            ParameterError: losses that do not compare.
        """
        try:
            return bool(self.exact_map(d_in) <= d_out)
        except TypeError:
            pass
        raise ParameterError(
            f"the losses of {self.output_measure!r} do not compare with {type(d_out).__name__}",
            place="check",
            remedy="return numbers from `privacy_map`, or objects that have `<=`",
        )

    def inverse(self, d_out: Any) -> Any:
        """Refused: nothing says that the user's map rises.

        Raises:
            ParameterError: always.
        """
        raise ParameterError(
            f"nothing is known of the map under {self.output_measure!r}",
            place="inverse",
            remedy="ask `check(d_in, d_out)`",
        )

    def following(self, first: Transformation, core: CoreMeasurement, made: Made) -> MeasuredByUser:
        """The chain "first, then this"."""
        inner = UserLoss(self.loss.given, ThroughChain(first, self.loss.after), None)
        measure: Any = self.output_measure
        return self.made_of(first.input_space, measure, core, inner, made)

    def __rshift__(self, other: Any) -> Any:
        found = super().__rshift__(other)
        if found is NotImplemented:
            return found
        measure: Any = self.output_measure
        return self.made_of(self.input_space, measure, found.core, self.loss, found.made)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, MeasuredByUser):
            return NotImplemented
        return super().__eq__(other) is True and self.loss == other.loss

    __hash__ = Measurement.__hash__

    def __repr__(self) -> str:
        return f"{super().__repr__()[:-1]} by the user)"


class ThroughChain(msgspec.Struct, frozen=True):
    """Distances of the data of a chain -> distances of the user's map."""

    first: Transformation
    after: Any

    def __call__(self, d: Number) -> Number:
        return DistanceMap(self.after)(self.first.core.map(d))


def measured_by_user(
    space: tuple[Domain, Metric], measure: UserDivergence, function: Any, privacy_map: Any
) -> MeasuredByUser:
    """A function of the user with a map under a measure of the user; both are believed."""
    place = placed(*space)
    call = UserMeasurement(function, place.space)
    core = CoreMeasurement(place.space, call, {"pure": "oo"}, "user_measurement")
    return MeasuredByUser.made_of(space, measure, core, UserLoss(privacy_map, place.after, None))


def _user_measurement(
    input_domain: Domain,
    input_metric: Metric,
    output_measure: Any,
    function: Any,
    privacy_map: Any,
    TO: Any = None,
) -> Measurement:
    if not callable(function) or not callable(privacy_map):
        raise ParameterError(
            "`function` and `privacy_map` are functions", place="make_user_measurement",
            remedy="function=lambda data: ..., privacy_map=lambda d_in: ...",
        )  # fmt: skip
    if isinstance(output_measure, UserDivergence):
        space = input_domain, input_metric
        return measured_by_user(space, output_measure, function, privacy_map)
    measure = additive(output_measure, "make_user_measurement")
    place = placed(input_domain, input_metric)
    parts = (0, 1) if measure.reading.startswith("approx") else (None,)
    maps = tuple(UserLoss(privacy_map, place.after, part) for part in parts)
    call = UserMeasurement(function, place.space)
    core = CoreMeasurement(place.space, call, {measure.reading: maps}, "user_measurement")
    return Measurement(input_domain, input_metric, measure, core)


Constructor(
    "user_measurement",
    parameters={
        "output_measure": REQUIRED,
        "function": REQUIRED,
        "privacy_map": REQUIRED,
        "TO": "ExtrinsicObject",
    },
    build=_user_measurement,
    doc="A function of the user with a privacy map that is believed, not proved.",
    group="m",
)
