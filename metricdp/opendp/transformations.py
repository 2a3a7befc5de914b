"""Transformations by OpenDP's names."""

from __future__ import annotations

from metricdp.opendp.names import getter, listed
from metricdp.opendp.postprocess import (
    choose_branching_factor,
    make_cdf,
    make_consistent_b_ary_tree,
    make_quantiles_from_counts,
)

_FUNCTIONS = (
    choose_branching_factor,
    make_cdf,
    make_consistent_b_ary_tree,
    make_quantiles_from_counts,
)

__getattr__ = getter(__name__, "t")
__all__ = [*listed("t"), *(function.__name__ for function in _FUNCTIONS)]


def __dir__() -> list[str]:
    return __all__
