"""Canonical noise of an (epsilon, delta) at a distance."""

from __future__ import annotations

from inspect import Parameter
from typing import Any

from metricdp.errors import ParameterError, SpaceError
from metricdp.maps import apply
from metricdp.maps.conversions import in_measure
from metricdp.opendp.constructor import Constructor
from metricdp.opendp.measures import measured
from metricdp.opendp.metrics import Approximate, MaxDivergence
from metricdp.opendp.placing import placed
from metricdp.primitives import load
from metricdp.record import REGISTRY
from metricdp.spaces import Scalar

load()
REQUIRED = Parameter.empty


def _canonical(domain: Any, metric: Any, d_in: Any, d_out: Any) -> Any:
    space = placed(domain, metric).space
    if not isinstance(space, Scalar):
        raise SpaceError(
            f"{domain!r} holds no single numbers", place="make_canonical_noise",
            remedy="atom_domain(T=float, nan=False), absolute_distance(T=float)",
        )  # fmt: skip
    if not isinstance(d_out, tuple | list) or len(d_out) != 2:
        raise ParameterError(
            f"{d_out!r} is no pair", place="d_out", remedy="d_out=(epsilon, delta)"
        )
    public = {"epsilon": d_out[0], "delta": d_out[1], "sensitivity": d_in}
    core = apply(REGISTRY["canonical_noise"], space, public)
    return measured(domain, metric, in_measure(core, "approx"), Approximate(MaxDivergence()))


Constructor(
    "canonical_noise",
    "",
    {"d_in": REQUIRED, "d_out": REQUIRED},
    build=_canonical,
    doc=REGISTRY["canonical_noise"].proof,
    group="m",
)
