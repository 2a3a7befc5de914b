"""Combinators: composition, interaction, conversions, amplification, selection."""

from __future__ import annotations

from inspect import Parameter
from typing import Any

import msgspec

from metricdp.errors import ParameterError
from metricdp.maps import DistanceMap
from metricdp.maps import Measurement as CoreMeasurement
from metricdp.maps.composition import compose
from metricdp.maps.conversions import fix_delta, in_measure
from metricdp.maps.interactive import FullyAdaptive, adaptive
from metricdp.maps.profiles import PrivacyProfile
from metricdp.maps.samples import sampled
from metricdp.maps.selection import first_above
from metricdp.opendp import metrics
from metricdp.opendp.constructor import Constructor
from metricdp.opendp.domains import Domain, VectorDomain, WrongElementError
from metricdp.opendp.interactive import Odometer, Wrap
from metricdp.opendp.metrics import Measure, Metric, additive
from metricdp.opendp.objects import Measurement, Transformation, chained
from metricdp.opendp.placing import placed

REQUIRED = Parameter.empty
_APPROXIMATE = metrics.Approximate(metrics.MaxDivergence())
_CONCENTRATED = metrics.Approximate(metrics.ZeroConcentratedDivergence())


def _is(value: Any, kind: Any, place: str) -> Any:
    if isinstance(value, kind):
        return value
    raise WrongElementError(
        f"{type(value).__name__} is no {kind.__name__.lower()}", place=place,
        remedy=f"give a {kind.__name__}",
    )  # fmt: skip


def _convertible(value: Any, place: str) -> Measurement:
    """A measurement whose costs are numbers with rules.

    Raises:
        WrongElementError: no measurement.
        ParameterError: one under a measure of the user.
    """
    item: Measurement = _is(value, Measurement, place)
    if isinstance(item.output_measure, metrics.UserDivergence):
        raise ParameterError(
            f"costs under {item.output_measure!r} neither add up nor convert", place=place,
            remedy="let one function make all of the releases, with a privacy map of its own",
        )  # fmt: skip
    return item


def _under(measurement: Measurement, measure: Measure, core: CoreMeasurement) -> Measurement:
    return Measurement(*measurement.input_space, measure, core)


def _composition(measurements: Any, place: str = "make_composition") -> Measurement:
    parts = [_convertible(m, place) for m in measurements]
    if not parts:
        raise ParameterError("nothing to compose", place=place, remedy="give measurements")
    spaces = {part.input_space for part in parts}
    core = compose([part.core for part in parts])
    if len(spaces) > 1:
        raise ParameterError(
            "measurements of several domains or metrics", place=place,
            remedy="build all of them on one (domain, metric)",
        )  # fmt: skip
    # The weakest measure of the parts, in which each of them has a cost.
    order = [
        metrics.MaxDivergence(), metrics.ZeroConcentratedDivergence(), _APPROXIMATE, _CONCENTRATED
    ]  # fmt: skip
    for part in parts:
        if part.output_measure not in order:
            raise ParameterError(
                f"costs under {part.output_measure!r} do not add up", place=place,
                remedy="compose before make_zCDP_to_approxDP, or fix a delta: make_fix_delta",
            )  # fmt: skip
    wanted = max((part.output_measure for part in parts), key=order.index)
    for measure in order[order.index(wanted) :]:
        if measure.reading in core.privacy:
            return _under(parts[0], measure, core)
    raise ParameterError(
        f"no common measure from {wanted!r} on", place=place, remedy="convert the measurements"
    )


def _basic(m0: Any, m1: Any = None) -> Measurement:
    return _composition([*m0] if m1 is None else [m0, m1], "make_basic_composition")


def _distance(domain: Domain, metric: Metric, d_in: Any) -> Any:
    return DistanceMap(placed(domain, metric).before)(d_in)


def _adaptive(
    input_domain: Domain, input_metric: Metric, output_measure: Any, d_in: Any, d_mids: Any
) -> Measurement:
    measure = additive(output_measure, "make_adaptive_composition")
    space = placed(input_domain, input_metric).space
    core = adaptive(space, measure.reading, _distance(input_domain, input_metric, d_in), [*d_mids])
    wrapped = core >> Wrap(input_domain, input_metric)
    return Measurement(input_domain, input_metric, measure, wrapped)


def _fully_adaptive(input_domain: Domain, input_metric: Metric, output_measure: Any) -> Odometer:
    measure = additive(output_measure, "make_fully_adaptive_composition")
    core = FullyAdaptive(placed(input_domain, input_metric).space, measure.reading)
    return Odometer(input_domain, input_metric, measure, core)


def _filter(odometer: Any, d_in: Any, d_out: Any) -> Measurement:
    item: Odometer = _is(odometer, Odometer, "make_privacy_filter")
    core = item.core.filtered(_distance(*item.input_space, d_in), d_out)
    return Measurement(*item.input_space, item.output_measure, core >> item.wrap)


def _pure_to_zcdp(measurement: Any) -> Measurement:
    item: Measurement = _convertible(measurement, "make_pureDP_to_zCDP")
    measure = metrics.ZeroConcentratedDivergence()
    return _under(item, measure, in_measure(item.core, "zcdp"))


def _to_approximate(measurement: Any) -> Measurement:
    item: Measurement = _convertible(measurement, "make_approximate")
    inner = item.output_measure.reading
    measure = _CONCENTRATED if inner in ("zcdp", "approx_zcdp") else _APPROXIMATE
    return _under(item, measure, in_measure(item.core, measure.reading))


