"""Maps of the user: functions whose map is believed, and checked functions, which are proved."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from inspect import Parameter
from typing import Any

import msgspec

from metricdp.errors import MetricdpError, ParameterError, SpaceError
from metricdp.maps import DistanceMap
from metricdp.maps import Measurement as CoreMeasurement
from metricdp.maps import Transformation as CoreTransformation
from metricdp.maps.distances import distance
from metricdp.maps.functions import Enter, Leave
from metricdp.opendp.constructor import Constructor, native_measure
from metricdp.opendp.domains import Domain
from metricdp.opendp.metrics import Metric
from metricdp.opendp.objects import Measurement, Transformation
from metricdp.opendp.placing import Placed, placed, unplaced
from metricdp.spaces import Space
from metricdp.spaces.joining import fits, joined_by
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
    from metricdp.opendp.objects import as_number

    return d if isinstance(d, float) else float(as_number(Fraction(d), False))


def _user(
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
    build=_user,
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


def _checked(input_domain: Domain, input_metric: Metric, function: Any) -> Any:
    core = function.at() if hasattr(function, "at") else function
    if not isinstance(core, CoreTransformation | CoreMeasurement):
        raise ParameterError(
            f"{type(function).__name__} is no checked function",
            place="make_checked",
            remedy="decorate it with @metricdp.transformation or @metricdp.measurement",
        )
    space = placed(input_domain, input_metric).space
    if not fits(space, core.input_space):
        raise SpaceError(
            f"{core.name} takes {core.input_space.describe()}, and the data lie in "
            f"{space.describe()}",
            place="make_checked",
            remedy=joined_by(space, core.input_space),
        )
    if isinstance(core, CoreMeasurement):
        return Measurement(input_domain, input_metric, native_measure(core), core)
    domain, metric = unplaced(core.output_space, (input_domain, input_metric))
    return Transformation(input_domain, input_metric, domain, metric, core)


Constructor(
    "checked",
    parameters={"function": REQUIRED},
    build=_checked,
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
