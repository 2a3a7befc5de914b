"""Measures by object or name, and measurements under them."""

from __future__ import annotations

import re
from typing import Any

from metricdp.errors import ParameterError
from metricdp.maps import Measurement as CoreMeasurement
from metricdp.opendp import metrics
from metricdp.opendp.domains import WrongElementError
from metricdp.opendp.metrics import Measure
from metricdp.opendp.objects import Measurement

_NAMED: dict[str, Measure] = {
    "MaxDivergence": metrics.MaxDivergence(),
    "ZeroConcentratedDivergence": metrics.ZeroConcentratedDivergence(),
    "SmoothedMaxDivergence": metrics.SmoothedMaxDivergence(),
    "RenyiDivergence": metrics.RenyiDivergence(),
    "FixedSmoothedMaxDivergence": metrics.Approximate(metrics.MaxDivergence()),
}


def measure_of(given: Any) -> Measure:
    """A measure from an object or a name: "MaxDivergence", "Approximate<MaxDivergence>".

    Raises:
        WrongElementError: anything else.
    """
    if isinstance(given, Measure):
        return given
    name = given if isinstance(given, str) else getattr(given, "__name__", str(given))
    name = re.sub(r"<[fiu]\d+>", "", name).strip()
    found = _NAMED.get(name)
    if found is not None:
        return found
    inner = re.fullmatch(r"Approximate<(\w+)>", name)
    if inner and inner[1] in _NAMED:
        return metrics.Approximate(_NAMED[inner[1]])
    raise WrongElementError(
        f"no measure is called {name!r}", place="measure", remedy="max_divergence()"
    )


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