def _to_profile(measurement: Any) -> Measurement:
    item: Measurement = _convertible(measurement, "make_zCDP_to_approxDP")
    curve = metrics.SmoothedMaxDivergence()
    measure = metrics.Approximate(curve) if item.output_measure == _CONCENTRATED else curve
    return _under(item, measure, item.core)


def _fix_delta(measurement: Any, delta: Any) -> Measurement:
    item: Measurement = _convertible(measurement, "make_fix_delta")
    return _under(item, _APPROXIMATE, fix_delta(item.core, delta))


def _population(measurement: Any, population_size: Any) -> Measurement:
    item: Measurement = _convertible(measurement, "make_population_amplification")
    domain: Any = item.input_domain
    if not isinstance(domain, VectorDomain) or domain.size is None:
        raise ParameterError(
            f"{domain!r} has no public size", place="make_population_amplification",
            remedy="vector_domain(atom_domain(T=float), size=sample_size)",
        )  # fmt: skip
    core = sampled(item.core, size=domain.size, rows=population_size)
    whole = msgspec.structs.replace(domain, size=population_size)
    return Measurement(whole, item.input_metric, item.output_measure, core)


def _selected(measurement: Any, stop_probability: Any, threshold: Any) -> Measurement:
    item: Measurement = _convertible(measurement, "make_select_private_candidate")
    return _under(
        item, metrics.MaxDivergence(), first_above(item.core, stop_probability, threshold)
    )


def new_privacy_profile(curve: Any) -> PrivacyProfile:
    """The profile of a curve, epsilon -> delta, that never rises; it is believed as it is."""
    return PrivacyProfile(curve)


def _line(name: str, build: Any, parameters: dict[str, Any], doc: str, **more: Any) -> None:
    Constructor(name, parameters=parameters, build=build, doc=doc, **{"group": "c", **more})


_ONE = {"measurement": REQUIRED}
_ADAPTIVE = {"output_measure": REQUIRED, "d_in": REQUIRED, "d_mids": REQUIRED}
_line(
    "composition",
    _composition,
    {"measurements": REQUIRED},
    "All measurements on the same data: a list of releases; costs add, exactly.",
    spaces=False,
)
_line(
    "basic_composition",
    _basic,
    {"m0": REQUIRED, "m1": None},
    "Two measurements, or a list of them: `make_composition` by its names of before.",
    spaces=False,
)
for _name in ("adaptive_composition", "sequential_composition"):
    _line(
        _name,
        _adaptive,
        _ADAPTIVE,
        "A queryable that takes one measurement per entry of `d_mids`, each of which costs at most "
        "its entry at `d_in`; queryables that are open at the same time may be asked in turns.",
    )
_line(
    "fully_adaptive_composition",
    _fully_adaptive,
    {"output_measure": REQUIRED},
    "An odometer: measurements chosen one by one, with `privacy_loss(d_in)` at any time.",
)
_line(
    "privacy_filter",
    _filter,
    {"odometer": REQUIRED, "d_in": REQUIRED, "d_out": REQUIRED},
    "The measurement that answers while the sum of all costs at `d_in` is at most `d_out`.",
    spaces=False,
)
_line(
    "chain_tt",
    lambda transformation1, transformation0: chained(
        _is(transformation0, Transformation, "make_chain_tt"),
        _is(transformation1, Transformation, "make_chain_tt"),
    ),
    {"transformation1": REQUIRED, "transformation0": REQUIRED},
    "transformation0 >> transformation1.",
    spaces=False,
)
_line(
    "chain_mt",
    lambda measurement1, transformation0: chained(
        _is(transformation0, Transformation, "make_chain_mt"),
        _is(measurement1, Measurement, "make_chain_mt"),
    ),
    {"measurement1": REQUIRED, "transformation0": REQUIRED},
    "transformation0 >> measurement1.",
    spaces=False,
)
_line(
    "chain_pm",
    lambda postprocess1, measurement0: (
        _is(measurement0, Measurement, "make_chain_pm") >> postprocess1
    ),
    {"postprocess1": REQUIRED, "measurement0": REQUIRED},
    "measurement0 >> postprocess1.",
    spaces=False,
)
_line(
    "pureDP_to_zCDP",
    _pure_to_zcdp,
    _ONE,
    "The rho of a pure measurement: epsilon tanh(epsilon / 2), or less where it is known.",
    spaces=False,
)
_line(
    "approximate",
    _to_approximate,
    _ONE,
    "A pure measurement as (epsilon, 0), one under zCDP as (rho, 0).",
    spaces=False,
)
for _name in ("zCDP_to_approxDP", "fixed_approxDP_to_approxDP"):
    _line(
        _name,
        _to_profile,
        _ONE,
        "The measurement under its privacy profile: `map(d_in)` is a curve with `.delta(epsilon)` "
        "and `.epsilon(delta)`, read from what was drawn; of a (rho, delta), the curve and delta.",
        spaces=False,
    )
_line(
    "fix_delta",
    _fix_delta,
    {**_ONE, "delta": REQUIRED},
    "The (epsilon, delta) at one delta; several of them compose at the sum of their deltas.",
    spaces=False,
)
_line(
    "population_amplification",
    _population,
    {**_ONE, "population_size": REQUIRED},
    "The measurement on a secret sample, without replacement, that is drawn inside: the data are "
    "the whole population.  (OpenDP's takes the sample and believes that it is one.)",
    spaces=False,
)
_line(
    "select_private_candidate",
    _selected,
    {**_ONE, "stop_probability": REQUIRED, "threshold": REQUIRED},
    "The first pair (score, value) above a public threshold, or None: 2 epsilon.",
    spaces=False,
)
