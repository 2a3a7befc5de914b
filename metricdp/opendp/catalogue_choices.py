"""Measurements that choose: largest scores, quantiles, each by one line."""

from __future__ import annotations

from collections.abc import Mapping
from inspect import Parameter
from typing import Any

from metricdp.errors import ParameterError, SpaceError
from metricdp.maps import Measurement as CoreMeasurement
from metricdp.maps import apply
from metricdp.maps.chaining import Chained
from metricdp.maps.steps import Vouched
from metricdp.opendp.constructor import Constructor
from metricdp.opendp.metrics import (
    LInfDistance,
    MaxDivergence,
    ZeroConcentratedDivergence,
    measure_of,
)
from metricdp.opendp.objects import measured
from metricdp.opendp.placing import placed
from metricdp.opendp.releases import First
from metricdp.primitives import load
from metricdp.record import REGISTRY
from metricdp.spaces.directions import OneDirection

load()
REQUIRED = Parameter.empty


def way(output_measure: Any) -> str:
    """Permute-and-flip for pure privacy, exponential weights for zCDP: the better of the two."""
    measure = measure_of(output_measure)
    if isinstance(measure, MaxDivergence):
        return "permute_and_flip"
    if isinstance(measure, ZeroConcentratedDivergence):
        return "exponential"
    raise ParameterError(
        f"choices have no {measure!r}",
        place="output_measure",
        remedy="max_divergence() or zero_concentrated_divergence()",
    )


def largest(
    domain: Any, metric: Any, output_measure: Any, k: Any, scale: Any, negate: Any, by: str
) -> CoreMeasurement:
    """The positions of the k largest (smallest, if `negate`) scores."""
    if not isinstance(metric, LInfDistance):
        raise SpaceError(
            f"choices measure scores in the largest difference, not in {metric!r}",
            place="input_metric",
            remedy="linf_distance(T=float)",
        )
    space: Any = placed(domain, metric).space
    public: Mapping[str, Any] = {"k": k, "scale": scale, "by": by, "monotone": metric.monotonic}
    if not negate:
        return apply(REGISTRY["top_k"], space, public)  # type: ignore[no-any-return]
    turned = apply(REGISTRY["neg"], space, {})
    core = apply(REGISTRY["top_k"], turned.output_space, public)
    if not metric.monotonic:
        return turned >> core  # type: ignore[no-any-return]
    # Scores that rise together fall together when they are turned, by as much.
    return CoreMeasurement(
        OneDirection(space),
        Chained(turned, core),
        name=f"{turned.name} >> {core.name}",
        tree=core.tree,
        steps=Vouched(turned.steps + core.steps),
        enter=turned.enter,
    )


def _top_k(
    domain: Any, metric: Any, output_measure: Any, k: Any, scale: Any, negate: Any = False
) -> Any:
    core = largest(domain, metric, output_measure, k, scale, negate, way(output_measure))
    return measured(domain, metric, core, output_measure)


def _max(domain: Any, metric: Any, output_measure: Any, scale: Any, negate: Any = False) -> Any:
    core = largest(domain, metric, output_measure, 1, scale, negate, way(output_measure))
    return measured(domain, metric, core >> First(), output_measure)


def _gumbel(domain: Any, metric: Any, scale: Any, optimize: Any = "max") -> Any:
    if optimize not in ("max", "min"):
        raise ParameterError(f"optimize is {optimize!r}", place="optimize", remedy='"max" or "min"')
    measure = MaxDivergence()
    core = largest(domain, metric, measure, 1, scale, optimize == "min", "exponential")
    return measured(domain, metric, core >> First(), measure)


def _quantile(
    domain: Any, metric: Any, output_measure: Any, candidates: Any, alpha: Any, scale: Any
) -> Any:
    public = {
        "candidates": tuple(candidates),
        "alpha": alpha,
        "scale": scale,
        "by": way(output_measure),
    }
    core = apply(REGISTRY["private_quantile"], placed(domain, metric).space, public)
    return measured(domain, metric, core, output_measure)


_SCORES = {"output_measure": REQUIRED}
Constructor(
    "noisy_top_k",
    "",
    {**_SCORES, "k": REQUIRED, "scale": REQUIRED, "negate": False},
    build=_top_k,
    doc=REGISTRY["top_k"].proof,
    group="m",
)
Constructor(
    "noisy_max",
    "",
    {**_SCORES, "scale": REQUIRED, "negate": False},
    build=_max,
    doc=REGISTRY["top_k"].proof,
    group="m",
)
Constructor(
    "report_noisy_max_gumbel",
    "",
    {"scale": REQUIRED, "optimize": "max"},
    build=_gumbel,
    doc="Gumbel noise on every score and the largest: exponential weights, sampled exactly.",
    group="m",
)
Constructor(
    "private_quantile",
    "",
    {**_SCORES, "candidates": REQUIRED, "alpha": REQUIRED, "scale": REQUIRED},
    build=_quantile,
    doc=REGISTRY["private_quantile"].proof,
    group="m",
)
