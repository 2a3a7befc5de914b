"""Spaces of dictionaries: `map_domain` under a norm, or under a triple of norms.

A distance of OpenDP's triples is (keys that differ, sum or root of the sum of squares, largest).
Here it is one number t for (t, t, t); what moves by other proportions is put into that form.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from metricdp.expr import ONE, D, Expr, compose, maximum
from metricdp.maps import DistanceMap, Transformation
from metricdp.maps.steps import Vouched
from metricdp.opendp import metrics
from metricdp.opendp.domains import AtomDomain, Domain, MapDomain
from metricdp.opendp.metrics import Metric
from metricdp.opendp.placing import BACK, PLACES, Placed, bounds_of, is_number, row, row_domain
from metricdp.opendp.types import KINDS, kind, type_name
from metricdp.spaces import Keyed, Scalar, Space

_NORMS: dict[type[Metric], str] = {
    metrics.L01InfDistance: "L01Inf",
    metrics.L02InfDistance: "L02Inf",
    metrics.L1Distance: "L1",
    metrics.L2Distance: "L2",
    metrics.LInfDistance: "LInf",
}
_BACK: dict[str, Callable[[str], Metric]] = {
    "L01Inf": lambda T: metrics.L01InfDistance(metrics.AbsoluteDistance(T)),
    "L02Inf": lambda T: metrics.L02InfDistance(metrics.AbsoluteDistance(T)),
    "L1": metrics.L1Distance,
    "L2": metrics.L2Distance,
    "LInf": metrics.LInfDistance,
}
EVEN = (ONE, ONE, ONE)


def _dictionary(domain: Any, metric: Metric) -> Placed:
    lo, hi = bounds_of(domain.value_domain)
    element = "Int" if kind(domain.value_domain.T) == "int" else "Real"
    return Placed(Keyed(row(domain.key_domain), Scalar(element, lo, hi), _NORMS[type(metric)]))


def _applies(domain: Any, metric: Any) -> bool:
    if not isinstance(domain, MapDomain) or type(metric) not in _NORMS:
        return False
    return is_number(domain.value_domain) and not domain.key_domain.nan


def _dictionary_back(space: Any, like: tuple[Domain, Metric], T: str | None) -> Any:
    key = row_domain(space.key, like, None)
    assert isinstance(key, AtomDomain)
    number = "int" if space.value.element in ("Int", "Bool") else "float"
    value = T if T is not None and KINDS[T] == number else type_name(number)
    return MapDomain(key, AtomDomain(value)), _BACK[space.norm](value)


def evened(core: Transformation) -> Transformation:
    """The map into the triple (t, t, t): the largest of the three proportions counts."""
    space = core.output_space
    if not isinstance(space, Keyed) or space.per == EVEN or core.stability.expr is None:
        return core
    even = msgspec.structs.replace(space, per=EVEN)
    return rescaled(core, target=even, after=maximum(*space.per) * D)


def rescaled(
    core: Transformation,
    source: Space | None = None,
    target: Space | None = None,
    before: Expr = D,
    after: Expr = D,
    leave: Callable[[Any], Any] | None = None,
) -> Transformation:
    """One step between other names of its spaces, with its distances converted on either side."""
    (step,) = core.steps
    source, target = source or core.input_space, target or core.output_space
    inner = core.stability.expr
    assert inner is not None
    stability = DistanceMap(compose(after, compose(inner, before)))
    step = msgspec.structs.replace(
        step, input_space=source, output_space=target, stability=stability
    )
    return Transformation(
        source, target, core.function, stability, core.name,
        steps=Vouched((step,)), enter=core.enter, leave=leave or core.leave,
    )  # fmt: skip


PLACES[:0] = [(_applies, _dictionary)]
BACK[:0] = [(lambda space: isinstance(space, Keyed), _dictionary_back)]
