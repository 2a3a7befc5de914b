"""OpenDP's names over metricdp's rules: `import metricdp.opendp as dp`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from metricdp.opendp import catalogue_aggregates as _catalogue_aggregates
from metricdp.opendp import catalogue_choices as _catalogue_choices
from metricdp.opendp import catalogue_combinators as _catalogue_combinators
from metricdp.opendp import catalogue_noise as _catalogue_noise
from metricdp.opendp import catalogue_rows as _catalogue_rows
from metricdp.opendp import catalogue_tables as _catalogue_tables
from metricdp.opendp.accuracy import (
    accuracy_to_discrete_gaussian_scale,
    accuracy_to_discrete_laplacian_scale,
    accuracy_to_gaussian_scale,
    accuracy_to_laplacian_scale,
    discrete_gaussian_scale_to_accuracy,
    discrete_laplacian_scale_to_accuracy,
    gaussian_scale_to_accuracy,
    laplacian_scale_to_accuracy,
)
from metricdp.opendp.catalogue_combinators import new_privacy_profile
from metricdp.opendp.catalogue_noise import debias_randomized_response_bitvec
from metricdp.opendp.catalogue_user import new_function
from metricdp.opendp.domains import (
    atom_domain,
    bitvector_domain,
    map_domain,
    option_domain,
    user_domain,
    vector_domain,
)
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
    user_distance,
    user_divergence,
    zero_concentrated_divergence,
)
from metricdp.opendp.mod import (
    Measurement,
    Transformation,
    assert_features,
    binary_search,
    binary_search_chain,
    binary_search_param,
    disable_features,
    enable_features,
    exponential_bounds_search,
)
from metricdp.opendp.names import getter, listed, word, words
from metricdp.opendp.postprocess import (
    choose_branching_factor,
    make_cdf,
    make_consistent_b_ary_tree,
    make_quantiles_from_counts,
)

_MODULES = {"t": "transformations", "m": "measurements", "c": "combinators"}
__all__ = [
    "Measurement",
    "Transformation",
    "absolute_distance",
    "accuracy_to_discrete_gaussian_scale",
    "accuracy_to_discrete_laplacian_scale",
    "accuracy_to_gaussian_scale",
    "accuracy_to_laplacian_scale",
    "approximate",
    "assert_features",
    "atom_domain",
    "binary_search",
    "binary_search_chain",
    "binary_search_param",
    "bitvector_domain",
    "change_one_distance",
    "choose_branching_factor",
    "debias_randomized_response_bitvec",
    "disable_features",
    "discrete_distance",
    "discrete_gaussian_scale_to_accuracy",
    "discrete_laplacian_scale_to_accuracy",
    "enable_features",
    "exponential_bounds_search",
    "fixed_smoothed_max_divergence",
    "gaussian_scale_to_accuracy",
    "hamming_distance",
    "insert_delete_distance",
    "l01inf_distance",
    "l02inf_distance",
    "l1_distance",
    "l2_distance",
    "laplacian_scale_to_accuracy",
    "linf_distance",
    "make_cdf",
    "make_consistent_b_ary_tree",
    "make_quantiles_from_counts",
    "map_domain",
    "max_divergence",
    "new_function",
    "new_privacy_profile",
    "option_domain",
    "renyi_divergence",
    "smoothed_max_divergence",
    "symmetric_distance",
    "user_distance",
    "user_divergence",
    "user_domain",
    "vector_domain",
    "zero_concentrated_divergence",
]
assert _catalogue_rows and _catalogue_aggregates and _catalogue_choices and _catalogue_noise

assert _catalogue_tables and _catalogue_combinators

_own = getter(__name__)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"metricdp.opendp.{_MODULES[name]}")
    found = word(name)
    return _own(name) if found is None else found


def __dir__() -> list[str]:
    return sorted({*globals(), *listed(), *words(), *_MODULES})
