"""OpenDP's names over metricdp's rules: `import metricdp.opendp as dp`."""

from __future__ import annotations

from typing import Any

from metricdp.opendp import catalogue as _catalogue
from metricdp.opendp.constructor import CONSTRUCTORS, make_function, then_function
from metricdp.opendp.domains import atom_domain, map_domain, option_domain, vector_domain
from metricdp.opendp.metrics import (
    absolute_distance,
    approximate,
    change_one_distance,
    discrete_distance,
    fixed_smoothed_max_divergence,
    hamming_distance,
    insert_delete_distance,
    l01inf_distance,
    l02inf_distance,
    l1_distance,
    l2_distance,
    linf_distance,
    max_divergence,
    renyi_divergence,
    smoothed_max_divergence,
    symmetric_distance,
    zero_concentrated_divergence,
)

__all__ = [
    "absolute_distance",
    "approximate",
    "atom_domain",
    "change_one_distance",
    "discrete_distance",
    "fixed_smoothed_max_divergence",
    "hamming_distance",
    "insert_delete_distance",
    "l01inf_distance",
    "l02inf_distance",
    "l1_distance",
    "l2_distance",
    "linf_distance",
    "map_domain",
    "max_divergence",
    "option_domain",
    "renyi_divergence",
    "smoothed_max_divergence",
    "symmetric_distance",
    "vector_domain",
    "zero_concentrated_divergence",
]
assert _catalogue


def __getattr__(name: str) -> Any:
    for prefix, function in (("make_", make_function), ("then_", then_function)):
        constructor = CONSTRUCTORS.get(name.removeprefix(prefix))
        if name.startswith(prefix) and constructor is not None:
            made = function(constructor)
            globals()[name] = made
            return made
    raise AttributeError(f"module 'metricdp.opendp' has no attribute {name!r}")
